"""Redact texts: replace SQL literals, hosts, users and addresses with tokens, one per value.

Pure: text in, text out. A token is made from the value with the incident's own secret key (HMAC),
so a value has the same token in every export of an incident, another token in another incident,
and nobody without the key can test values. Tokens: literal-3fa9c1, host-…, user-…, address-….

Redaction errs on the safe side: inside an SQL statement it replaces every quoted string and number,
and the column values of row-lock dumps. Names of tables, columns, files and functions remain, as
the report argues about them.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from ipaddress import ip_address

KINDS = ("sql", "hosts", "users", "addresses")
"""What a profile may name."""

_TOKENS = {"sql": "literal", "hosts": "host", "users": "user", "addresses": "address"}
_WORDS = frozenset(
    [
        "root",
        "admin",
        "administrator",
        "user",
        "users",
        "test",
        "mysql",
        "mariadb",
        "percona",
        "postgres",
        "system",
        "event_scheduler",
        "monitor",
        "monitoring",
        "backup",
        "replica",
        "replication",
        "slave",
        "master",
        "app",
        "api",
        "web",
        "worker",
        "workers",
        "job",
        "jobs",
        "db",
        "data",
        "server",
        "client",
        "host",
        "localhost",
        "unknown",
        "none",
        "null",
        "service",
        "agent",
        "cron",
        "queue",
        "main",
        "prod",
        "production",
        "staging",
        "primary",
        "secondary",
        "thread",
        "threads",
        "lock",
        "locks",
        "latch",
        "table",
    ]
)
"""Names that are also report words: replaced only where the context marks them as a name."""

# ---- where an SQL statement begins and ends; every pattern is linear in its text -----------------
_BEGIN = re.compile(
    r"\b(?:select\b(?=[^;\n]{0,400}?\bfrom\b|\s+(?:sleep|@@|count|sql_|distinct|/\*|['\"\d@]))"
    r"|insert\s+(?:ignore\s+|delayed\s+|low_priority\s+)*into\b|replace\s+into\b"
    r"|update\s+[`\w.]+(?:\s+(?:as\s+)?\w+)?\s+set\b|delete\s+from\b|call\s+[`\w.]+\s*\("
    r"|alter\s+table\b|create\s+table\b|load\s+data\b|set\s+(?:global\s+|session\s+)?@?\w+\s*="
    r"|where\s+[`\w.]+\s*(?:=|<|>|in\b|like\b|between\b)|with\s+\w+\s+as\s*\(|values\s*\()",
    re.IGNORECASE,
)
_END = re.compile(
    r";|\n\s*\n|\n(?=-{3,}|\*{3,}|TABLE LOCK|RECORD LOCKS?|(?:MySQL|MariaDB) thread|Trx |LOCK WAIT|"
    r"mysql tables in use|---TRANSACTION|# (?:Time|User@Host|Query_time)|Thread \d+|#\d+ )"
)
_END_OF_LINE = re.compile(r"[;\n]")
_LITERAL = re.compile(
    r"'(?:[^'\\\n]|\\.|'')*'?|\"(?:[^\"\\\n]|\\.|\"\")*\"?|\b0x[0-9a-fA-F]+\b"
    r"|(?<![\w.`$@-])-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.`])"
)
_ROW_VALUE = re.compile(r"(?<=hex )[0-9a-f]+(?=;)|(?<=asc )[^;\n]+(?=;)")

_ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)"
    r"|(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
_DOMAIN = re.compile(
    r"(?<![\w.@/-])(?:[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}\.){1,8}"
    r"(?:internal|intranet|local|lan|corp|com|net|org)\b(?![\w(-])"
    r"|(?<![\w.@/-])(?:[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}\.){2,8}"
    r"(?:cloud|io|dev|eu|de|uk|fr|us)\b(?![\w(-])"
)
_USER_AT = re.compile(
    r"'(?P<quoted>[^'\n]{1,80})'@'(?P<host>[^'\n]{0,255})'"
    r"|(?P<slow>(?<=User@Host: )[^\s\[]{1,80})\[(?P<inner>[^\]\n]{0,80})\]"
    r"|(?<=\buser[ =:])(?P<named>'[^'\n]{1,80}'|`[^`\n]{1,80}`)"
)
_QUERY_ID = re.compile(r"(?<=query id )(\d+ )(\S{1,255}) (?:((?:\d{1,3}\.){3}\d{1,3}) )?(\S{1,80})")
_PUBLIC_HOSTS = {"localhost", "%", "", "-", "::1", "127.0.0.1", "0.0.0.0"}  # noqa: S104  (not bound)


@dataclass(frozen=True, slots=True)
class Known:
    """Names from the artifacts: whole words of the text that equal a name are replaced."""

    hosts: frozenset[str] = frozenset()
    users: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Replaced:
    """One replaced value, for the preview."""

    kind: str
    value: str
    token: str
    occurrences: int


class Redactor:
    """Replaces values and records them for the preview and the report's redaction section."""

    def __init__(self, kinds: Collection[str], key: bytes, known: Known | None = None) -> None:
        unknown = sorted(set(kinds) - set(KINDS))
        if unknown:
            raise ValueError(f"no kind of redaction {unknown[0]!r}; there are: {', '.join(KINDS)}")
        self.kinds = tuple(kind for kind in KINDS if kind in kinds)
        self._key = key
        self._seen: Counter[tuple[str, str]] = Counter()
        self._counting = True
        known = known or Known()
        self._hosts = _names({h for h in known.hosts if h not in _PUBLIC_HOSTS})
        self._users = _names({u for u in known.users if u.lower() not in _WORDS})

    def text(self, text: str, *, raw: bool = False, count: bool = True) -> str:
        """Redact one text; ``raw``: lines of a file, where a statement may span several lines.

        ``count`` False: replacements do not count for the preview.
        """
        self._counting = count
        if "sql" in self.kinds:
            text = self._statements(text, _END if raw else _END_OF_LINE)
        if "users" in self.kinds:
            text = _USER_AT.sub(self._user_at, text)
            text = _QUERY_ID.sub(self._query_id, text)
            if self._users:
                text = self._users.sub(lambda m: self._token("users", m[0]), text)
        if "addresses" in self.kinds:
            text = _ADDRESS.sub(self._address, text)
        if "hosts" in self.kinds:
            if self._hosts:
                text = self._hosts.sub(lambda m: self._token("hosts", m[0]), text)
            text = _DOMAIN.sub(lambda m: self._token("hosts", m[0]), text)
        return text

    def name(self, kind: str, value: str) -> str:
        """Redact a value that is known to be a host, a user or an address."""
        return self._token(kind, value) if kind in self.kinds else value

    def replaced(self) -> list[Replaced]:
        """List every replaced value so far, per kind, the most frequent first."""
        rows = [
            Replaced(kind, value, self._make(kind, value), count)
            for (kind, value), count in self._seen.items()
        ]
        return sorted(rows, key=lambda r: (KINDS.index(r.kind), -r.occurrences, r.value))

    def _statements(self, text: str, ending: re.Pattern[str]) -> str:
        """Redact literals inside statements; a statement ends at ; or at the dump's next entry."""
        out: list[str] = []
        at = 0
        while (begin := _BEGIN.search(text, at)) is not None:
            stop = ending.search(text, begin.end())
            end = stop.start() if stop else len(text)
            out.append(text[at : begin.start()])
            out.append(_LITERAL.sub(self._literal, text[begin.start() : end]))
            at = end
        out.append(text[at:])
        return _ROW_VALUE.sub(self._literal, "".join(out))

    def _literal(self, match: re.Match[str]) -> str:
        value = match[0]
        if value in ("0", "1", "''", '""') or _IS_TOKEN.fullmatch(value.strip("'\"")):
            return value  # too common to identify anything, or already redacted
        quote = value[0] if value[0] in "'\"" else ""
        return quote + self._token("sql", value.strip("'\"") or value) + quote

    def _user_at(self, match: re.Match[str]) -> str:
        if match["quoted"] is not None:
            host = match["host"]
            shown = self._token("hosts", host) if "hosts" in self.kinds else host
            if host in _PUBLIC_HOSTS or "sql" in _kind_of(host) or _is_address(host):
                shown = host
            return f"'{self._token('users', match['quoted'])}'@'{shown}'"
        if match["slow"] is not None:
            return f"{self._token('users', match['slow'])}[{self._token('users', match['inner'])}]"
        text = match["named"]
        return text[0] + self._token("users", text[1:-1]) + text[-1]

    def _query_id(self, match: re.Match[str]) -> str:
        """Redact host, address and user in 'query id 42 db-7 10.0.0.7 shop updating'."""
        number, host, address, user = match.groups()
        if host.lower() in ("localhost", "event") and address is None:
            return f"{number}{host} {self._token('users', user)}"
        shown = host
        if not _is_address(host) and "hosts" in self.kinds:
            shown = self._token("hosts", host)
        middle = f"{address} " if address else ""
        return f"{number}{shown} {middle}{self._token('users', user)}"

    def _address(self, match: re.Match[str]) -> str:
        value = match[0]
        if "@" not in value and (not _is_address(value) or value in _PUBLIC_HOSTS):
            return value
        return self._token("addresses", value)

    def _token(self, kind: str, value: str) -> str:
        if not value or _IS_TOKEN.fullmatch(value):
            return value
        if self._counting:
            self._seen[kind, value] += 1
        return self._make(kind, value)

    def _make(self, kind: str, value: str) -> str:
        mark = hmac.new(self._key, f"{kind}\0{value}".encode(), hashlib.sha256).hexdigest()
        return f"{_TOKENS[kind]}-{mark[:6]}"


_IS_TOKEN = re.compile(r"(?:literal|host|user|address)-[0-9a-f]{6}")


def _kind_of(value: str) -> tuple[str, ...]:
    return ("sql",) if value.startswith("literal-") else ()


def _is_address(value: str) -> bool:
    if value.count(":") == 2 and "::" not in value:
        return False  # 22:19:49 is a time
    if ":" in value and not re.search(r"\d", value):
        return False  # dead::beef is more likely C++
    try:
        ip_address(value)
    except ValueError:
        return False
    return True


def _names(names: set[str]) -> re.Pattern[str] | None:
    """Build a pattern for any of the names as a whole word, the longest first."""
    long = sorted((name for name in names if len(name) >= 3), key=lambda name: (-len(name), name))
    if not long:
        return None
    return re.compile(r"(?<![\w-])(?:" + "|".join(map(re.escape, long)) + r")(?![\w-])")
