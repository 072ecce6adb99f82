"""Find passwords in statements and configuration: they leave no installation, redacted or not.

A value counts as a password because of what is in front of it: a name whose last word is one of
``_NAMES`` (``master_password = …``, ``"api_key": …``, ``--password=…``), a clause of SQL
(``IDENTIFIED BY '…'``), an address with a user (``mysql://user:…@host``), or ``-p`` of a client.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from pileup.report.redaction.spans import IS_TOKEN, Span

KIND = "passwords"

_MARKS = (
    *("pass", "pwd", "secret", "token", "identified", "apikey", "api_key", "api-key"),
    *("accesskey", "access_key", "access-key", "privatekey", "private_key", "private-key"),
    *("wsrep_sst_auth", "://", "encryptkey", "encrypt_key", "encrypt-key", "encryptionkey"),
    *(
        "encryption_key",
        "encryption-key",
        "encode (",
        "decode (",
        "_encrypt",
        "_decrypt",
        "encode(",
        "decode(",
    ),
    *("credential", "authorization", "authentication_string", "authentication-string"),
    *(
        "connect(",
        "connect (",
        "connection(",
        "connection (",
        "pdo(",
        "pdo (",
        "mysqli(",
        "mysqli (",
    ),
    *("@tcp(", "@unix(", " -p", "\t-p", "\n-p"),
)
"""What marks a password, in small letters: a text without any of these holds none."""
_REACH = 500
_FAR = 4096
"""Characters behind a mark within which its password begins; and behind the name of a function
that encrypts, whose first argument may be long."""
_NAMES = (
    r"(?:password|passwd|passphrase|passwort|pwd|pass|secret|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|encrypt(?:ion)?[_-]?key|token|"
    r"wsrep_sst_auth|credentials?|authentication[_-]string)"
)
_VALUE = (
    r"(?:'(?P<single{0}>(?:[^'\\\n]|\\.|'')*)(?:'|(?=\n)|$)"
    r"|\\?\"(?P<double{0}>(?:[^\"\\\n]|\\.|\"\")*)(?:\"|(?=\n)|$)"
    r"|[‘“„‚«‹＇＂](?P<curly{0}>[^’”»›＇＂\n]*)"
    r"|(?P<bare{0}>[^\s'\"|,;)\]}}]+))"
)


def _pattern(before: str, number: int) -> re.Pattern[str]:
    return re.compile(before + _VALUE.format(number), re.IGNORECASE)


_PATTERNS = (
    # name = value, name: value, "name": "value", | name | value |, --name value
    _pattern(
        rf"(?<![^\W_]){_NAMES}\b[\"'`]?[ \t]*(?:=>|:=|[=:|]|\t|,(?=[\"'])|[ ]{{2,}})[ \t]*", 1
    ),
    _pattern(rf"--[\w-]*{_NAMES}[ \t]+(?!-)", 2),
    # SQL
    _pattern(
        r"\bidentified\s+(?:with\s+\S{1,80}\s+|via\s+\S{1,80}\s+)?(?:by|as|using)\s+"
        r"(?:password\s*\(?\s*)?",
        3,
    ),
    _pattern(r"\b(?:old_)?password\s*\(\s*", 4),
    _pattern(r"\bset\s+password\b[^;=\n]{0,400}?(?:=|\bto\b)\s*(?:(?:old_)?password\s*\(\s*)?", 5),
    _pattern(r"\breplace\s+(?=')", 6),
    _pattern(
        r"(?:^|\s)(?:mysql|mariadb|mysqldump|mysqladmin|xtrabackup|percona)\w*"
        r"[^\n]{0,300}?\s-p(?=\S)",
        7,
    ),
    _pattern(rf"(?<![^\W_]){_NAMES}[ \t]+(?=['\"])", 8),  # OPTIONS (USER 'a', PASSWORD 'b')
    _pattern(r"\bauthorization[\"']?[ \t]*[:=][ \t]*[\"']?(?:bearer|basic|token)[ \t]+", 9),
    # host, user, password of a program
    _pattern(
        r"\b(?:mysqli?(?:_p?connect)?|PDO|getConnection|connect)\s*\(\s*"
        r"(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\")\s*,\s*(?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\")\s*,"
        r"\s*(?=['\"])",
        10,
    ),
)
_NAME = re.compile(
    r"(?!com_|mysql_(?:native|old|clear)_password|(?:caching_)?sha\d+_password)"
    rf"[\w.\-]*(?<![^\W_]){_NAMES}",
    re.IGNORECASE,
)
"""A name whose last word is one of ``_NAMES``, but no counter of statements and no plugin."""
_LONGEST_NAME = 200
_ARGUMENT = r"[^()'\"]|'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\""
_AES = re.compile(
    rf"\b(?:(?:aes|des)_(?:en|de)crypt|encode|decode)\s*\((?:{_ARGUMENT}|\((?:{_ARGUMENT}){{0,100}}\)){{0,400}}?,"
    r"\s*(?P<quote>['\"])(?P<value>(?:[^'\"\\]|\\.)+)(?P=quote)",
    re.IGNORECASE,
)
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{0,100}:(?P<value>[^\s/@'\"]{1,200})@"
)
_DSN = re.compile(r"(?<![\w/])[\w.$-]{1,80}:(?P<value>[^\s:/@'\"]{1,200})@(?:tcp|unix)\(")
"""An address as Go writes it."""
_LINE = re.compile(
    rf"^[ \t]*[\w.-]{{0,80}}?(?<![^\W_]){_NAMES}[ \t]*=[ \t]*"
    r"(?P<value>[^\s'\"|,;)\]}][^\n#|,;]*[^\s#|,;])",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of configuration, whose value may have blanks."""
_HARMLESS = re.compile(
    r"|\*[*\s]*|x{3,}|<[^>]*>|null|none|on|off|yes|no|true|false|empty|set|not set|unset|required|"
    + IS_TOKEN.pattern,
    re.IGNORECASE,
)
"""What is printed in place of a password, and switches."""
_PRINTED = re.compile(r"-?\d{1,3}|0x[0-9a-f]{1,16}|<.*|\w+@entry=.*")
_COUNTER = re.compile(r"\bcom_[a-z_]{0,32}$", re.IGNORECASE)
_REPLACE_OLD = 6
_SMALL = {ord(letter): letter.lower() for letter in string.ascii_uppercase}


def password_spans(text: str) -> Iterator[Span]:
    """Yield the passwords of a text, without their quotes."""
    for start, end in _windows(text):
        for span in _spans(text[start:end]):
            yield span._replace(start=span.start + start, end=span.end + start)


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of whole lines where a password can be: large files have few of them."""
    small = text.lower()
    if len(small) != len(text):  # a letter became two: places in both would differ
        small = text.translate(_SMALL)
    places: list[tuple[int, int]] = []
    for mark in _MARKS:
        reach = _FAR if mark.endswith(("crypt", "(")) else _REACH
        at = small.find(mark)
        while at >= 0:
            places.append((at, min(at + reach, len(text))))
            at = small.find(mark, max(at + 1, small.find("\n", at)))
    begin, until = 0, -1
    for place, reaches in sorted(places):
        if place > until:
            if until >= 0:
                yield begin, until
            begin = text.rfind("\n", 0, place) + 1
        if reaches > until:
            end = text.find("\n", reaches)
            until = len(text) if end < 0 else end
    if until >= 0:
        yield begin, until


def _spans(text: str) -> Iterator[Span]:
    for number, pattern in enumerate(_PATTERNS, start=1):
        if number == _REPLACE_OLD and "identified" not in text.lower():
            continue  # ALTER USER … IDENTIFIED BY 'new' REPLACE 'old'
        for match in pattern.finditer(text):
            for form in ("single", "double", "curly", "bare"):
                value = match[f"{form}{number}"]
                if value is None or _HARMLESS.fullmatch(value):
                    continue
                if form == "bare" and _is_no_value(match):
                    continue
                yield Span(*match.span(f"{form}{number}"), KIND, value)
    for other in (_AES, _ADDRESS, _DSN, _LINE):
        for match in other.finditer(text):
            if not _HARMLESS.fullmatch(match["value"]):
                yield Span(*match.span("value"), KIND, match["value"])


def is_password(name: str, value: str = "?") -> bool:
    """Return whether the whole value of a field or setting of this name is a password."""
    return (
        len(name) <= _LONGEST_NAME
        and _NAME.fullmatch(name) is not None
        and _HARMLESS.fullmatch(value.strip()) is None
    )


def _is_no_value(match: re.Match[str]) -> bool:
    """Return whether an unquoted value is punctuation, an SQL word or the call of a function.

    Nor is a counter of statements a password, what a debugger prints for an argument, or the next
    option behind one without a value.
    """
    value = match[match.lastgroup or 0]
    return (
        not any(letter.isalnum() for letter in value)
        or value.upper().split("(")[0] in ("PASSWORD", "OLD_PASSWORD", "RANDOM", "AS", "BY")
        or _PRINTED.fullmatch(value) is not None
        or (value.startswith("--") and match[0].endswith((f" {value}", f"\t{value}")))
        or _COUNTER.search(match.string, max(match.start() - 40, 0), match.start()) is not None
    )
