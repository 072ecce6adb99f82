"""The knowledge base loads, refers only to what exists, and answers by version."""

from __future__ import annotations

import re
import runpy
from importlib.resources import files
from pathlib import Path

import msgspec
import pytest
import yaml
from tests.conftest import REPOSITORY

from pileup.knowledge import KnowledgeError, knowledge, match_stack, use, wait_classes
from pileup.knowledge.signature import Example, Sign, Signature


def test_every_reference_exists() -> None:
    """Latches and stacks name issues that are there; ids are unique."""
    known = knowledge()
    for thing in (*known.latches.values(), *known.stacks):
        for issue in thing.issues:
            assert issue in known.issues, (thing.id, issue)
    assert len({s.id for s in known.stacks}) == len(known.stacks)


def test_stack_by_ordered_subset() -> None:
    """Innermost first, with other frames between; arguments do not matter; order does."""
    stack = [
        "__lll_lock_wait",
        "pthread_mutex_lock",
        "Stage_manager::enroll_for(Stage_manager::StageID)",
        "MYSQL_BIN_LOG::change_stage",
        "MYSQL_BIN_LOG::ordered_commit",
        "ha_commit_trans",
    ]
    found = match_stack(stack)
    assert found is not None
    assert found.id == "gc_change_stage"
    assert match_stack(list(reversed(stack))) is None
    assert match_stack(["??", "int"]) is None


@pytest.mark.parametrize(
    ("issue", "family", "numbers", "answer"),
    [
        ("mysql-100512", "mysql", (8, 0, 15), "yes"),
        ("mysql-100512", "mysql", (8, 0, 30), "no"),
        ("mysql-100512", "mysql", (5, 7, 44), "yes"),
        ("mysql-100512", "percona", (5, 7, 29), "yes"),
        ("mysql-100512", "mariadb", (10, 6, 2), "no"),
        ("mysql-100512", None, (), "unknown"),
        ("mysql-73816", "mysql", (5, 6, 21), "yes"),
        ("mysql-73816", "mysql", (5, 6, 30), "no"),
        ("mysql-46459", "mysql", (5, 1, 36), "yes"),
        ("hot-row", None, (), "yes"),
    ],
)
def test_does_it_apply(
    issue: str, family: str | None, numbers: tuple[int, ...], answer: str
) -> None:
    assert knowledge().issue(issue).applies_to(family, numbers) == answer


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("signatures: [{issue: hot-row, needs: [{latch: no_such}]}]", "no latch 'no_such'"),
        ("signatures: [{issue: nobody, needs: [{log: x}]}]", "no such issue"),
        ("signatures: [{issue: hot-row, needs: [{log: '(?=x)'}]}]", "regular expression"),
        ("signatures: [{issue: hot-row, needs: [{log: x, state: y}]}]", "a sign has one of"),
        ("signatures: [{issue: hot-row, needs: [{counter: x}]}]", "rises, falls"),
        ("signatures: [{issue: hot-row, needs: [{log: x, weight: 7}]}]", "<= 1"),
        ("signatures: [{issue: hot-row}]", "data needs signs"),
        ("signatures: [{needs: [{log: x}]}]", "issue"),
        ("signatures: {}", "no list 'signatures'"),
        ("[", "no YAML"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path: Path, text: str, said: str) -> None:
    """With the file, the entry and the reason; what was in use stays in use."""
    (tmp_path / "signatures.yaml").write_text(text)
    before = knowledge()
    with pytest.raises(KnowledgeError, match="signatures") as caught:
        use(tmp_path)
    assert said in str(caught.value)
    assert knowledge().issues == before.issues


def test_a_server_goes_on_without_what_does_not_fit(tmp_path: Path) -> None:
    """One file is broken, one entry speaks of nothing: both are said, the rest is used."""
    (tmp_path / "latches.yaml").write_text("latches: [{id: 1")
    (tmp_path / "signatures.yaml").write_text(
        "signatures:\n"
        "- {issue: semaphore-abort, needs: [{log: theirs, weight: 1}]}\n"
        "- {issue: nobody, needs: [{log: x}]}\n"
    )
    try:
        broken, lost = use(tmp_path, lenient=True)
        assert broken.startswith("latches.yaml is no YAML")
        assert "nobody: there is no such issue" in lost
        assert knowledge().signatures["semaphore-abort"].needs[0].log == "theirs"
        assert "btr_search_latch" in knowledge().latches
        assert use(tmp_path / "nowhere", lenient=True)[0].startswith(str(tmp_path))
    finally:
        use(None)


def test_a_folder_without_a_file_of_ours_is_refused(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeError, match=f"{tmp_path} has none of "):
        use(tmp_path)


def test_a_team_s_entry_replaces_ours(tmp_path: Path) -> None:
    (tmp_path / "signatures.yaml").write_text(
        "signatures: [{issue: semaphore-abort, needs: [{log: x, weight: 1}]}]"
    )
    try:
        use(tmp_path)
        assert knowledge().signatures["semaphore-abort"].needs[0].log == "x"
        assert knowledge().signatures["hot-row"].rule == "code"
    finally:
        use(None)


def test_every_remedy_states_what_it_costs() -> None:
    """Side effects in words, except where it only looks; nothing without words; ids that exist."""
    known = knowledge()
    for issue in known.issues.values():
        assert issue.mitigations, issue.id
        for remedy in issue.mitigations:
            assert remedy.side_effects or remedy.action.startswith("Find "), (issue.id, remedy)
            words = (remedy.action, remedy.side_effects or "x y", remedy.precondition or "x y")
            assert all(any(letter.isalpha() for letter in text) for text in words)
            assert set(remedy.not_when) <= known.issues.keys(), (issue.id, remedy)
        for text in (issue.change, issue.expect, issue.refuted_if):
            assert text is None or any(letter.isalpha() for letter in text), issue.id


def test_the_page_tells_every_key() -> None:
    """docs/reference/knowledge.md names each key of a sign and of a signature."""
    page = (REPOSITORY / "docs" / "reference" / "knowledge.md").read_text()
    for struct in (Sign, Signature, Example):
        for field in msgspec.structs.fields(struct):
            assert f"`{field.encode_name}`" in page, field.encode_name


def test_glibc_s_decorations_do_not_hide_a_stack() -> None:
    """glibc 2.34 prints ___pthread_cond_wait: a cached thread is idle all the same."""
    found = match_stack(
        ["__futex_abstimed_wait_common64", "___pthread_cond_wait", "block_until_new_connection"]
    )
    assert found is not None
    assert found.set_aside


@pytest.mark.parametrize(
    ("series", "word"),
    [
        ("vmstat.r", "Runnable"),
        ("iostat.aqu-sz", "queue length"),
        ("netstat.backlog", "accepted"),
        ("sar.runq-sz", "number of CPUs"),
        ("mysql.Threads_running", "pileup gauge"),
    ],
)
def test_a_series_is_told_by_its_collector_and_its_name(series: str, word: str) -> None:
    """A lane called r means nothing; vmstat's r does."""
    found = knowledge().series(series)
    assert found is not None
    assert word in (found.meaning or "")


def test_the_page_counts_what_is_not_verified() -> None:
    """docs/reference/knowledge.md names every issue that nobody could verify."""
    page = (REPOSITORY / "docs" / "reference" / "knowledge.md").read_text()
    known = knowledge().issues.values()
    unverified = [item.id for item in known if not item.verified]
    assert all(f"`{item}`" in page for item in unverified)
    assert f"Of our {len(known)} issues {len(known) - len(unverified)} are verified" in page
    script = REPOSITORY / "scripts" / "write_knowledge_counts.py"
    writer = runpy.run_path(str(script))
    assert writer["rewritten"](page, known) == page, "run make docs"


def test_every_expression_of_a_state_is_one() -> None:
    text = (files("pileup.knowledge") / "data/states.yaml").read_text(encoding="utf-8")
    for state in yaml.safe_load(text)["states"]:
        if expression := state.get("match_regex"):
            re.compile(expression)


@pytest.mark.parametrize(
    ("state", "category"),
    [
        ("Waiting for source to send event", "idle"),
        ("Replica has read all relay log; waiting for more updates", "idle"),
        ("Waiting for semi-sync ACK from replica", "waiting_repl"),
        ("wsrep: committed write set (88120)", "idle"),
        ("wsrep: committing write set (88121)", "waiting_repl"),
    ],
)
def test_states_have_the_names_of_every_release(state: str, category: str) -> None:
    meaning = knowledge().state_for("Query", state)
    assert meaning is not None
    assert meaning.category == category


def test_a_thread_of_the_server_is_named_by_its_outermost_frames() -> None:
    """Not by a function of that name that its code calls deeper down."""
    titles = wait_classes._mapping().background_titles
    name = "buf_flush_page_cleaner_thread"
    title = next(title for match, title in titles if match.fullmatch(name))
    for outer in (0, 1, 11, 12, 13):
        stack = ("pthread_cond_wait", name, *(f"outer_{n}" for n in range(outer)))
        assert wait_classes.background_title(stack) == (title if outer < 12 else None)
        assert wait_classes.is_background(stack) is (outer < 12)
