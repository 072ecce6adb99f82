"""The report over HTTP: templates, actions, releases, redaction, exports; each rule of theirs."""

from __future__ import annotations

import io
from typing import Any

import docx
import pytest
from pypdf import PdfReader

from pileup.settings import Settings
from tests.support.site import Site


def report(site: Site, incident: str) -> dict[str, Any]:
    answer = site.admin.get(f"/api/v1/incidents/{incident}/report")
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def write(site: Site, incident: str, key: str, text: str, revision: int = 0) -> int:
    answer = site.admin.put(
        f"/api/v1/incidents/{incident}/report/sections/{key}",
        json={"body_md": text},
        headers={"If-Match": f'"{revision}"'},
    )
    assert answer.status_code == 200, answer.text
    return int(answer.json()["revision"])


def action(site: Site, incident: str, **fields: Any) -> dict[str, Any]:
    body = {"text": "Alert on idle transactions"} | fields
    answer = site.admin.post(f"/api/v1/incidents/{incident}/actions", json=body)
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def submit(site: Site, incident: str) -> dict[str, Any]:
    answer = site.admin.post(f"/api/v1/incidents/{incident}/releases", json={"note": "please"})
    assert answer.status_code == 201, answer.text
    return dict(answer.json())


def export(site: Site, incident: str, **query: str) -> Any:
    return site.admin.get(f"/api/v1/incidents/{incident}/report/export", params=query)


def test_another_template_loses_no_text(site: Site) -> None:
    """Texts of sections that the new one lacks are listed as kept, and come back."""
    incident = site.incident()
    write(site, incident, "hypotheses", "Mine alone.")
    before = report(site, incident)
    assert before["template"] == "database-pileup"
    url = f"/api/v1/incidents/{incident}/report/template"
    refused = site.admin.put(url, json={"template": "none"}, headers={"If-Match": '"0"'})
    assert refused.status_code == 422
    assert refused.json()["errors"][0]["field"] == "template"
    chosen = site.admin.put(url, json={"template": "executive"}, headers={"If-Match": '"0"'})
    assert chosen.json() == {"template": "executive", "revision": 1}
    late = site.admin.put(url, json={"template": "sre"}, headers={"If-Match": '"0"'})
    assert late.status_code == 409
    after = report(site, incident)
    assert [item["key"] for item in after["kept"]] == ["hypotheses"]
    assert "Mine alone." not in export(site, incident, format="md").text
    site.admin.put(url, json={"template": "database-pileup"}, headers={"If-Match": '"1"'})
    again = {section["key"]: section for section in report(site, incident)["sections"]}
    assert again["hypotheses"]["body_md"] == "Mine alone."


def test_checks_name_section_and_line(site: Site) -> None:
    incident = site.incident()
    write(site, incident, "summary", "Calm.\n301 waiters because of human error.\n")
    found = {(c["rule"], c["section"], c["line"]) for c in report(site, incident)["checks"]}
    assert ("claim_without_pin", "summary", 2) in found
    assert ("blame", "summary", 2) in found
    assert ("no_action", None, None) in found


def test_action_has_owner_date_status_and_a_verifying_experiment(site: Site) -> None:
    incident = site.incident()
    plan = site.admin.post(
        f"/api/v1/incidents/{incident}/experiments",
        json={"title": "Kill it", "prediction": {"text": "waiters fall"}},
    ).json()
    made = action(site, incident, owner="Ann", due="2026-12-01", experiment_id=plan["id"])
    assert (made["experiment_number"], made["status"]) == (plan["number"], "open")
    url = f"/api/v1/actions/{made['id']}"
    assert site.admin.patch(url, json={"status": "done"}).status_code == 428
    done = site.admin.patch(url, json={"status": "done", "due": None}, headers={"If-Match": '"1"'})
    assert (done.json()["status"], done.json()["due"]) == ("done", None)
    stale = site.admin.patch(url, json={"status": "open"}, headers={"If-Match": '"1"'})
    assert stale.status_code == 409
    assert stale.json()["current"]["status"] == "done"
    text = export(site, incident, format="md").text
    assert "Alert on idle transactions" in text
    assert "experiment 1" in text


def test_another_incidents_experiment_does_not_verify(site: Site) -> None:
    incident, other = site.incident(), site.incident("other")
    plan = site.admin.post(
        f"/api/v1/incidents/{other}/experiments",
        json={"title": "Kill it", "prediction": {"text": "waiters fall"}},
    ).json()
    answer = site.admin.post(
        f"/api/v1/incidents/{incident}/actions",
        json={"text": "x", "experiment_id": plan["id"]},
    )
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["field"] == "experiment_id"


def test_a_deleted_action_can_be_restored(site: Site) -> None:
    incident = site.incident()
    made = action(site, incident)
    assert site.admin.delete(f"/api/v1/actions/{made['id']}").status_code == 204
    assert site.admin.get(f"/api/v1/incidents/{incident}/actions").json() == []
    assert site.admin.delete(f"/api/v1/actions/{made['id']}").status_code == 404
    restored = site.admin.post(f"/api/v1/incidents/{incident}/deleted/action/{made['id']}/restore")
    assert restored.status_code == 204
    (listed,) = site.admin.get(f"/api/v1/incidents/{incident}/actions").json()
    assert listed == {**made, "revision": 3}  # deleting and restoring are changes too


def test_who_submits_does_not_approve_when_there_is_somebody_else(site: Site) -> None:
    """A second person, if the installation has one who may write; the hash is what is approved."""
    incident = site.incident()
    made = submit(site, incident)
    url = f"/api/v1/releases/{made['id']}/approve"
    reviewer = site.client("contributor")
    own = site.admin.post(url, json={"sha256": made["sha256"]})
    assert own.status_code == 409
    assert "somebody else" in own.json()["detail"]
    wrong = reviewer.post(url, json={"sha256": "0" * 64})
    assert wrong.status_code == 422
    assert site.client("viewer").post(url, json={"sha256": made["sha256"]}).status_code == 403
    done = reviewer.post(url, json={"sha256": made["sha256"], "note": "good"}).json()
    assert done["state"] == "approved"
    assert [(approval["note"], bool(approval["by"])) for approval in done["approvals"]] == [
        ("good", True)
    ]
    assert reviewer.post(url, json={"sha256": made["sha256"]}).status_code == 409


def test_alone_one_approves_oneself(site: Site) -> None:
    incident = site.incident()
    made = submit(site, incident)
    url = f"/api/v1/releases/{made['id']}/approve"
    assert site.admin.post(url, json={"sha256": made["sha256"]}).status_code == 200


def test_the_second_person_can_be_switched_off(site: Site) -> None:
    assert Settings(database_url="postgresql://x@y/z").release_second_person is True
    site.client("contributor")
    object.__setattr__(site.settings, "release_second_person", False)
    incident = site.incident()
    made = submit(site, incident)
    url = f"/api/v1/releases/{made['id']}/approve"
    assert site.admin.post(url, json={"sha256": made["sha256"]}).status_code == 200


@pytest.mark.parametrize("as_", ["md", "html", "docx", "pdf"])
@pytest.mark.dealt(2)
def test_an_approved_release_is_exported_the_same_whatever_happens_after(
    site: Site, as_: str
) -> None:
    """Later edits start a new draft; the frozen document's exports do not move by a byte."""
    incident = site.incident()
    revision = write(site, incident, "summary", "Said then.")
    made = submit(site, incident)
    site.admin.post(f"/api/v1/releases/{made['id']}/approve", json={"sha256": made["sha256"]})
    first = export(site, incident, format=as_, release=made["id"])
    assert first.status_code == 200, first.text
    write(site, incident, "summary", "Said now.", revision=revision)
    action(site, incident)
    again = export(site, incident, format=as_, release=made["id"])
    assert again.content == first.content
    listed = site.admin.get(f"/api/v1/incidents/{incident}/releases").json()
    assert listed["draft_differs"] is True
    changes = site.admin.get(
        f"/api/v1/incidents/{incident}/releases/diff", params={"before": made["id"]}
    ).json()
    summary = next(change for change in changes if change["key"] == "summary")
    assert summary["lines"] == [["-", "Said then."], ["+", "Said now."]]


def test_one_review_at_a_time_and_withdrawn_ones_stay(site: Site) -> None:
    incident = site.incident()
    made = submit(site, incident)
    again = site.admin.post(f"/api/v1/incidents/{incident}/releases", json={})
    assert again.status_code == 409
    gone = site.admin.post(f"/api/v1/releases/{made['id']}/withdraw", json={"reason": "typo"})
    assert gone.json()["state"] == "withdrawn"
    assert submit(site, incident)["number"] == 2
    listed = site.admin.get(f"/api/v1/incidents/{incident}/releases").json()["releases"]
    assert [(item["number"], item["state"]) for item in listed] == [
        (2, "in_review"),
        (1, "withdrawn"),
    ]


def test_another_incidents_release_is_not_found(site: Site) -> None:
    """Neither exported nor compared through an incident that it is not of."""
    incident, other = site.incident(), site.incident("other")
    made = submit(site, incident)
    assert export(site, other, release=made["id"]).status_code == 404
    url = f"/api/v1/incidents/{other}/releases/diff"
    assert site.admin.get(url, params={"before": made["id"]}).status_code == 404


def test_formats_are_what_they_say(site: Site) -> None:
    incident = site.incident()
    write(site, incident, "summary", "It **stalled**.")
    pdf = export(site, incident, format="pdf", paper="letter")
    assert pdf.headers["content-type"] == "application/pdf"
    assert "It stalled." in PdfReader(io.BytesIO(pdf.content)).pages[1].extract_text()
    word = docx.Document(io.BytesIO(export(site, incident, format="docx").content))
    assert any("stalled" in paragraph.text for paragraph in word.paragraphs)
    html = export(site, incident, format="html", sections="summary").text
    assert "<strong>stalled</strong>" in html
    assert 'id="impact"' not in html
    assert export(site, incident, zone="Nowhere/None").status_code == 422
    assert export(site, incident, redact="everything").status_code == 422


def test_a_viewer_sees_how_a_section_will_look(site: Site) -> None:
    """It saves nothing, so it is no write; without the session's token it is refused."""
    incident = site.admin.post("/api/v1/incidents", json={"title": "Looked at"}).json()["id"]
    url = f"/api/v1/incidents/{incident}/report/preview"
    viewer = site.client("viewer")
    answer = viewer.post(url, json={"body_md": "**bold**"})
    assert answer.status_code == 200
    assert "<strong>bold</strong>" in answer.json()["blocks"][0]["html"]
    assert viewer.post(url, json={"body_md": ""}, headers={"X-CSRF-Token": "no"}).status_code == 403


def test_redaction_is_previewed_and_applied_to_every_format(site: Site) -> None:
    """The preview's tokens are those of the export; the key is the incident's own."""
    incident, other = site.incident(), site.incident("other")
    text = "`select * from t where a = 'secret-42'` from 10.1.2.3"
    for item in (incident, other):
        write(site, item, "summary", text)
    url = f"/api/v1/incidents/{incident}/report/redaction"
    counts = {item["kind"]: item for item in site.admin.get(url).json()}
    assert (counts["addresses"]["values"], counts["addresses"]["occurrences"]) == (1, 1)
    token = counts["addresses"]["examples"][0]["token"]
    for as_ in ("md", "html"):
        done = export(site, incident, format=as_, redact="sql,addresses").text
        assert "secret-42" not in done
        assert "10.1.2.3" not in done
        assert token in done
    assert token not in export(site, other, format="md", redact="addresses").text
    assert "10.1.2.3" in export(site, incident, format="md").text


def test_an_admin_names_what_is_redacted(site: Site) -> None:
    """A profile is used by its name in the preview and in exports; only admins make one."""
    incident = site.incident()
    write(site, incident, "summary", "db-7 at 10.1.2.3 said: select * from t where id = 815;")
    profiles = "/api/v1/redaction-profiles"
    made = site.admin.put(f"{profiles}/For%20vendors", json={"kinds": ["addresses", "sql"]})
    assert made.json() == {"name": "For vendors", "kinds": ["sql", "addresses"]}
    text = export(site, incident, format="md", redact="For vendors").text
    assert "815" not in text
    assert "10.1.2.3" not in text
    preview = site.admin.get(
        f"/api/v1/incidents/{incident}/report/redaction", params={"redact": "For vendors"}
    )
    assert [item["kind"] for item in preview.json()] == ["sql", "addresses"]
    site.admin.put(f"{profiles}/For%20vendors", json={"kinds": ["sql"]})
    assert "10.1.2.3" in export(site, incident, format="md", redact="For vendors").text
    refused = export(site, incident, redact="nothing")
    assert (refused.status_code, "For vendors" in refused.text) == (422, True)
    reader = site.client("contributor")
    assert reader.get(profiles).json() == [{"name": "For vendors", "kinds": ["sql"]}]
    assert reader.put(f"{profiles}/mine", json={"kinds": ["sql"]}).status_code == 403
    assert site.admin.put(f"{profiles}/sql", json={"kinds": ["sql"]}).status_code == 422
    assert site.admin.delete(f"{profiles}/For%20vendors").status_code == 204
    assert site.admin.get(profiles).json() == []
    assert site.admin.delete(f"{profiles}/For%20vendors").status_code == 404


def test_what_people_do_is_in_the_audit_trail(site: Site) -> None:
    incident = site.incident()
    action(site, incident)
    made = submit(site, incident)
    site.admin.post(f"/api/v1/releases/{made['id']}/withdraw", json={})
    from pileup.storage.audit import entries
    from pileup.storage.database import Database

    database = Database(str(site.settings.database_url))
    with database.unit() as unit:
        said = {entry.action for entry in entries(unit, incident)}
    database.close()
    assert {"action.created", "release.submitted", "release.withdrawn"} <= said


def test_the_matrix_of_the_report_holds_the_blind_rating(site: Site) -> None:
    """A block of the matrix shows opened cells; one that is still blind stays out of the report."""
    incident = site.incident()
    write(site, incident, "summary", "::matrix")
    assert "no rated evidence" in export(site, incident, format="md").text


def test_the_command_fetches_a_file(site: Site, tmp_path: Any, monkeypatch: Any) -> None:
    """`pileup report` writes what the server gives, and says what the server says when it fails."""
    import httpx
    from click.testing import CliRunner

    from pileup.cli.report import command

    incident = site.incident()
    reader = site.with_token("read")

    def stream(_: str, url: str, *, params: Any, headers: Any, timeout: float) -> Any:
        assert (headers["Authorization"], timeout) == ("Bearer t", 180)
        return reader.stream("GET", httpx.URL(url).path, params=params)

    monkeypatch.setattr("httpx.stream", stream)
    arguments = ["--to", "http://server", "--token", "t", "--format", "md"]
    file = tmp_path / "out.md"
    done = CliRunner().invoke(command, [incident, *arguments, "-o", str(file)])
    assert done.exit_code == 0, done.output
    assert file.read_text().startswith("# ")
    failed = CliRunner().invoke(command, ["none", *arguments, "-o", str(tmp_path / "no.md")])
    assert failed.exit_code == 1
    assert "Not found" in failed.output
