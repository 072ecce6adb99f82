"""Short links to views, and the search of the top bar."""

from __future__ import annotations

from tests.support.site import Site

VIEW = "timeline?start=2026-11-20T22%3A19%3A00Z&series=threads_running"


def test_the_same_view_has_one_link(site: Site) -> None:
    """However often it is copied; another view has another."""
    client, incident = site.admin, site.incident()
    url = f"/api/v1/incidents/{incident}/views"
    first = client.post(url, json={"view": VIEW}).json()
    again = client.post(url, json={"view": VIEW}).json()
    other = client.post(url, json={"view": "waits?at=worst"}).json()
    assert first["id"] == again["id"] != other["id"]
    opened = client.get(f"/api/v1/views/{first['id']}").json()
    assert (opened["incident_id"], opened["view"]) == (incident, VIEW)
    assert client.get(url).json() == []  # only the named are listed


def test_a_named_view_is_listed_and_told(site: Site) -> None:
    """With who named it; the name is in the audit."""
    client, incident = site.admin, site.incident()
    url = f"/api/v1/incidents/{incident}/views"
    made = client.post(url, json={"view": VIEW, "name": "  the onset  "})
    assert made.status_code == 201
    (listed,) = client.get(url).json()
    assert listed["name"] == "the onset"
    assert listed["by"]
    activity = client.get(f"/api/v1/incidents/{incident}/activity").text
    assert "view.named" in activity


def test_a_link_leads_nowhere_else(site: Site) -> None:
    """Only to a screen of the incident: no host, no scheme, no way up."""
    client, incident = site.admin, site.incident()
    for view in (
        "//evil.example",
        "https://evil.example",
        "../../settings",
        "/l/x",
        "a b",
        "\\\\x",
    ):
        answer = client.post(f"/api/v1/incidents/{incident}/views", json={"view": view})
        assert answer.status_code == 422, (view, answer.text)


def test_an_unknown_link_says_so(site: Site) -> None:
    answer = site.admin.get("/api/v1/views/none")
    assert answer.status_code == 404
    assert "not known" in answer.json()["detail"]


def test_find_looks_in_every_kind_of_this_incident_only(site: Site) -> None:
    """Each word must be in the name, in any case and order; wildcards are plain characters."""
    client, incident, elsewhere = site.admin, site.incident(), site.incident()
    for place in (incident, elsewhere):
        client.post(
            f"/api/v1/incidents/{place}/hypotheses",
            json={"statement": "The AHI latch is 100% busy", "falsifier": "it is not"},
        )
    url = f"/api/v1/incidents/{incident}/search"
    (found,) = client.get(url, params={"q": "latch ahi"}).json()
    assert (found["kind"], found["title"]) == ("hypothesis", "The AHI latch is 100% busy")
    assert len(client.get(url, params={"q": "100%"}).json()) == 1
    assert client.get(url, params={"q": "1%0"}).json() == []
    assert client.get(url, params={"q": "mutex"}).json() == []
    assert client.get(url, params={"q": "   "}).json() == []


def test_a_user_keeps_views_of_the_list(site: Site) -> None:
    """By name, each user their own; the same name again replaces the query."""
    url = "/api/v1/list-views"
    body = {"name": " Open, worst first ", "query": "status=open&sort=peak"}
    site.admin.put(url, json=body)
    (kept,) = site.admin.put(url, json={**body, "query": "status=open"}).json()
    assert (kept["name"], kept["query"]) == ("Open, worst first", "status=open")
    colleague = site.client("viewer")
    assert colleague.get(url).json() == []
    assert colleague.delete(f"{url}/{kept['id']}").status_code == 404
    assert site.admin.put(url, json={"name": "x", "query": "a b"}).status_code == 422
    assert site.admin.delete(f"{url}/{kept['id']}").status_code == 204
    assert site.admin.get(url).json() == []
