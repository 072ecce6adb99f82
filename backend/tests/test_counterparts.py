"""Every test that needs a folder of other people's files has one beside it that needs none.

``counterparts.txt`` names it. So a clone without these folders is protected, and a new test that
only they can run fails here until it has a counterpart.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.support.skips import FORESEEN

TESTS = Path(__file__).parent
_FOLDERS = ("corpus", "captures")
_OF_MACHINES = "this machine"


def _functions() -> Iterator[tuple[str, ast.FunctionDef]]:
    for path in sorted(TESTS.rglob("test_*.py")):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.FunctionDef):
                yield f"{path.relative_to(TESTS).as_posix()}::{node.name}", node


def _arguments(node: ast.FunctionDef) -> set[str]:
    return {argument.arg for argument in node.args.args}


def _reasons(tree: ast.AST) -> Iterator[str]:
    """Yield how the reason of each skip begins, up to the first value in it."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        if name == "pytest.skip":
            yield _opening(node.args[0])
        elif name == "pytest.mark.skipif":
            yield _opening(next(each.value for each in node.keywords if each.arg == "reason"))


def _opening(text: ast.expr) -> str:
    first = text.values[0] if isinstance(text, ast.JoinedStr) else text
    return str(first.value) if isinstance(first, ast.Constant) else ast.unparse(text)


def _needing() -> set[str]:
    """Return the tests that are left out where there is no such folder."""
    functions = list(_functions())
    fixtures = {
        (name.partition("::")[0], node.name)
        for name, node in functions
        if not node.name.startswith("test_") and _arguments(node) & set(_FOLDERS)
    }
    return {
        name
        for name, node in functions
        if node.name.startswith("test_")
        and (
            _arguments(node) & set(_FOLDERS)
            or any((name.partition("::")[0], each) in fixtures for each in _arguments(node))
            or any(not reason.startswith(_OF_MACHINES) for reason in _reasons(node))
        )
        and not name.startswith("test_skips.py")
    }


def _listed() -> dict[str, str]:
    lines = (TESTS / "counterparts.txt").read_text(encoding="utf-8").splitlines()
    return dict(line.split("\t") for line in lines if not line.startswith("#"))


def test_every_test_of_other_people_s_files_has_a_counterpart() -> None:
    assert _needing() == _listed().keys()


def test_the_counterparts_need_no_folder() -> None:
    known = {name for name, _ in _functions()}
    assert set(_listed().values()) <= known - _needing()


def test_every_reason_to_leave_out_a_test_is_foreseen() -> None:
    """Another would fail the run of whoever lacks what the test wants."""
    reasons = {
        (path.name, reason)
        for path in TESTS.rglob("*.py")
        if path.name not in ("test_skips.py", "test_counterparts.py")
        for reason in _reasons(ast.parse(path.read_bytes()))
    }
    assert len(reasons) > 8
    assert {reason for reason in reasons if not reason[1].startswith(FORESEEN)} == set()
