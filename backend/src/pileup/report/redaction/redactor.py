"""Redact texts: replace passwords, SQL literals, hosts, users and addresses with tokens.

This is the only mechanism of redaction; reports, bundles, tables, comparisons and files that are
sent all use it. Finders yield spans of the unchanged text, and one pass replaces them:

passwords.py   passwords in statements and configuration: always, whatever is chosen
masked_files.py  the same in whole files, where no byte may move
statements.py  literals and comments of SQL, by its tokens
quotes.py      what servers quote in messages
account_names.py  accounts in statements about accounts
plain_redaction.py  fields and columns that hold a user, a host or a password
escapes.py     what is written as escapes, for all of them but statements
known_values.py  every value that any of these found before, wherever else it occurs

A token is made from the value with the incident's own secret key (HMAC), so a value has the same
token in every export of an incident, another one in another incident, and nobody without the key
can test values. Tokens: literal-3fa9c1, host-…, user-…, address-…. A password has the same token
as every other: password-removed. Redaction errs on the safe side. Names of tables, columns, files
and functions remain, as the report argues about them.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from ipaddress import ip_address

from pileup.report.redaction.account_names import account_spans
from pileup.report.redaction.escapes import through_escapes
from pileup.report.redaction.known_values import KnownValues, is_telling
from pileup.report.redaction.passwords import KIND as PASSWORDS
from pileup.report.redaction.passwords import password_spans
from pileup.report.redaction.quotes import quoted_spans
from pileup.report.redaction.spans import IS_TOKEN, PASSWORD_TOKEN, PUBLIC_HOSTS, Span, merged
from pileup.report.redaction.statements import Statements

KINDS = ("sql", "hosts", "users", "addresses")
"""What a profile may name."""
ALL_KINDS = (PASSWORDS, *KINDS)
"""What can be replaced: passwords always are."""

_TOKENS = {"sql": "literal", "hosts": "host", "users": "user", "addresses": "address"}

_ADDRESS = re.compile(
    r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w.]*\d)"
    r"|(?<![\w:.])[0-9a-fA-F]{0,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:])"
    r"|(?<![\w.-])ip-\d{1,3}(?:-\d{1,3}){3}(?![\w-])"
    r"|(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}"
)
_DOMAIN = re.compile(
    r"(?<![\w.@/-])(?:[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}\.){1,8}"
    r"(?:internal|intranet|local|lan|corp|com|net|org)(?:\.[a-z][a-z0-9-]{1,62}){0,4}\b(?![\w(-])"
    r"|(?<![\w.@/-])(?:[a-zA-Z0-9_][a-zA-Z0-9_-]{0,62}\.){2,8}"
    r"(?:cloud|io|dev|eu|de|uk|fr|us)\b(?![\w(-])"
)
_USER_AT = re.compile(
    r"(?P<mark>['`\"])(?P<quoted>[^'`\"\n]{1,80})(?P=mark)@(?P<other>['`\"])"
    r"(?P<host>[^'`\"\n]{0,255})(?P=other)"
    r"|(?<=')(?P<user>[\w.$-]{1,80})@(?P<at>[\w.%-]{1,255})(?=[':])"
    r"|(?P<slow>(?:(?<=User@Host: )|(?<![^\s\"'=>]))[^\s\[\"'=]{1,80})"
    r"\[(?P<inner>[^\]\n]{0,80})\](?=\s{0,4}@)"
    r"(?:\s{0,4}@\s{1,4}(?P<from>[\w.-]{1,255})(?=\s))?"
    r"|(?<=\buser[ =:])(?P<named>'[^'\n]{1,80}'|`[^`\n]{1,80}`)"
)
_LABEL = r"(?<![A-Za-z])(?:[A-Za-z]{{1,40}}[_-]){{0,6}}(?:{})[\"']?[ \t]*[:=][ \t]*[\"']?"
_LABELLED_USER = re.compile(
    _LABEL.format("user|user_?name") + r"(?P<name>(?=[\w.$-]*[A-Za-z])[\w.$-]{2,80})", re.IGNORECASE
)
_LABELLED_HOST = re.compile(
    _LABEL.format("host|host_?name") + r"(?P<name>(?=[\w.-]*[A-Za-z])[\w.-]{2,255})", re.IGNORECASE
)
_ROWS = re.compile(
    r"^(?:\|[ ]*\d+[ ]*\|[ ]*(?P<user1>[^|\n]{1,80}?)[ ]*\|[ ]*(?P<host1>[^|\n:]{1,255}):\d+[ ]*\|"
    r"|[^\t\n]{0,60}\t[ ]*\d+ Connect\t(?P<user4>[^@\s]{1,80})@(?P<host5>[\w.-]{1,255})"
    r"|\d+\t(?P<user2>[^\t\n]{1,80})\t(?P<host2>[^\t\n:]{1,255}):\d+\t"
    r"|\d{8} \d\d:\d\d:\d\d,(?P<host3>[^,\n]{1,255}),"
    r"(?P<user3>[^,\n]{0,80}),(?P<host4>[^,\n]{0,255}),\d+,\d+,)",
    re.MULTILINE,
)
"""Rows of a processlist, and of the audit log of MariaDB."""
_CLIENT = (
    r"(?:^|[\s/\"'\[])(?:mysql|mariadb|xtrabackup|percona|innobackupex|pt-|mydumper|myloader|mytop)"
)
_OPTIONS = re.compile(
    rf"{_CLIENT}[^\n]{{0,400}}?[\s\"'](?:-u[ ]?(?P<user>[\w.$-]{{2,80}})"
    r"|-h[ ]?(?P<host>[\w.-]{2,255}))"
    r"(?:[^\n]{0,200}?[\s\"'](?:-u[ ]?(?P<user1>[\w.$-]{2,80})|-h[ ]?(?P<host1>[\w.-]{2,255})))?",
    re.MULTILINE,
)
_DSN = re.compile(r"(?<![\w=])(?:[A-Za-z]=[^,\s'\"]{0,100},){1,12}[A-Za-z]=[^,\s'\"]{1,100}")
_DSN_PART = re.compile(r"(?:^|,)(?:u=(?P<user>[^,]+)|h=(?P<host>[^,]+))")
_AUTH = re.compile(
    r"(?:sst_auth[\"']?\s{0,9}[=:]\s{0,9}|--auth[ =])[\"']?(?P<user>[\w.$-]{2,80})(?=:)"
)
"""Users and hosts in options of clients, in addresses of the Percona Toolkit, and of transfers."""
_OF_ADDRESS = re.compile(
    r"(?<=://)(?:(?P<user>[\w.%+-]{1,80})(?::[^\s/@]{0,200})?@)?(?P<host>[\w-]{1,63}(?:\.[\w-]{1,63}){0,8})"
)
_SYSLOG = re.compile(
    r"^(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d|\d{4}-\d\d-\d\dT[\d:.+Z-]{8,32}) "
    r"(?P<name>[\w.-]{2,255}) "
    r"[\w./()-]{1,80}(?:\[\d+\])?: ",
    re.MULTILINE,
)
"""A host in front of the program, as syslog and journald write it."""
_ISSUER = r"(?=4|5[1-5]|2[2-7]|3[0-689]|6[0-9])"
_CARD = re.compile(
    rf"(?<![\w.-]){_ISSUER}(?:\d{{4}}(?P<sign>[ -])\d{{4}}(?P=sign)\d{{4}}(?P=sign)\d{{4}}"
    r"|\d{4}[ -]\d{6}[ -]\d{4,5}|\d{14,16})(?![\w-])"
)
"""As issuers number and group them; other long numbers are handles, counters and times."""
_IBAN = re.compile(r"(?<![\w.-])[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?![\w-])")
_QUERY_ID = re.compile(r"(?<=query id )\d+ (\S{1,255}) (?:((?:\d{1,3}\.){3}\d{1,3}) )?(\S{1,80})")


@dataclass(frozen=True, slots=True)
class Replaced:
    """One replaced value, for the preview."""

    kind: str
    value: str
    token: str
    occurrences: int


class Redactor:
    """Replaces values and records them for the preview and the report's redaction section."""

    def __init__(
        self,
        kinds: Collection[str],
        key: bytes,
        known: KnownValues | None = None,
        *,
        in_place: bool = False,
    ) -> None:
        """Choose the kinds; ``in_place`` masks passwords with as many bytes, so no place moves."""
        unknown = sorted(set(kinds) - set(KINDS))
        if unknown:
            raise ValueError(f"no kind of redaction {unknown[0]!r}; there are: {', '.join(KINDS)}")
        self.kinds = tuple(kind for kind in ALL_KINDS if kind in kinds or kind == PASSWORDS)
        self.known = known or KnownValues()
        self._key = key
        self._in_place = in_place
        self._seen: Counter[tuple[str, str]] = Counter()

    @property
    def only_passwords(self) -> bool:
        """Whether nobody chose a kind: only passwords are removed."""
        return self.kinds == (PASSWORDS,)

    def text(
        self,
        text: str,
        *,
        raw: bool = False,
        inside: bool = False,
        count: bool = True,
        encoding: str = "utf-8",
    ) -> str:
        """Redact one text.

        raw: lines of a file, where a statement may span several lines.
        inside: the text begins within a statement.
        count: whether replacements count for the preview.
        encoding: of the file that the text is from; what is masked in place keeps its bytes.
        """
        spans = self._spans(text, raw=raw, inside=inside)
        return self._replaced(text, spans, count=count, encoding=encoding)

    def _replaced(
        self, text: str, spans: Iterable[Span], *, count: bool = True, encoding: str = "utf-8"
    ) -> str:
        out: list[str] = []
        at = 0
        for span in merged(spans):
            if IS_TOKEN.fullmatch(span.value):
                continue
            token = self._token(span.kind, span.value, count=count)
            if self._in_place and span.kind == PASSWORDS:
                # Where spans overlap it is wider than the value.
                token = mask(text[span.start : span.end], encoding)
            out += (text[at : span.start], span.before, token, span.after)
            at = span.end
        out.append(text[at:])
        return "".join(out)

    def learn(self, text: str, *, raw: bool = False, inside: bool = False) -> None:
        """Add the values of a text to the table of known values."""
        for span in self._spans(text, raw=raw, inside=inside):
            if not IS_TOKEN.search(span.value):
                self.known.add(span.kind, (span.value,))

    def name(self, kind: str, value: str) -> str:
        """Redact a value that is known to be a host, a user or an address."""
        if kind not in self.kinds or value in PUBLIC_HOSTS or IS_TOKEN.fullmatch(value):
            return value
        return self._token(kind, value, count=True)

    def identifier(self, value: str) -> str:
        """Redact what this program made of other values: only known ones are in it."""
        return self._replaced(value, (s for s in self.known.find(value) if s.kind in self.kinds))

    def values_of(self, text: str) -> str:
        """Return a text with the known values in place of their tokens, as far as they are known.

        For what a reader of redacted answers sends back.
        """
        wanted = set(IS_TOKEN.findall(text)) - {PASSWORD_TOKEN}
        for kind, value in self.known.items() if wanted else ():
            token = self._make(kind, value)
            if kind != PASSWORDS and token in wanted:
                text = text.replace(token, value)
                wanted.remove(token)
        return text

    def password(self, value: str) -> str:
        """Replace a value that is known to be a password."""
        return self._token(PASSWORDS, value, count=True)

    def replaced(self) -> list[Replaced]:
        """List every replaced value so far, per kind, the most frequent first."""
        rows = [
            Replaced(kind, value, self._make(kind, value), count)
            for (kind, value), count in self._seen.items()
        ]
        return sorted(rows, key=lambda r: (ALL_KINDS.index(r.kind), -r.occurrences, r.value))

    def leaks(self, text: str) -> Iterator[Span]:
        """Yield the passwords and the known values of the chosen kinds that a text holds."""
        yield from (span for span in password_spans(text) if not IS_TOKEN.fullmatch(span.value))
        yield from (span for span in self.known.find(text) if span.kind in self.kinds)

    def _spans(self, text: str, *, raw: bool, inside: bool) -> Iterator[Span]:
        """Yield the spans of the chosen kinds; of two at one place the first counts."""
        yield from password_spans(text)
        if "users" in self.kinds or "hosts" in self.kinds:
            yield from through_escapes(text, self._names)
        if "sql" in self.kinds:
            statements = Statements(text, raw=raw, inside=inside)
            yield from statements.spans
            yield from quoted_spans(text, statements.regions, raw=raw)
            yield from _cards(text)
            yield from _accounts(text)
        if "addresses" in self.kinds:
            yield from through_escapes(text, _addresses)
        yield from (span for span in self.known.find(text) if span.kind in self.kinds)
        if "hosts" in self.kinds:
            for match in _DOMAIN.finditer(text):
                yield Span(match.start(), match.end(), "hosts", match[0])

    def _names(self, text: str) -> Iterator[Span]:
        """Yield the users and hosts that the text around them marks as such."""
        for match in _USER_AT.finditer(text):
            for group in ("quoted", "slow", "inner", "named", "user"):
                if "users" in self.kinds and match[group]:
                    start, end = match.span(group)
                    quoted = 1 if group == "named" else 0
                    yield Span(
                        start + quoted, end - quoted, "users", text[start + quoted : end - quoted]
                    )
            for group in ("host", "at", "from"):
                if "hosts" in self.kinds and _is_name(match[group]):
                    yield Span(*match.span(group), "hosts", match[group])
        yield from self._labelled(text)
        for span in account_spans(text):
            if span.kind in self.kinds and (span.kind == "users" or not is_address(span.value)):
                yield span
        for match in _QUERY_ID.finditer(text):  # 'query id 42 db-7 10.0.0.7 shop updating'
            host = match[1]
            alone = host.lower() in ("localhost", "event") and match[2] is None
            if "hosts" in self.kinds and not alone and _is_name(host):
                yield Span(*match.span(1), "hosts", host)
            if "users" in self.kinds:
                yield Span(*match.span(3), "users", match[3])

    def _labelled(self, text: str) -> Iterator[Span]:
        """Yield the users and hosts that a label, an address or syslog names."""
        for kind, patterns in (
            ("users", (_LABELLED_USER,)),
            ("hosts", (_LABELLED_HOST, _SYSLOG)),
        ):
            for pattern in patterns if kind in self.kinds else ():
                for match in pattern.finditer(text):
                    if is_telling(kind, match["name"]) and not is_address(match["name"]):
                        yield Span(*match.span("name"), kind, match["name"])
        for pattern in (_OF_ADDRESS, _ROWS, _OPTIONS, _AUTH):
            for match in pattern.finditer(text):
                yield from self._groups(match, 0)
        for dsn in _DSN.finditer(text):
            for match in _DSN_PART.finditer(dsn[0]):
                yield from self._groups(match, dsn.start())

    def _groups(self, match: re.Match[str], offset: int) -> Iterator[Span]:
        """Yield what the groups of a match, named like their kinds, hold."""
        for group, value in match.groupdict().items():
            kind = f"{group.rstrip('12345')}s"
            if kind in self.kinds and value and _is_name(value):
                start, end = match.span(group)
                yield Span(start + offset, end + offset, kind, value)

    def _token(self, kind: str, value: str, *, count: bool) -> str:
        if count:
            self._seen[kind, value] += 1
        return self._make(kind, value)

    def _make(self, kind: str, value: str) -> str:
        if kind == PASSWORDS:
            return mask(value) if self._in_place else PASSWORD_TOKEN
        mark = hmac.new(self._key, f"{kind}\0{value}".encode(), hashlib.sha256).hexdigest()
        return f"{_TOKENS[kind]}-{mark[:6]}"


def mask(value: str, encoding: str = "utf-8") -> str:
    """Return asterisks that have as many bytes as the value in this encoding; line ends stay."""
    parts = re.split(r"([\r\n]+)", value)
    width = len("*".encode(encoding))
    return "".join(
        part if number % 2 else "*" * (len(part.encode(encoding, "replace")) // width)
        for number, part in enumerate(parts)
    )


def _addresses(text: str) -> Iterator[Span]:
    for match in _ADDRESS.finditer(text):
        if (
            match[0][0] == "i"
            or "@" in match[0]
            or (is_address(match[0]) and match[0] not in PUBLIC_HOSTS)
        ):
            yield Span(match.start(), match.end(), "addresses", match[0])


def _accounts(text: str) -> Iterator[Span]:
    """Yield numbers of bank accounts (IBAN) whose check digits are right."""
    for match in _IBAN.finditer(text):
        plain = match[0].replace(" ", "")
        if int("".join(str(int(letter, 36)) for letter in plain[4:] + plain[:4])) % 97 == 1:
            yield Span(match.start(), match.end(), "sql", match[0])


def _cards(text: str) -> Iterator[Span]:
    """Yield numbers of cards whose check digit is right."""
    for match in _CARD.finditer(text):
        digits = [int(letter) for letter in match[0] if letter.isdigit()]
        doubled = [sum(divmod(2 * digit, 10)) for digit in digits[-2::-2]]
        if (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0 and len(set(digits)) > 1:
            yield Span(match.start(), match.end(), "sql", match[0])


def _is_name(value: str | None) -> bool:
    return bool(value) and value not in PUBLIC_HOSTS and not is_address(value or "")


def is_address(value: str) -> bool:
    """Return whether a text is an IP address, and no time or name of C++."""
    if value.count(":") == 2 and "::" not in value:
        return False  # 22:19:49 is a time
    if ":" in value and not re.search(r"\d", value):
        return False  # dead::beef is more likely C++
    try:
        ip_address(value)
    except ValueError:
        return False
    return True
