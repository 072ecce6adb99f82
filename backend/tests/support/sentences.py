"""What each refusal, and each problem of a receipt, says: the words of the source, by place."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.support.refusals import SOURCE, refusals_of, tree_of

_PROBLEM = "Problem"


def sentences() -> Iterator[str]:
    """Yield a line for each: where it stands, and its texts, with {} for what is put in."""
    for path in sorted(SOURCE.rglob("*.py")):
        if "migrations" not in path.parts:
            yield from _of_refusals(path)
            yield from _of_problems(path)


def _of_refusals(path: Path) -> Iterator[str]:
    names = {refusal.first: refusal.name for refusal in refusals_of(path)}
    for node in ast.walk(tree_of(path)) if names else ():
        if isinstance(node, ast.Raise) and node.exc is not None and node.lineno in names:
            yield f"{names[node.lineno]}\t{_words(node.exc)}"


def _of_problems(path: Path) -> Iterator[str]:
    if _PROBLEM not in path.read_text(encoding="utf-8"):
        return
    numbers: Counter[str] = Counter()
    for function in ast.walk(tree_of(path)):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        for node in ast.walk(function):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == _PROBLEM:
                where = f"{path.relative_to(SOURCE).as_posix()} {function.name} {_PROBLEM}"
                numbers[where] += 1
                yield f"{where} {numbers[where]}\t{_words(node)}"


def _words(node: ast.AST) -> str:
    """Return the texts in an expression, in order."""
    match node:
        case ast.Constant(value=str() as text):
            return text.replace("\n", "\\n").replace("\t", "\\t")
        case ast.JoinedStr(values=parts):
            return "".join(
                _words(part) if isinstance(part, ast.Constant) else "{}" for part in parts
            )
        case _:
            inner = (_words(each) for each in ast.iter_child_nodes(node) if _is_value(each))
            return " | ".join(filter(None, inner))


def _is_value(node: ast.AST) -> bool:
    return isinstance(node, ast.expr | ast.keyword)


__all__ = ["sentences"]
