"""Pins over HTTP: pictures without harm, testimony and absence, rules of status."""

from __future__ import annotations

import pytest

from tests.api.test_reasoning import hypothesis, pin
from tests.support.site import Site

NS = 'xmlns="http://www.w3.org/2000/svg"'
EVIL = f"""<svg {NS} onload="alert(1)" viewBox="0 0 9 9">
<script>alert(2)</script><style>*{{background:url(//x)}}</style>
<image href="https://example.org/a.png"/><a href="javascript:x"><path d="M0 0"/></a>
<foreignObject><body>hm</body></foreignObject>
<path d="M0 0L9 9" fill="url(#x)" stroke="red" style="fill:url(//y)"/>
<text x="1">a &lt;b&gt; c</text>
</svg>"""


def test_a_picture_keeps_shapes_and_words_only(site: Site) -> None:
    """No script, style, link or image is left; it is served as a picture that may do nothing."""
    made = pin(site, site.incident(), picture=EVIL)
    assert made["picture"] is True
    answer = site.admin.get(f"/api/v1/pins/{made['id']}/picture")
    assert answer.headers["content-type"] == "image/svg+xml"
    assert "sandbox" in answer.headers["content-security-policy"]
    for word in ("script", "onload", "style", "url(", "href", "example.org", "foreign", "alert"):
        assert word not in answer.text, word
    assert '<path d="M0 0L9 9" stroke="red"' in answer.text
    assert "a &lt;b&gt; c" in answer.text


@pytest.mark.parametrize(
    "picture",
    [
        "<svg",
        "<html></html>",
        f'<!DOCTYPE svg [<!ENTITY a "aaaa">]><svg {NS}><text>&a;</text></svg>',
    ],
)
def test_what_is_no_picture_is_refused(site: Site, picture: str) -> None:
    incident = site.incident()
    body = {
        "kind": "statement",
        "title": "x",
        "locator": {},
        "view": f"/incidents/{incident}/overview",
        "picture": picture,
    }
    assert site.admin.post(f"/api/v1/incidents/{incident}/pins", json=body).status_code == 422


def test_testimony_is_evidence_in_somebodys_words(site: Site) -> None:
    """It points nowhere, has no value, and never turns stale; others' words stand for no lines."""
    incident = site.incident()
    kept = pin(
        site,
        incident,
        kind="statement",
        evidence_kind="testimony",
        locator={},
        excerpt="the on-call restarted the proxy at 22:19",
    )
    assert (kept["label"], kept["evidence_kind"], kept["value"]) == (
        "E1",
        "testimony",
        None,
    )
    assert kept["excerpt"].startswith("the on-call")
    assert pin(site, incident, excerpt="made up")["excerpt"] is None


def test_status_follows_the_rules(site: Site) -> None:
    """proposed -> active with the first evidence; supported does not go back to proposed."""
    incident = site.incident()
    made = hypothesis(site, incident)
    url = f"/api/v1/hypotheses/{made['id']}"
    assert (made["status"], made["label"]) == ("proposed", "H1")

    def become(status: str, **more: str) -> tuple[int, dict[str, object]]:
        now = site.admin.get(url).json()
        headers = {"If-Match": f'"{now["revision"]}"'}
        answer = site.admin.patch(url, json={"status": status} | more, headers=headers)
        return answer.status_code, dict(answer.json())

    assert become("supported")[0] == 422
    held = pin(site, incident)
    after = site.admin.post(f"{url}/evidence", json={"pin_id": held["id"], "side": "for"}).json()
    assert after["status"] == "active"
    assert after["history"][-1]["pin_id"] == held["id"]
    status, refuted = become("refuted", reason="the graph says no", pin_id=held["id"])
    assert status == 200
    assert refuted["history"][-1]["reason"] == "the graph says no"  # type: ignore[index]
    assert become("proposed")[0] == 422
    assert become("superseded", superseded_by_id=made["id"])[0] == 422
    other = hypothesis(site, incident)
    assert become("superseded", superseded_by_id=other["id"])[1]["superseded_by"] == "H2"


def test_withdrawing_a_pin_that_a_confidence_stands_on_flags_it(site: Site) -> None:
    incident = site.incident()
    made = hypothesis(site, incident)
    held = pin(site, incident)
    url = f"/api/v1/hypotheses/{made['id']}"
    body = {"confidence": 70, "reason": "so", "pin_id": held["id"]}
    assert site.admin.post(f"{url}/confidence", json=body).json()["needs_review"] is False
    assert site.admin.delete(f"/api/v1/pins/{held['id']}").status_code == 204
    assert site.admin.get(url).json()["needs_review"] is True


def test_mechanisms_are_tags(site: Site) -> None:
    incident = site.incident()
    made = site.admin.post(
        f"/api/v1/incidents/{incident}/hypotheses",
        json={"statement": "x", "mechanisms": [" row lock ", "row lock", "purge"]},
    ).json()
    assert made["mechanisms"] == ["row lock", "purge"]
