"""Hold the word list of plain English over code, user interface, report and docs.

Usage: check_words.py [--lower] [--show PATH]...
  Without an option: print what is left per package; fail when a file has more than
  scripts/wordlist-allowed.txt permits, or fewer (then run it with --lower).
  --lower  write today's counts; files may move, but the sum over all files never rises
  --show   print the line and the word of every hit in files whose path starts with PATH

Read are: identifiers, comments, docstrings and strings of backend/src, scripts and frontend/src,
the text of YAML knowledge and of Markdown. Tests are left out: they are no text for users.
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
ALLOWED = ROOT / "scripts" / "wordlist-allowed.txt"

WORDS = re.compile(
    r"(?<![a-z])(told|said|asked|stands|anew|mend(?:s|ed|ing)?|whence|spoken[ _]of|looked at \()"
    r"(?![a-z])",
    re.IGNORECASE,
)
METAPHORS = re.compile(
    r"(?<![a-z])(house|rooms|floors?|(?:a|each|every|its|own|this|which) room)(?![a-z(])",
    re.IGNORECASE,
)
PHRASES = re.compile(
    r"shows its result by itself|the root in \d|others behind it|No layer names who"
    r"|Has reserved it|They hold, and wait for nobody|looked for and not found"
    r"|nothing to be looked for|Known problems that fit|Best match|What would show it"
    r"|Would be false if|Tells apart|A miss beyond|Leave it\b|Take back\b|Make the token|Not said"
    r"|Earlier texts|Find or do|Nobody has written yet|Place the times again"
)
ONE = re.compile(r"(?:const|let)\s+\[?one\b|\bone\s*=>|\(one[,):]|\bfor one in\b")
ONE_IN_PYTHON = re.compile(r"(?<!\w)one(?!\w)")
CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

Hit = tuple[int, str]


def main(arguments: list[str]) -> int:
    """Count the hits, print them per package, and compare them with what is allowed."""
    shown = [arguments[i + 1] for i, word in enumerate(arguments) if word == "--show"]
    quoted, allowed = _allowed()
    hits = {name: found for name in _files() if (found := list(_hits(name, quoted)))}
    if shown:
        for name, found in hits.items():
            if name.startswith(tuple(shown)):
                sys.stdout.writelines(f"{name}:{line}: {word}\n" for line, word in found)
        return 0
    counts = {name: len(found) for name, found in hits.items()}
    if "--lower" in arguments and sum(counts.values()) <= sum(allowed.values()):
        _write(quoted, counts)
        allowed = counts
    _print_packages(hits)
    wrong = sorted(n for n in counts.keys() | allowed if counts.get(n, 0) != allowed.get(n, 0))
    for name in wrong:
        count, limit = counts.get(name, 0), allowed.get(name, 0)
        advice = "check_words.py --show PATH shows them" if count > limit else "run it with --lower"
        sys.stdout.write(f"{name}: {count} words of the list, allowed are {limit}: {advice}\n")
    return 1 if wrong else 0


def _files() -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, check=True, capture_output=True, text=True,
    ).stdout.splitlines()  # fmt: skip
    folders = ("backend/src/", "frontend/src/", "docs/", "scripts/", "samples/README", "README.md")
    left_out = re.compile(
        r"\.test\.|/testing/|schema\.d\.ts$|openapi\.json$|/adr/|check_words\.py$|/corpus-coverage"
        r"|/benchmarks"
    )
    endings = (".py", ".ts", ".tsx", ".md", ".yaml", ".html", ".sh", ".typ")
    return sorted(
        name
        for name in {*listed}
        if name.startswith((*folders, "CONTRIBUTING.md", "Makefile", "frontend/README.md"))
        and name.endswith((*endings, "Makefile"))
        and not left_out.search(name)
        and (ROOT / name).is_file()
    )


def _hits(name: str, quoted: list[str]) -> Iterator[Hit]:
    text = (ROOT / name).read_text(encoding="utf-8")
    for quote in quoted:
        text = text.replace(quote, "")
    if name.endswith(".py"):
        yield from _hits_of_python(text)
        return
    code = name.endswith((".ts", ".tsx"))
    fenced = False
    for number, line in enumerate(text.splitlines(), start=1):
        fenced ^= name.endswith(".md") and line.lstrip().startswith("```")
        if fenced:
            continue
        yield from ((number, word) for word in _words(CAMEL.sub("_", line) if code else line))
        if not code:
            yield from ((number, found[0]) for found in METAPHORS.finditer(line))
        yield from ((number, "one") for _ in ONE.finditer(line))


def _hits_of_python(text: str) -> Iterator[Hit]:
    for number, line in enumerate(text.splitlines(), start=1):
        yield from ((number, word) for word in _words(line))
    if METAPHORS.search(text):  # in prose only: floor is a fine name for a lower bound
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in {tokenize.COMMENT, tokenize.STRING}:
                found = METAPHORS.finditer(token.string)
                yield from ((token.start[0], metaphor[0]) for metaphor in found)
    if ONE_IN_PYTHON.search(text):
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id == "one":
                yield node.lineno, "one"
            if isinstance(node, ast.arg) and node.arg == "one":
                yield node.lineno, "one"


def _words(text: str) -> Iterator[str]:
    yield from (found[0].lower() for found in WORDS.finditer(text))
    yield from (found[0] for found in PHRASES.finditer(text))


def _print_packages(hits: dict[str, list[Hit]]) -> None:
    packages: dict[str, Counter[str]] = {}
    for name, found in hits.items():
        packages.setdefault(_package(name), Counter()).update(word for _, word in found)
    for package, words in sorted(packages.items(), key=lambda item: -item[1].total()):
        worst = ", ".join(f"{word} {count}" for word, count in words.most_common(6))
        sys.stdout.write(f"{words.total():6} {package:<36} {worst}\n")
    total = sum((words for words in packages.values()), Counter())
    sys.stdout.write(f"{total.total():6} in all\n")


def _package(name: str) -> str:
    parts = name.split("/")[:-1]
    depth = 5 if name.startswith("backend/") else 4
    return "/".join(parts[:depth]) or "the root"


def _allowed() -> tuple[list[str], dict[str, int]]:
    """Return the quoted texts that don't count, and the hits allowed per file."""
    quoted, allowed = [], {}
    for line in ALLOWED.read_text().splitlines() if ALLOWED.exists() else ():
        if line.startswith('"'):
            quoted.append(line[1:-1])
        elif line and not line.startswith("#"):
            count, name = line.split(maxsplit=1)
            allowed[name] = int(count)
    return quoted, allowed


_HEAD = """\
# What scripts/check_words.py permits.
# In quotes: text of a server or of another program, which is quoted as it is printed.
"""
_COUNTS = """\
# Words of the list that are left in a file. Their sum only falls: check_words.py --lower.
"""


def _write(quoted: list[str], counts: dict[str, int]) -> None:
    lines = [f'"{text}"\n' for text in quoted]
    lines += [_COUNTS, *(f"{count:4} {name}\n" for name, count in sorted(counts.items()) if count)]
    ALLOWED.write_text(_HEAD + "".join(lines))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
