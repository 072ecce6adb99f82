"""Find the accounts that statements about accounts name: ``DROP USER ann``, ``DEFINER=ann@db-7``.

There a name needs neither quotes nor a host. Prose has the words of these statements too, so in
small letters they count only where a statement begins; ``GRANT`` and ``REVOKE`` need a table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pileup.report.redaction.spans import PUBLIC_HOSTS, Span

_PART = r"(?:`[^`\n]{1,64}`|[\w$*]{1,64})"
_ON = rf"[\w ,()]{{1,200}}?\son\s(?:(?:table|function|procedure)\s)?{_PART}\s?\.\s?{_PART}"
_CLAUSE = re.compile(
    r"(?<![\w`.@])(?:(?:create|alter|drop|rename)\s+user\s+(?:if\s+(?:not\s+)?exists\s+)?"
    r"|set\s+password\s+for\s+|show\s+(?:grants\s+for|create\s+user)\s+"
    r"|kill\s+(?:(?:hard|soft)\s+)?(?:(?:query|connection)\s+)?user\s+"
    rf"|grant\s+{_ON}\s+to\s+|revoke\s+{_ON}\s+from\s+|definer\s?=\s?)",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:^|[\n\t|;>(\[\"'])[ ]{0,4}$")
"""The end of what may be in front of a statement."""
_FEW = 6
"""Characters that decide it: more than the blanks it may have."""
_NAME = r"`[^`\n]{{1,80}}`|'[^'\n]{{1,80}}'|\"[^\"\n]{{1,80}}\"|[\w$][\w$.{}-]{{0,254}}"
_ACCOUNT = re.compile(
    rf"(?P<user>{_NAME.format('')})(?!\w*\()(?:\s?@\s?(?P<host>{_NAME.format(':%')}|%))?"
)
_NEXT = re.compile(r"(?:\s+identified\b[^,;\n]{0,200})?\s{0,4}(?:,|\sto\s)\s{0,4}", re.IGNORECASE)
_NOBODY = frozenset({"CURRENT_USER", "CURRENT_ROLE", "PUBLIC", "NONE"})


def account_spans(text: str) -> Iterator[Span]:
    """Yield the users and hosts of the accounts in the statements of a text."""
    for clause in _CLAUSE.finditer(text):
        word, start = clause[0].split()[0], clause.start()
        in_front = text[max(0, start - _FEW) : start]  # not all of a long text, for every clause
        if not (word.isupper() or "=" in word or _BEGINS.search(in_front)):
            continue
        account = _ACCOUNT.match(text, clause.end())
        while account is not None:
            yield from _names(account)
            following = _NEXT.match(text, account.end())
            account = None if following is None else _ACCOUNT.match(text, following.end())


def _names(account: re.Match[str]) -> Iterator[Span]:
    for group, kind in (("user", "users"), ("host", "hosts")):
        name = account[group]
        if name is None or name.upper() in _NOBODY:
            continue
        quotes = 1 if name[0] in "`'\"" else 0
        start, end = account.start(group) + quotes, account.end(group) - quotes
        if (value := account.string[start:end]) not in PUBLIC_HOSTS:
            yield Span(start, end, kind, value)
