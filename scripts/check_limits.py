"""Check the size limits that keep the code easy to navigate; part of `make check`.

Limits: source files in a folder, lines of a file in api/, lines of a backend function, no folder or
module for leftovers, a README.md in every package, no modules of the backend that import each
other, not even for types or inside a function (the UI's are held by its linter). An exception is
listed here with its reason, and an exception that is no longer needed has to go.
"""

from __future__ import annotations

import ast
import graphlib
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import grimp

ROOT = Path(__file__).resolve().parents[1]
BACKEND = ROOT / "backend" / "src" / "pileup"
FRONTEND = ROOT / "frontend" / "src"

FILES_IN_A_FOLDER = 35
LINES_IN_API = 300
LINES_OF_A_FUNCTION = 60
LEFTOVERS = frozenset({"utils", "util", "common", "helpers", "helper", "misc"})
WITHOUT_README = frozenset({"parts", "migrations", "versions"})
"""Folders that the README of their parent describes."""

LONG_FILES: frozenset[str] = frozenset()
"""Files of api/ that are still above the limit. Empty when the restructuring is done."""

LONG_FUNCTIONS = {
    "storage/migrations/versions/0019_the_first_release.py:_artifacts": "a table with 36 columns",
    "storage/reasoning/hypotheses.py:_records": "one query and the record built from its row",
    "views/reasoning/matrix.py:matrix_for": "one pass over the pins with the ratings of everybody",
}
"""Backend functions that are still above the limit, and why."""

ROUND = {
    ("pileup.formats.tables.result_json", "pileup.formats"): "an answer holds texts of any format",
}
"""Imports that close a circle, and why."""


def main() -> int:
    """Print every breach; return 1 if there is any."""
    breaches = [
        *(*_folders(), *_names(), *_long_files(), *_long_functions(), *_readmes()),
        *_circles(),
    ]
    for breach in breaches:
        sys.stdout.write(breach + "\n")
    return 1 if breaches else 0


def _sources(root: Path) -> list[Path]:
    return [
        path
        for path in sorted(root.rglob("*"))
        if path.suffix in {".py", ".ts", ".tsx", ".css"} and ".test." not in path.name
    ]


def _folders() -> Iterator[str]:
    for root in (BACKEND, FRONTEND):
        for folder, count in Counter(path.parent for path in _sources(root)).items():
            if count > FILES_IN_A_FOLDER:
                yield f"{_name(folder)}: {count} source files, at most {FILES_IN_A_FOLDER}"


def _names() -> Iterator[str]:
    for root in (BACKEND, FRONTEND):
        for path in _sources(root):
            for part in (path.stem, path.parent.name):
                if part.lower() in LEFTOVERS:
                    yield f"{_name(path)}: name it after what it is about, not {part!r}"


def _long_files() -> Iterator[str]:
    lengths = {
        path.relative_to(BACKEND).as_posix(): len(path.read_text().splitlines())
        for path in sorted((BACKEND / "api").rglob("*.py"))
    }
    long = {name: length for name, length in lengths.items() if length > LINES_IN_API}
    for name in sorted(long.keys() - LONG_FILES):
        yield f"{name}: {long[name]} lines, at most {LINES_IN_API}: move what is no route to views/"
    for name in sorted(LONG_FILES - long.keys()):
        yield f"{name} is short enough now: remove it from LONG_FILES in scripts/check_limits.py"


def _long_functions() -> Iterator[str]:
    long = {}
    for path in sorted(BACKEND.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                length = (node.end_lineno or node.lineno) - node.lineno + 1
                if length > LINES_OF_A_FUNCTION:
                    long[f"{path.relative_to(BACKEND).as_posix()}:{node.name}"] = length
    for name in sorted(long.keys() - LONG_FUNCTIONS.keys()):
        yield f"{name}: {long[name]} lines, at most {LINES_OF_A_FUNCTION}: split it"
    for name in sorted(LONG_FUNCTIONS.keys() - long.keys()):
        yield f"{name} is short now: remove it from LONG_FUNCTIONS in scripts/check_limits.py"


def _readmes() -> Iterator[str]:
    packages = {path.parent for path in BACKEND.rglob("*.py")}
    packages |= {path for path in FRONTEND.iterdir() if path.is_dir()}
    missing = {
        _name(folder)
        for folder in packages
        if folder.name not in WITHOUT_README and not (folder / "README.md").exists()
    }
    for name in sorted(missing):
        yield f"{name}: needs a README.md: what belongs here, what does not, which file to copy"


def _circles() -> Iterator[str]:
    graph = grimp.build_graph("pileup", cache_dir=None)
    imports = {
        module: set(graph.find_modules_directly_imported_by(module)) for module in graph.modules
    }
    for module, other in ROUND:
        if other not in imports[module]:
            yield f"{module} no longer imports {other}: remove it from ROUND"
        imports[module].discard(other)
    try:
        graphlib.TopologicalSorter(imports).prepare()
    except graphlib.CycleError as error:
        names = " imported by ".join(error.args[1])
        yield f"{names}: move what both need into a module of its own"


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


if __name__ == "__main__":
    sys.exit(main())
