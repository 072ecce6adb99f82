"""The search: what an analysis saw and what people wrote, in one incident and in all."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from pileup.records import Session, Setting
from pileup.storage.incidents.search import Entry, replace_entries
from tests.analysis.frames import evidence
from tests.support.site import Site


def search(site: Site, words: str, incident: str | None = None) -> list[dict[str, Any]]:
    path = f"/api/v1/incidents/{incident}/search" if incident else "/api/v1/search"
    answer = site.admin.get(path, params={"q": words})
    assert answer.status_code == 200, answer.text
    return list(answer.json())


def named(founds: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(found["kind"], found["title"]) for found in founds]


def analysed(site: Site, title: str, *entries: Entry) -> str:
    """Make an incident whose analysis has these entries."""
    incident = site.incident(title)
    site.analysed(evidence({"empty.txt": []}), incident)
    with site.database.unit() as unit:
        replace_entries(unit, incident, entries)
    return incident


def entry(kind: str, title: str, weight: float = 0.0, words: str = "") -> Entry:
    return Entry(
        kind=kind, key=title, title=title, hint=None, at=None, words=f"{title} {words}",
        weight=weight,
    )  # fmt: skip


def test_what_an_analysis_saw_is_found_by_its_name(site: Site) -> None:
    """A session by its number, a variable by its name, a statement by a table."""
    incident = site.analysed(
        evidence(
            {
                "processlist.txt": [
                    Session(
                        line_first=2, line_last=2, snapshot=0, session_id=197, user="shop",
                        client_host="app1", db="shop", command="Query", time_s=61.0,
                        state="Waiting for table metadata lock",
                        query="alter table orders add column note text",
                    ),
                    Session(
                        line_first=3, line_last=3, snapshot=0, session_id=1970, user="idle",
                        command="Sleep", time_s=900.0,
                    ),
                ],
                "variables.txt": [
                    Setting(
                        line_first=1, line_last=1, source="SHOW VARIABLES",
                        name="innodb_thread_concurrency", value="16",
                    )
                ],
            }
        )
    )  # fmt: skip
    sessions = search(site, "197", incident)
    assert [found["id"].split()[0] for found in sessions if found["kind"] == "session"] == [
        "197",
        "1970",
    ]
    assert sessions[0]["hint"] == "alter table orders add column note text"
    assert ("setting", "innodb_thread_concurrency") in named(
        search(site, "innodb_thread_concurrency", incident)
    )
    kinds = {found["kind"] for found in search(site, "orders ALTER", incident)}
    assert {"session", "statement"} <= kinds
    assert any(found["id"].startswith("197 ") for found in search(site, "metadata lock"))


def test_three_matches_are_in_order_and_a_tie_by_name(site: Site) -> None:
    """The whole word before its beginning, before a part; equal ones by weight, then by title."""
    incident = analysed(
        site,
        "one",
        entry("log", "deadlocks are many"),
        entry("log", "a lock waits"),
        entry("log", "locking is slow"),
        entry("log", "b lock waits"),
        entry("log", "z lock waits", weight=0.5),
    )
    assert [title for _, title in named(search(site, "lock", incident))] == [
        "z lock waits",
        "a lock waits",
        "b lock waits",
        "locking is slow",
        "deadlocks are many",
    ]


def test_a_new_analysis_replaces_the_entries_of_the_last(site: Site) -> None:
    incident = analysed(site, "one", entry("stack", "buf_page_get_gen"))
    assert named(search(site, "buf_page"))[0] == ("stack", "buf_page_get_gen")
    with site.database.unit() as unit:
        replace_entries(unit, incident, [entry("stack", "fil_io")])
    assert search(site, "buf_page") == []
    assert named(search(site, "buf_page", incident)) == []


def test_a_deleted_incident_is_not_found(site: Site) -> None:
    kept = analysed(site, "kept", entry("session", "Session 4711"))
    gone = analysed(site, "gone", entry("session", "Session 4711"))
    assert {found["incident_id"] for found in search(site, "4711")} == {kept, gone}
    site.admin.delete(f"/api/v1/incidents/{gone}")
    assert {found["incident_id"] for found in search(site, "4711")} == {kept}
    assert search(site, "gone") == []


def test_an_incident_is_found_by_its_title_and_service(site: Site) -> None:
    made = site.incident("Checkout timed out")
    site.admin.patch(
        f"/api/v1/incidents/{made}", json={"service": "payments"}, headers={"If-Match": '"1"'}
    )
    assert search(site, "payments checkout")[0]["id"] == made
    assert search(site, "payments refunds") == []


def test_short_words_only_filter_across_incidents(site: Site) -> None:
    """An incident finds any word; all incidents need one of three letters, or an ideograph."""
    incident = analysed(site, "支付超时", entry("session", "Session 42"), entry("log", "a'b _id"))
    found = {
        words: named(search(site, words)) for words in ("42", "a'b", "_id", "x 4", "session 4")
    }
    assert found.pop("session 4") == [("session", "Session 42")]
    assert not any(found.values())
    assert named(search(site, "42", incident)) == [("session", "Session 42")]
    for words in ("付", "超时", "支 时"):
        assert named(search(site, words)) == [("incident", "支付超时")]


def test_any_text_is_a_question_never_an_error(site: Site) -> None:
    """Operators of the index, quotes, wildcards and lone surrogates are plain characters."""
    analysed(site, "one", entry("log", "can't open file: 'x' & | ! <-> (:*)"))
    for words in ("'", "a'b", ":*", "& | !", "<->", "x' & 'y", "%", "__", "\\", "é", "'x'", "💥"):
        search(site, words)
    assert named(search(site, "can't"))[0][0] == "log"


def test_a_moment_leads_to_the_screen(site: Site) -> None:
    at = datetime(2026, 11, 20, 22, 19, tzinfo=UTC)
    incident = site.incident("one")
    site.analysed(evidence({"empty.txt": []}), incident)
    with site.database.unit() as unit:
        replace_entries(unit, incident, [Entry("node", "trx:1", "trx 1", None, at, "trx 1", 1.0)])
    (found,) = search(site, "trx", incident)
    assert datetime.fromisoformat(found["at"]) == at


def test_strangers_search_nothing(site: Site) -> None:
    assert site.stranger.get("/api/v1/search", params={"q": "x"}).status_code == 401
