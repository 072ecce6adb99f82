"""my.cnf: the server's option file.

Source: my_search_option_files(), mysys_ssl/my_default.cc. Groups in brackets, ``key`` or
        ``key=value``, ``-`` and ``_`` are the same in a key, ``loose_`` is a prefix, ``#`` starts a
        comment anywhere outside quotes and ``;`` only at a line's start; the last of two wins.
        The same options stand on a command line (``--max-connections=500``), in a list on one line
        and, indented, in the values of a chart.
Yields: a Setting per option in file order, so the last of a name is the one in force; of a file or
        folder that the server reads as well, the Setting ``!include`` or ``!includedir``.
Units:  values stay as written (95G): what they mean depends on the variable.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pileup.formats.errors import FormatError
from pileup.formats.tables.meanings.server_variables import HIDDEN
from pileup.records import Item, Problem, Section, Setting, Skipped

NAME = "my-cnf"
TITLE = "my.cnf option file"
GIVES = "Settings, `!include` among them; passwords are not shown."
PRINTED_BY = "any option file"
VERSION = 5
LINE_STARTS = r"[ \t]*[a-z][\w-]*[ \t]*=|\[\w+\]"
HINTS = (".cnf", "my.ini", "config-file")


_OPTION = re.compile(r"\s*(?P<key>[A-Za-z][\w.-]*)\s*(?:=(?P<value>.*))?$", re.DOTALL)
# command: --innodb-buffer-pool-size=8G --sync-binlog=1
_FLAG = re.compile(r"(?<!\S)['\"]?--(?P<key>[a-z][\w-]{2,80})=(?P<value>[^\s'\"]*)")
_LIST = re.compile(r"[,;] +(?=[a-z][\w-]{2,80} *=)")
# max_connections = 4000. Also we run with ...
_PROSE = re.compile(r"[^\s'\"]{1,40}[.;] +[A-Za-z]+ ")
_INCLUDE = re.compile(r"!(?P<how>includedir|include)\s+(?P<path>.+)$")
_KNOWN_GROUP = re.compile(
    r"^[ \t]*\[(?:mysqld|mariadbd?|server|client|mysql|galera|sst|embedded|xtrabackup|mariabackup)"
    r"[\w.-]*\][ \t\r]*$",
    re.MULTILINE,
)
# Names that only options of the server have, for a part of the file without its [group].
_SERVER_OPTION = re.compile(
    r"^[ \t]*(?:loose[-_])?(?:innodb|binlog|sync|wsrep|max|log|table|thread|sort|join|read|relay|"
    r"gtid|slave|replica|replicate|performance[-_]schema|query[-_]cache|slow[-_]query|skip|"
    r"key[-_]buffer|tmp[-_]table|server[-_]id|sql[-_]mode|long[-_]query|open[-_]files|"
    r"back[-_]log|character[-_]set|collation|transaction[-_]isolation|(?:interactive|wait|lock[-_]wait)[-_]timeout|default)"
    r"(?:[-_]\w[\w-]*)?[ \t]*(?P<set>=|$)",
    re.MULTILINE,
)
_SECRETS = re.compile(r"(?:^|_)(?:password|passwd|secret|auth_string)\d?$|^wsrep_sst_auth$")


def sniff(head: str) -> bool | None:
    """Return whether nearly all lines are options, with a group of a MySQL program among them.

    Without a group: whether an option of the server is set; None for other options.
    """
    has_group = "[" in head and bool(_KNOWN_GROUP.search(head))
    if not has_group and "=" not in head:
        return False
    lines = head.split("\n")
    filled = others = 0
    if not has_group and _are_flags(lines):
        return True
    for line in lines:
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        filled += 1
        option = _OPTION.match(_uncommented(text))
        is_prose = option and not has_group and _PROSE.match((option["value"] or "").strip())
        others += not (_group(text) or text[0] == "!" or (option and not is_prose))
        if others > 1 and 10 * others > len(lines):
            return False
    if not filled or (10 * others > filled and not (has_group and others <= 1 < filled)):
        return False
    if has_group:
        return True
    names = list(_SERVER_OPTION.finditer(head))
    if any(match["set"] for match in names) and 2 * len(names) >= filled:
        return True
    return None if "[" not in head else False


def parse(lines: Iterable[str]) -> Iterator[Item]:
    """Yield every option as a Setting, and a Problem for each that is set again to another value.

    Raises FormatError for a file without an option or an include.
    """
    group: str | None = None
    group_line = number = includes = 0
    seen: dict[tuple[str | None, str], str | None] = {}
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if not text or text[0] in "#;":
            continue
        if options := _options_of(text):
            seen |= {(group, option): setting for option, setting in options}
            yield from (_setting(number, option, setting, group) for option, setting in options)
        elif name := _group(text):
            if group is not None:
                yield Section(f"[{group}]", group_line, number - 1)
            group, group_line = name, number
        elif match := _INCLUDE.match(text):
            includes += 1
            yield _setting(number, f"!{match['how']}", match["path"].strip(), group)
        elif match := _OPTION.match(_uncommented(line)):
            name = _name(match["key"])
            value = _unquoted(match["value"]) if match["value"] is not None else None
            if _SECRETS.search(name) and value:
                value = HIDDEN
            if (group, name) in seen and (before := seen[group, name]) != value:
                yield Problem(
                    number,
                    f"{name} is set again; this value wins over the earlier one.",
                    found=f"{before} then {value}"[:200],
                )
            seen[group, name] = value
            yield _setting(number, name, value, group)
        else:
            yield Problem(
                number,
                "Not an option; it was left out.",
                expected="key or key = value",
                found=text[:200],
            )
            yield Skipped(number, number, "not an option")
    if group is not None:
        yield Section(f"[{group}]", group_line, number)
    if not seen and not includes:
        raise FormatError("No option was found: a line is 'key' or 'key = value' below a [group].")


def _are_flags(lines: list[str]) -> bool:
    """Return whether options of the server stand on few lines, as flags or as a list."""
    filled = [line for line in lines if line.strip()]
    if len(filled) > _MOST_LINES_OF_FLAGS:
        return False
    names = [name for line in filled for name, _ in _options_of(line.strip())]
    return (
        bool(names)
        and all(map(_options_of, filled))
        and all(_SERVER_OPTION.match(f"{name}=") for name in names)
    )


_MOST_LINES_OF_FLAGS = 20


def _options_of(text: str) -> list[tuple[str, str]]:
    """Return the options of a line with several, as flags or with commas between them."""
    flags = [(_name(match["key"]), match["value"]) for match in _FLAG.finditer(text)]
    if flags:
        return [(name, HIDDEN if _SECRETS.search(name) else value) for name, value in flags]
    parts = [] if '"' in text or "'" in text else _LIST.split(text)
    matches = [_OPTION.match(part) for part in parts]
    if len(parts) < _LEAST_OF_LIST or not all(match and match["value"] for match in matches):
        return []
    found = [(_name(match["key"]), _unquoted(match["value"])) for match in matches if match]
    return [(name, HIDDEN if _SECRETS.search(name) else value) for name, value in found]


_LEAST_OF_LIST = 2


def _setting(number: int, name: str, value: str | None, group: str | None) -> Setting:
    return Setting(
        line_first=number,
        line_last=number,
        name=name,
        value=value,
        source="my.cnf",
        section=group,
    )


def _group(text: str) -> str | None:
    """Return the name in [brackets] at the start of a stripped line; a comment may follow."""
    if not text.startswith("["):
        return None
    name, bracket, rest = text[1:].partition("]")
    rest = rest.lstrip()
    return name.strip() or None if bracket and (not rest or rest[0] in "#;") else None


def _name(key: str) -> str:
    return key.lower().replace("-", "_").removeprefix("loose_")


def _uncommented(line: str) -> str:
    """Return the line up to the first # that is outside quotes."""
    if "#" not in line:
        return line
    quote = ""
    previous = ""
    for at, character in enumerate(line):
        if quote:
            if character == quote and previous != "\\":
                quote = ""
        elif character in "'\"":
            quote = character
        elif character == "#":
            return line[:at]
        previous = character
    return line


def _unquoted(value: str) -> str:
    value = value.strip()
    if len(value) >= 2 and value[0] == value[-1] and value[0] in "'\"":
        return value[1:-1]
    return value
