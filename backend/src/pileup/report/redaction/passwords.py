"""Find passwords in statements and configuration: they leave no installation, redacted or not.

A value counts as a password because of what is in front of it: a name whose last word is one of
``_NAMES`` (``master_password = …``, ``"clientSecret": …``, ``--password=…``), a clause of SQL
(``IDENTIFIED BY '…'``; ``password_statements`` reads its tokens), an address with a user
(``mysql://user:…@host``), or an option of a client (``-p…``). Some count because of what they are:
private keys, and tokens that services begin with a mark of their own (``ghp_…``).
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterator

from pileup.report.redaction.escapes import through_escapes
from pileup.report.redaction.password_statements import statement_passwords
from pileup.report.redaction.spans import IS_TOKEN, PASSWORD_TOKEN, Span

KIND = "passwords"

_MARKS = (
    *("pass", "pwd", "pw:", "pw=", "secret", "token", "identified", "credential", "kennwort"),
    *("contrase", "senha", "wachtwoord", "пароль", "密码", "密碼", "パスワード", "filekey"),
    *("apikey", "api_key", "api-key", "accesskey", "access_key", "access-key", "privatekey"),
    *("private_key", "private-key", "private key", "authorization", "cookie:", "encrypt"),
    *("decrypt", "encode(", "encode (", "decode(", "decode (", "sst_auth", "--auth"),
    *("authentication_string", "authentication-string", "://", "sig=", "@tcp(", "@unix("),
    *("connect(", "connect (", "connection(", "connection (", "pdo(", "pdo (", "mysqli("),
    *("mysqli (", " -p", "\t-p", "\n-p", '"-p', "'-p", ",p=", " p=", "--uri", "mysqlsh"),
    *("curl", "redis-cli", "openssl", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("glpat-", "xox", "sk_live_", "akia", "asia", "aiza", "hvs.", "npm_", "eyj", "plp_", "plg_"),
)
"""What marks a password, in small letters: a text without any of these holds none."""
_AT_PORT = re.compile(r"@[\w.-]{1,100}:\d")
"""Marks one too: user:password@host:3306."""
_REACH = 500
_FAR = 4096
"""Characters behind a mark within which its password begins; and behind the name of a function
that encrypts or the beginning of a key, which may be long."""
_FAR_MARKS = ("crypt", "code(", "code (", "private key")
_REACHES = tuple((mark, _FAR if mark.endswith(_FAR_MARKS) else _REACH) for mark in _MARKS)
_MOST_ROWS = 1 << 20
"""Characters of the rows of an INSERT with a column of passwords."""
_WORDS = (
    r"(?:(?:pg|db|my|user|root|sst|repl)?(?:password|passwd|pass|pwd)|"
    r"passphrase|passwort|kennwort|contraseña|mot\ de\ passe|senha|wachtwoord|"
    r"пароль|密码|密碼|パスワード|pw|secret(?:[_-]?id)?|api[_-]?key|access[_-]?key|"
    r"private[_-]?key|filekey|encrypt(?:ion)?[_-]?key|token|wsrep_sst_auth|credentials?|"
    r"authentication[_-]string)"
)
_NAMES = rf"{_WORDS}(?:[_-]?(?:hash|digest))?"
_BEFORE = r"(?:(?<![^\W_])|(?<=\\[nrt0])|(?-i:(?<=[a-z0-9])(?=[A-Z])))"
"""Where the last word of a name begins: clientSecret, client_secret, and \\nsecret in a buffer."""
_VALUE = (
    r"(?:(?P<slash{0}>\\{{1,7}})(?P<mark{0}>[\"'])(?P<escaped{0}>[^\n]{{0,400}}?)(?P=slash{0})(?P=mark{0})"
    r"|''(?P<twice{0}>[^'\s][^'\n]{{0,400}})''"
    r"|(?:_\w{{2,12}}\ ?|[nN])?'(?P<single{0}>(?:[^'\\\n]|\\.|'')*)(?:'|(?=\n)|$)"
    r"|\"(?P<double{0}>(?:[^\"\\\n]|\\.|\"\")*)(?:\"|(?=\n)|$)"
    r"|[‘“„‚«‹＇＂](?P<curly{0}>[^’”»›＇＂\n]*)"
    r"|(?P<bare{0}>[^\s'\"|,;)\]}}\0]+))"
)
_FORMS = ("escaped", "twice", "single", "double", "curly", "bare")
_PROGRAM = r"(?:^|[\s/\"'\[])"
_OPTION_OF = r"\b[^\n]{0,300}?[\s\"']"


def _pattern(before: str, number: int) -> re.Pattern[str]:
    return re.compile(before + _VALUE.format(number), re.IGNORECASE)


_PATTERNS = (
    # name = value, name: value, "name": "value", | name | value |, --name value
    _pattern(
        rf"{_BEFORE}{_NAMES}\b(?:\\{{0,7}}[\"'`])?"
        r"(?:[ \t]*+(?:=>|:=|[=:|：]|,(?=[ \t]*+[\"']))|(?=[ ]*+\t|[ ]{2}))[ \t]*+",
        1,
    ),
    _pattern(rf"(?<![\w-])--[\w-]{{0,100}}?{_NAMES}[ \t]+(?!-)", 2),
    # SQL
    _pattern(
        r"\bidentified\s+(?:with\s+\S{1,80}\s+|via\s+\S{1,80}\s+)?(?:by|as|using)\s+"
        r"(?:password\s*\(?\s*)?",
        3,
    ),
    _pattern(r"\b(?:old_)?password\s*\(\s*", 4),
    _pattern(r"\bset\s+password\b[^;=\n]{0,400}?(?:=|\bto\b)\s*(?:(?:old_)?password\s*\(\s*)?", 5),
    # programs: -pVALUE of the clients; -p VALUE, -a VALUE, -k VALUE of others
    _pattern(
        rf"{_PROGRAM}(?:mysql|mariadb|xtrabackup|mariabackup|percona)[\w-]*{_OPTION_OF}-p(?=[^\s\"'-]|'[^\s'])",
        6,
    ),
    _pattern(
        rf"{_PROGRAM}(?:(?:mydumper|myloader|mytop|innotop|sshpass){_OPTION_OF}-p"
        rf"|redis-cli{_OPTION_OF}-a|openssl{_OPTION_OF}-[kK])[ \t=]*(?![-])",
        7,
    ),
    _pattern(rf"{_BEFORE}{_NAMES}[ \t]+(?=['\"])", 8),  # OPTIONS (USER 'a', PASSWORD 'b')
    _pattern(
        r"\bauthorization\\{0,7}[\"']?[ \t]*[:=][ \t]*\\{0,7}[\"']?(?:bearer|basic|token)[ \t]+", 9
    ),
    # host, user, password of a program
    _pattern(
        r"\b(?:mysqli?(?:_p?connect)?|PDO|getConnection|connect)\s*\(\s*"
        r"(?:'[^'\n]{0,200}'|\"[^\"\n]{0,200}\")\s*,\s*(?:'[^'\n]{0,100}'|\"[^\"\n]{0,100}\")\s*,"
        r"\s*(?=['\"])",
        10,
    ),
    _pattern(r"(?<![\w=])(?:[A-Za-z]=[^,\s'\"]{0,100},){1,12}p=", 11),  # h=host,u=user,p=…
    _pattern(r"(?<![\w=,])p=(?=[^,\s]{1,100},[A-Za-z]=)", 12),
    _pattern(r"[?&][\w-]*(?:sig|signature)=", 13),
)
_NAME = re.compile(
    r"(?!com_|mysql_(?:native|old|clear)_password|(?:caching_)?sha\d+_password)"
    rf"[\w.\-]*{_BEFORE}{_NAMES}",
    re.IGNORECASE,
)
"""A name whose last word is one of ``_NAMES``, but no counter of statements and no plugin."""
_LONGEST_NAME = 200
_ADDRESS = re.compile(
    r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@'\"]{0,100}:(?P<value>[^\s\"<>]{1,200}?)@(?=[\w.\[%-])"
    r"(?![^\s/?#\"'<>]*@)"
)
_DSN = re.compile(
    r"(?<![\w/])[\w.$-]{1,80}:(?P<value>[^\s:/@'\"]{1,200})@(?:(?:tcp|unix)\(|[\w.-]{1,100}:\d)"
)
"""An address without a scheme: as Go writes it, or with a port."""
_USER_PASSWORD = re.compile(
    r"(?:--auth[ =]|--uri[ =]|--user[ =](?=[^\s:]{1,80}:)|mysqlsh [^\n]{0,200}?(?<=\s)"
    r"|curl\b[^\n]{0,300}?\s-u[ ]?)['\"]?(?!-)[^\s:'\"/@]{1,80}:(?P<value>(?!//)[^\s'\"@]+)"
)
"""user:password as an option."""
_COOKIES = re.compile(r"\b(?:set-)?cookie[ \t]*:[ \t]*(?P<value>[^\r\n\"']{1,4000})", re.IGNORECASE)
_ELEMENT = re.compile(
    rf"<[\w:.-]{{0,80}}?{_BEFORE}{_NAMES}>(?P<value>[^<\n]{{1,400}})<", re.IGNORECASE
)
_PRIVATE_KEY = re.compile(
    r"-----BEGIN [A-Z ]{0,30}PRIVATE KEY-----(?P<value>(?!password-removed)[^-]{1,16000})",
    re.IGNORECASE,
)
_IN_PROSE = re.compile(
    r"\b(?:password|passwd|passphrase|passwort|kennwort|pwd)\b[ \t]+(?:is|was|ist|lautet|war)[ \t]+"
    r"(?:now[ \t]+)?[\"'“‘„`]?"
    r"(?P<value>(?=[^\s]*(?:\d|(?-i:[a-z][A-Z])|[^\s\w.,;:!?\"'’”`)-]))[^\s\"'’”`]{4,200})",
    re.IGNORECASE,
)
"""The password is …: what is no plain word."""
_SHAPES = re.compile(
    r"(?<![\w-])(?P<value>gh[pousr]_\w{16,}|github_pat_\w{20,}|glpat-[\w-]{12,}|xox[abeprs]-[\w-]{10,}"
    r"|[sr]k_live_\w{10,}|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[\w-]{30,}|hvs\.[\w-]{20,}|npm_\w{30,}"
    r"|pl[pg]_[\w-]{30,}|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]{8,})"
)
"""Tokens that say what they are; plp_ and plg_ are our own."""
_OTHERS = (*(_ADDRESS, _DSN, _USER_PASSWORD, _COOKIES, _ELEMENT, _PRIVATE_KEY, _IN_PROSE, _SHAPES),)
_LINE = re.compile(
    rf"^[ \t]*[\w.-]{{0,80}}?{_BEFORE}{_NAMES}[ \t]*=[ \t]*"
    r"(?P<value>[^\s'\"|,;)\]}][^\n#|,;\0]*[^\s#|,;\0])",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of configuration, whose value may have blanks."""
_PAIR = re.compile(
    r"^[ \t]*+(?!com_|mysql_(?:native|old|clear)_password|(?:caching_)?sha\d+_password)"
    rf"[\w.-]{{1,80}}?(?<=[_.-]){_NAMES}[ \t]++"
    r"(?P<value>(?!0x)[^\s=:|]*[^\s=:|\d.][^\s=:|]*)[ \t]*+\r?$",
    re.IGNORECASE | re.MULTILINE,
)
"""A line of nothing but a name of several words and its value, as many programs take it."""
_HARMLESS = re.compile(
    r"|\*[*\s]*|x{3,}|<[^>]*>|null|none|on|off|yes|no|true|false|empty|set|not set|unset|required|"
    r"\((?:hidden|secret)\b[^)]*\)?|" + IS_TOKEN.pattern,  # our own words in place of one
    re.IGNORECASE,
)
"""What is printed in place of a password, and switches."""
_PRINTED = re.compile(r"-?\d{1,3}|0x[0-9a-f]{1,16}|<.*|\w+@entry=.*")
_ERROR_CODE = re.compile(r"['\"]{1,2},? (?:Internal \w{1,20} )?error[ _]code: (?:\w{2}-)?\d", re.I)
"""What a server writes behind a statement: …BY 'secret'', Error_code: 1396."""
_COUNTER = re.compile(r"\bcom_[a-z_]{0,32}$", re.IGNORECASE)
_ROWS = re.compile(r"\)\s*values?\s*(?:row\s*)?\(", re.IGNORECASE)
_CALLED = re.compile(r"(?:\w+\()+|VALUES\(.*|_\w{2,12}|[nN]", re.IGNORECASE)
"""What is in front of a quote or a column, and is read by its tokens."""
_SMALL = {ord(letter): letter.lower() for letter in string.ascii_uppercase}


def password_spans(text: str) -> Iterator[Span]:
    """Yield the passwords of a text, without their quotes."""
    return through_escapes(text, _password_spans)


def _password_spans(text: str) -> Iterator[Span]:
    until = 0
    for start, end in _windows(text):
        start, end = max(start, until), _with_rows(text, start, end)
        if start < end:
            until = end
            for span in _spans(text[start:end]):
                yield span._replace(start=span.start + start, end=span.end + start)


def _with_rows(text: str, start: int, end: int) -> int:
    """Return where a part ends: one with a list of columns goes on to the end of the rows."""
    if end < len(text) and _ROWS.search(text, start, end):
        semicolon = text.find(";", end, end + _MOST_ROWS)
        return semicolon if semicolon >= 0 else min(end + _MOST_ROWS, len(text))
    return end


def _windows(text: str) -> Iterator[tuple[int, int]]:
    """Yield the parts of whole lines where a password can be: large files have few of them."""
    small = text.lower()
    if len(small) != len(text):  # a letter became two: places in both would differ
        small = text.translate(_SMALL)
    places = [(match.start(), match.end()) for match in _AT_PORT.finditer(text)]
    for mark, reach in [row for row in _REACHES if row[0] in small]:
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
        for match in pattern.finditer(text):
            for form in _FORMS:
                value = match[f"{form}{number}"]
                if value is None or (form == "bare" and _is_no_value(match)):
                    continue
                span = _inside_quotes(Span(*match.span(f"{form}{number}"), KIND, value))
                if not _HARMLESS.fullmatch(span.value):
                    yield span
    for other in (*_OTHERS, _LINE, _PAIR):
        for match in other.finditer(text):
            if not _HARMLESS.fullmatch(match["value"]):
                yield Span(*match.span("value"), KIND, match["value"])
    for span in map(_inside_quotes, statement_passwords(text, is_password)):
        if not _HARMLESS.fullmatch(span.value):
            yield span


def _inside_quotes(span: Span) -> Span:
    """Return a password without the error code that a log prints behind the quoted statement.

    Its quote and that of the statement look like one quote inside of a longer password.
    """
    behind = _ERROR_CODE.search(span.value)
    if behind is None or behind.start() == 0:
        return span
    value = span.value[: behind.start()]
    return span._replace(end=span.start + len(value), value=value)


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
        or match.string.endswith(PASSWORD_TOKEN, match.start(), match.end())
        or value.upper().split("(")[0] in ("PASSWORD", "OLD_PASSWORD", "RANDOM", "AS", "BY")
        or _PRINTED.fullmatch(value) is not None
        or (
            _CALLED.fullmatch(value) is not None
            and match.string[match.end() : match.end() + 1] in ("'", '"', "", "`", ")")
        )
        or (value.startswith("--") and match[0].endswith((f" {value}", f"\t{value}")))
        or _COUNTER.search(match.string, max(match.start() - 40, 0), match.start()) is not None
    )
