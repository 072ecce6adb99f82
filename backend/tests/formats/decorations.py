"""What people put around evidence when they paste it: chats, mails, terminals, trackers, editors.

``DECORATIONS`` keep every line of a text; ``PARTS`` leave lines or ends of lines out.
"""

from __future__ import annotations

import csv
import html
import io
import json
import random
import re
import textwrap
from collections.abc import Callable

Change = Callable[[str, random.Random], str]
"""Changes a text whose last line ends with a line feed."""


def _at_words(text: str, width: int) -> str:
    """Wrap as a mail client or a chat does."""
    return "".join(
        "\n".join(
            textwrap.wrap(
                line, width, expand_tabs=False, replace_whitespace=False, break_on_hyphens=False
            )
        )
        + "\n"
        for line in _lines(text)
    )


def _at_columns(text: str, width: int) -> str:
    """Wrap as a terminal or a PDF does."""
    return "".join(
        "".join(f"{line[at : at + width]}\n" for at in range(0, max(1, len(line)), width))
        for line in _lines(text)
    )


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _each(change: Callable[[int, str], str]) -> Change:
    def changed(text: str, _: random.Random) -> str:
        return "".join(f"{change(at, line)}\n" for at, line in enumerate(_lines(text)))

    return changed


def _prefix(before: Callable[[int], str]) -> Change:
    return _each(lambda at, line: before(at) + line)


def _around(before: str, after: str) -> Change:
    return lambda text, _: f"{before}{text}{after}"


_ASK = "SELECT * FROM information_schema.processlist"
_DOUBLE_DASH = re.compile(r"--")

PREFIXES: dict[str, Change] = {
    "quote": _prefix(lambda _: "> "),
    "quote of a quote": _prefix(lambda _: "> > "),
    "indent of one": _prefix(lambda _: " "),
    "indent of four": _prefix(lambda _: "    "),
    "tab": _prefix(lambda _: "\t"),
    "line numbers and colon": _prefix(lambda at: f"{at + 12}: "),
    "line numbers": _prefix(lambda at: f"{at + 8:4} "),
    "line numbers of cat": _prefix(lambda at: f"{at + 1:6}\t"),
    "numbers of grep": _prefix(lambda at: f"{at + 17}:"),
    "ts": _prefix(lambda at: f"Nov 20 22:{15 + at // 60 % 40:02}:{at % 60:02} "),
    "journalctl": _prefix(
        lambda at: f"Nov 20 22:{15 + at // 60 % 40:02}:{at % 60:02} db-7 mysqld[4197]: "
    ),
    "kubectl": _prefix(
        lambda at: f"2026-11-20T22:{15 + at // 60 % 40:02}:{at % 60:02}.{at * 7919 % 10**9:09}Z "
    ),
    "compose": _prefix(lambda _: "db_1  | "),
    "comment": _prefix(lambda _: "# "),
    "quote three deep": _prefix(lambda _: "> > > "),
    "quote of a client": _prefix(lambda _: ">>> "),
    "journalctl, ISO": _prefix(
        lambda at: f"2026-11-20T22:{15 + at // 60 % 40:02}:{at % 60:02}+0000 db-7 mysqld[4197]: "
    ),
    "syslog of RFC 5424": _prefix(
        lambda at: f"<30>1 2026-11-20T22:{15 + at // 60 % 40:02}:{at % 60:02}Z db-7 mysqld 41 - - "
    ),
    "syslog with its priority": _prefix(
        lambda at: f"<30>Nov 20 22:{15 + at // 60 % 40:02}:{at % 60:02} db-7 mysqld[4197]: "
    ),
    "pod": _prefix(lambda _: "[pod/mysql-0/mysql] "),
    "pdsh": _prefix(lambda _: "db-7: "),
    "border of a pane": _prefix(lambda _: "\u2502"),
}

DECORATIONS: dict[str, Change] = {
    **PREFIXES,
    "mail at 72": lambda text, _: _at_words(text, 72),
    "mail at 76": lambda text, _: _at_words(text, 76),
    "wrapped at words": lambda text, dice: _at_words(text, dice.randrange(60, 101)),
    "wrapped at columns": lambda text, dice: _at_columns(text, dice.randrange(60, 101)),
    "client": _around(f"mysql> {_ASK};\n", "12 rows in set (0.00 sec)\n\nmysql> \n"),
    "client, long statement": _around(
        f"mysql> {_ASK}\n    -> WHERE command <> 'Sleep'\n    -> ORDER BY time DESC;\n",
        "12 rows in set (0.00 sec)\n\nmysql> ",
    ),
    "MariaDB client": _around(f"MariaDB [(none)]> {_ASK};\n", "12 rows in set (0.001 sec)\n\n"),
    "shell": _around("[root@db1 ~]# collect --all\n", "[root@db1 ~]# \n"),
    "page": lambda text, _: html.escape(text, quote=False).replace("  ", "&nbsp; "),
    "page with breaks": lambda text, _: "<br>\n".join(
        html.escape(line).replace("  ", "&nbsp; ") for line in _lines(text)
    ),
    "page with breaks on a line": lambda text, _: "<br>".join(
        html.escape(line).replace(" ", "&nbsp;") for line in _lines(text)
    ),
    "preformatted page": lambda text, _: f"<p>See:</p>\n<pre>{html.escape(text)}</pre>\n",
    "JSON string": lambda text, _: json.dumps(text),
    "JSON message": lambda text, _: json.dumps(
        {"channel": "C1", "user": "ada", "text": text, "ts": "1795208453.0012"}
    ),
    "fence": _around("What we saw:\n\n```\n", "```\n\nAny idea?\n"),
    "fence on the same line": lambda text, _: f"look at this: ```{text.rstrip()}```\n",
    "Jira": _around("h3. Evidence\n{noformat}\n", "{noformat}\n"),
    "tabs as blanks": lambda text, _: text.expandtabs(),
    "tabs as single blanks": lambda text, _: text.replace("\t", " "),
    "blanks at ends": _each(lambda _, line: f"{line}   "),
    "padded": _each(lambda _, line: f"{line:<132}"),
    "no blanks at ends": _each(lambda _, line: line.rstrip()),
    "CR LF": lambda text, _: text.replace("\n", "\r\n"),
    "no final line feed": lambda text, _: text.removesuffix("\n"),
    "empty lines between": _each(lambda _, line: f"{line}\n"),
    "tildes of less": _around("", "~\n~\n~\n~\n(END)\n"),
    "end of less": _around("", "\n(END)"),
    "colours": _each(lambda _, line: f"\x1b[0m\x1b[32m{line}\x1b[0m"),
    "coloured words": _each(lambda _, line: re.sub(r"\b(\d+)\b", "\x1b[1;31m\\1\x1b[0m", line)),
    "sentences before": _around(
        "Hi all,\n\nThe site was down for 12 minutes this morning. This is what I found:\n\n", ""
    ),
    "a sentence above": _around("this is from the server during the stall:\n", ""),
    "sentences after": _around("", "\nThat is all I have. Does somebody know what holds it?\n"),
    "a sentence below": _around("", "that went on for 3 minutes, then it was gone\n"),
    "a chat": _around("Priya Nair  3:42 PM\nhave a look:\n", "\nTom  3:44 PM\nok\n"),
    "typographic": lambda text, _: re.sub(
        r"'([^'\n]*)'", "\u2018\\1\u2019", re.sub(r'"([^"\n]*)"', "\u201c\\1\u201d", text)
    ),
    "joined hyphens": lambda text, _: _DOUBLE_DASH.sub("\u2014", text),
    "blanks that do not break": lambda text, _: text.replace(" ", "\xa0"),
    "double blanks that do not break": lambda text, _: text.replace("  ", " \xa0"),
    "hyphens that do not break": lambda text, _: text.replace("-", "\u2011"),
    "blanks of no width": _each(lambda _, line: re.sub(r"(?<= )(?=\w)", "\u200b", line)),
    "byte order mark": _around("\ufeff", ""),
}


def _pane(text: str, _: random.Random) -> str:
    """Copy a pane of tmux with the border to its right and the bar below."""
    lines = _lines(text)
    width = max(map(len, lines))
    bar = '[prod] 0:bash- 1:mysql*                    "db-7" 22:17 20-Nov-26\n'
    return "".join(f"{line:<{width}} \u2502\n" for line in lines) + bar


def _frame(text: str, _: random.Random) -> str:
    lines = _lines(text)
    width = max(map(len, lines))
    rule = "\u2500" * (width + 2)
    inside = "".join(f"\u2502 {line:<{width}} \u2502\n" for line in lines)
    return f"\u250c{rule}\u2510\n{inside}\u2514{rule}\u2518\n"


def _journal(text: str, _: random.Random) -> str:
    """Print what ``journalctl -o json`` prints of a service that writes these lines."""
    return "".join(
        json.dumps(
            {
                "__REALTIME_TIMESTAMP": str(1_795_213_288_000_000 + at * 1000),
                "_HOSTNAME": "db-7",
                "SYSLOG_IDENTIFIER": "mysqld",
                "_PID": "4197",
                "MESSAGE": line,
            }
        )
        + "\n"
        for at, line in enumerate(_lines(text))
    )


def _container(text: str, _: random.Random) -> str:
    """Write what Docker's json-file driver writes."""
    return "".join(
        json.dumps(
            {
                "log": f"{line}\n",
                "stream": "stderr",
                "time": f"2026-11-20T22:17:{at % 60:02}.123456789Z",
            }
        )
        + "\n"
        for at, line in enumerate(_lines(text))
    )


_MARK = re.compile(r"([*_#])")

DECORATIONS |= {
    "pane": _pane,
    "frame": _frame,
    "journal": _journal,
    "json-file": _container,
    "array of lines": lambda text, _: json.dumps(_lines(text), indent=2) + "\n",
    "divisions of a page": lambda text, _: "".join(
        f"<div>{html.escape(line).replace(' ', '&nbsp;')}</div>\n" for line in _lines(text)
    ),
    "escaped marks": lambda text, _: _MARK.sub(r"\\\1", text),
    "Jira, with a title": _around("{code:title=status.txt|borderStyle=solid}\n", "{code}\n"),
    "details": _around("<details><summary>Output</summary>\n\n```\n", "```\n\n</details>\n"),
    "typescript": _around(
        'Script started on 2026-11-20 22:17:05+00:00 [TERM="xterm"]\n$ cat out\n',
        '$ exit\nexit\n\nScript done on 2026-11-20 22:18:05+00:00 [COMMAND_EXIT_CODE="0"]\n',
    ),
    "Ansible": _around("db-7 | CHANGED | rc=0 >>\n", ""),
    "CR": lambda text, _: text.replace("\n", "\r"),
}


def _cell(text: str, _: random.Random) -> str:
    file = io.StringIO()
    csv.writer(file).writerows([["host", "output"], ["db-7", text.removesuffix("\n")]])
    return file.getvalue()


def _scalar(text: str, _: random.Random) -> str:
    body = "".join(f"    {line}\n" for line in _lines(text))
    return f"apiVersion: v1\nkind: ConfigMap\ndata:\n  out.txt: |\n{body}"


DOCUMENTS: dict[str, Change] = {
    "Ansible, as JSON": lambda text, _: json.dumps(
        {
            "changed": True,
            "rc": 0,
            "stderr_lines": [],
            "stdout": text.removesuffix("\n"),
            "stdout_lines": _lines(text),
        },
        indent=4,
    ),
    "Ansible, debug": lambda text, _: (
        f'ok: [db-7] => {{\n    "msg": {json.dumps(_lines(text), indent=8)}\n}}\n'
    ),
    "SSM": lambda text, _: json.dumps({"Status": "Success", "StandardOutputContent": text}),
    "a comment of a tracker": lambda text, _: json.dumps(
        {"id": "10", "body": f"Hi,\n\n{{noformat}}\n{text}{{noformat}}\n\nregards"}
    ),
    "an export of a chat": lambda text, _: json.dumps(
        [
            {"user": "U1", "text": "look at this", "ts": "1795208453.0012"},
            {"user": "U1", "text": f"```\n{html.escape(text, quote=False)}```", "ts": "1795208454"},
        ],
        indent=1,
    ),
    "a document in a document": lambda text, _: json.dumps(
        {"Message": json.dumps({"host": "db-7", "output": text})}
    ),
    "a block scalar": _scalar,
    "a cell": _cell,
    "an element": lambda text, _: f"<case><out>{html.escape(text)}</out></case>\n",
    "CDATA": lambda text, _: f"<case><![CDATA[{text}]]></case>\n",
    "what Python prints": lambda text, _: repr({"host": "db-7", "output": text}) + "\n",
    "a list that Python prints": lambda text, _: repr(_lines(text)) + "\n",
    "bytes that Python prints": lambda text, _: repr(text.encode()) + "\n",
}
"""Documents that hold a text as a value."""

DECORATIONS |= DOCUMENTS


def _collapsed(line: str) -> str:
    return re.sub(r" {2,}", " ", line)


def _third(text: str, _: random.Random) -> str:
    lines = text.split("\n")
    return "\n".join(lines[len(lines) // 3 : 2 * len(lines) // 3]) + "\n"


def _cut(text: str, dice: random.Random) -> str:
    low, high = sorted(dice.randrange(len(text) + 1) for _ in range(2))
    return text[low:high]


PARTS: dict[str, Change] = {
    "blanks collapsed": _each(lambda _, line: _collapsed(line)),
    "no indentation": _each(lambda _, line: line.lstrip(" ")),
    "middle third": _third,
    "first five lines": lambda text, _: "".join(f"{line}\n" for line in _lines(text)[:5]),
    "without the first line": lambda text, _: text.partition("\n")[2],
    "last half": lambda text, _: text[text.find("\n", len(text) // 2) + 1 :],
    "first half": lambda text, _: text[: text.rfind("\n", 0, len(text) // 2) + 1],
    "cut at 80 columns": _each(lambda _, line: line[:80]),
    "cut anywhere": _cut,
}
