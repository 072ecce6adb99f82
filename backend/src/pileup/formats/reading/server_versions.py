"""Find the version of the server in a text of any format: banners, headers, paths of its build.

Source: mysqld's start (Version: '...'), its --version (Ver; a client prints its own), 'Server
        version' of the client, of mysqldump and of the crash handler; file names that a server
        prints from where it was built (.../mysql-5.6.34/storage/innobase/...); mysqld_exporter's
        mysql_version_info.
Yields: Settings ``version``, and ``version_comment`` where the name of the build is another one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.records import Setting

BANNER, BUILD_PATH, PROSE = "banner", "build path", "text"
"""Sources of these settings: what the server prints of itself, where it was compiled, and what a
person wrote."""

_NUMBER = r"\d{1,2}\.\d{1,2}\.\d{1,3}"
_TAIL = r"(?:[-~+][\w.~+]{1,40}){0,6}"
_PRINTED = re.compile(
    rf"(?:Version: ['\"]?|\bmysqld(?:\.exe)? +Ver |\bmariadbd +Ver |"
    rf"[Ss]erver version[: \t]{{1,20}}|\((?:mysqld|mariadbd|server) |version=\"){_NUMBER}{_TAIL}"
)
_VERSION = re.compile(rf"{_NUMBER}{_TAIL}$")
_BUILT = re.compile(
    rf"(?P<name>mysql(?:-community|-commercial|-advanced)?|mariadb|percona-server|"
    rf"percona-xtradb-cluster)-(?P<version>{_NUMBER}(?:-(?:rel)?\d[\d.]{{0,6}})?)"
    rf"[\w.+~-]{{0,80}}/(?:[\w.+~-]{{1,80}}/){{0,4}}?"
    rf"(?:storage|sql|mysys|vio|plugin|libmysqld|bin/mysqld|bin/mariadbd|sbin)\b",
    re.IGNORECASE,
)
# MySQL 5.7.34    Percona Server version: 8.0.33-25
_NAMED = re.compile(
    rf"(?<![\w/.-])(?P<name>MySQL|MariaDB|Percona Server|Percona XtraDB Cluster)\b"
    rf"[^\w\n]{{0,6}}(?:(?:Server|version)[^\w\n]{{0,6}}){{0,2}}(?P<version>{_NUMBER}{_TAIL})"
    rf"(?![\w/:-]|\.\d)",
    re.IGNORECASE,
)
# 10.4.8-MariaDB    5.6.26-74.0: a line of its own
_OF_MARIADB = ("10.", "11.", "12.")
_BARE = re.compile(
    rf"^[ \t]*v?(?P<version>(?:5\.[0-7]|8\.[0-4]|9\.\d|1[0-2]\.\d{{1,2}})\.\d{{1,3}}{_TAIL})"
    r"[ \t]*\r?$",
    re.MULTILINE,
)
# We run 5.6.33 here, innodb_adaptive_hash_index is ON: of the server, if no other program is named
_IN_WORDS = re.compile(
    r"(?:(?<!\w)(?P<of>[A-Za-z][\w+#-]{0,30})[ (:,]{1,3}(?:version |v)?|(?<![\w./:@+=\"'-])v?)"
    r"(?P<version>5\.[1567]\.\d{1,2}|8\.0\.[1-4]\d|8\.4\.\d)(?![\w/:-]|\.\d)"
)
_OF_SERVER = re.compile(
    r"(?i)(?:a|at|from|have|in|innodb|is|mysqld?|on|percona|rds|run|running|server|the|to|using|use"
    r"|version|we|with)$"
)
_SERVER = re.compile(r"(?i)\b(?:mysqld?|innodb|[a-z]{2,4}0[a-z]{2,8}\.(?:cc|ic|c) )")
"""Its name, or a source file of InnoDB's: 'btr0sea.cc line 1111'."""
_EXPORTER = "mysql_version_info"
_MAY = ("Version: ", " Ver ", "erver version", "(mysqld ", "(mariadbd ", "(server ", 'version="')
_MAY_PATH = ("ysql-", "ariadb-", "ariaDB-", "ercona-")
_COMMENTS = {"percona-server": "Percona Server", "percona-xtradb-cluster": "Percona XtraDB Cluster"}


def find_versions(text: str, first_line: int = 1) -> Iterator[Setting]:
    """Yield the first version that a text prints, else the first that a path of its build has."""
    if any(sign in text for sign in _MAY):
        for match in _PRINTED.finditer(text):
            before = match[0]
            if before.startswith("version=") and _EXPORTER not in _line_of(text, match.start()):
                continue
            version = _VERSION.search(before)
            if version:
                yield _setting(text, match.start(), first_line, "version", version[0], BANNER)
                return
    if any(sign in text for sign in _MAY_PATH) and (path := _BUILT.search(text)):
        name, version_text = path["name"].lower(), path["version"]
        if name == "mariadb":
            version_text = f"{version_text}-MariaDB"
        at = path.start()
        yield _setting(text, at, first_line, "version", version_text, BUILD_PATH)
        if comment := _COMMENTS.get(name):
            yield _setting(text, at, first_line, "version_comment", comment, BUILD_PATH)


def find_named_version(text: str) -> Iterator[Setting]:
    """Yield the version that prose names, if it names one only: 'MariaDB 10.6.12'.

    Without any such name, a line that is a release: '5.7.22-log', or a release of MySQL's in a
    sentence that names no other program.
    """
    named = {(match["name"].lower(), match["version"]): match for match in _NAMED.finditer(text)}
    named = named or {("", match["version"]): match for match in _BARE.finditer(text)}
    if not named and _SERVER.search(text):
        named = {("", match["version"]): match for match in _IN_WORDS.finditer(text)}
        if any(match["of"] and not _OF_SERVER.match(match["of"]) for match in named.values()):
            return
    if len(named) != 1:
        return
    ((name, version),) = named
    is_mariadb = name == "mariadb" or version[:3] in _OF_MARIADB
    if is_mariadb and "mariadb" not in version.lower():
        version = f"{version}-MariaDB"
    at = next(iter(named.values())).start()
    yield _setting(text, at, 1, "version", version, PROSE)
    if comment := _COMMENTS.get(name.replace(" ", "-")):
        yield _setting(text, at, 1, "version_comment", comment, PROSE)


def _line_of(text: str, at: int) -> str:
    return text[text.rfind("\n", 0, at) + 1 : at]


def _setting(text: str, at: int, first: int, name: str, value: str, source: str) -> Setting:
    line = first + text.count("\n", 0, at)
    return Setting(line_first=line, line_last=line, name=name, value=value, source=source)


__all__ = ["BANNER", "BUILD_PATH", "PROSE", "find_named_version", "find_versions"]
