"""What grows while nothing stalls is a symptom; who holds it back is named."""

from __future__ import annotations

from pathlib import Path

import pytest

from pileup.analysis import analyse, gather
from pileup.analysis.contract import Analysis
from pileup.cli.captures import Captures


def analysed(folder: Path, **files: str) -> Analysis:
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    captures = Captures()
    captures.read((folder,))
    return analyse(gather(captures.artifacts))


def metrics(history: list[int]) -> str:
    rows = [
        f"2023-05-06 07:{at:02d}:00,{value},{4 + at % 3},{800 - at % 7}"
        for at, value in enumerate(history)
    ]
    return "\n".join(["time,trx_rseg_history_len,threads_running,qps", *rows, ""])


def test_a_history_that_grows_without_a_stall_is_a_symptom(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, m_csv=metrics([900 + 17_000 * at for at in range(30)]))
    assert analysis.headline.verdict == "no_stall"
    assert [(each.id, each.role) for each in analysis.findings] == [("purge-lag", "symptom")]
    assert analysis.findings[0].score <= 0.5
    assert "without falling" in analysis.headline.text


@pytest.mark.parametrize(
    "history",
    [
        [5 + at for at in range(30)],
        [900 + 17_000 * (at % 5) for at in range(30)],
        [400_000] * 30,
    ],
    ids=["small", "falls again", "as long as ever"],
)
def test_no_other_history_is(history: list[int], tmp_path: Path) -> None:
    analysis = analysed(tmp_path, m_csv=metrics(history))
    assert (analysis.headline.verdict, analysis.findings) == ("no_stall", [])


NOW = """
mysql> select now();
+---------------------+
| now()               |
+---------------------+
| 2023-05-06 07:08:09 |
+---------------------+

"""
LENGTH = """
+----------------------------+---------+
| Variable_name              | Value   |
+----------------------------+---------+
| Innodb_history_list_length | 7812201 |
+----------------------------+---------+

"""
OPEN = """
+--------+-----------+---------------------+---------------------+
| trx_id | trx_state | trx_started         | trx_mysql_thread_id |
+--------+-----------+---------------------+---------------------+
| 881    | RUNNING   | 2023-05-06 02:08:09 |                 417 |
| 992    | RUNNING   | 2023-05-06 07:08:08 |                 512 |
+--------+-----------+---------------------+---------------------+
"""
BESIDE = """
+---------------------+--------+-----------+---------------------+---------------------+
| now()               | trx_id | trx_state | trx_started         | trx_mysql_thread_id |
+---------------------+--------+-----------+---------------------+---------------------+
| 2023-05-06 07:08:09 | 881    | RUNNING   | 2023-05-06 02:08:09 |                 417 |
| 2023-05-06 07:08:09 | 992    | RUNNING   | 2023-05-06 07:08:08 |                 512 |
+---------------------+--------+-----------+---------------------+---------------------+
"""


@pytest.mark.parametrize("text", [LENGTH + NOW + OPEN, NOW + LENGTH + OPEN, LENGTH + BESIDE])
def test_the_oldest_transaction_is_named_where_a_query_prints_the_time(
    text: str, tmp_path: Path
) -> None:
    first = analysed(tmp_path, a_txt=text).findings[0]
    assert first.id == "purge-lag"
    assert "session 417" in first.why
    assert "18\u202f000 s" in first.why
    assert "417" in first.chain.holder
    assert first.mitigations[0].command == "KILL 417"


def test_no_age_is_invented_where_no_query_prints_the_time(tmp_path: Path) -> None:
    analysis = analysed(tmp_path, a_txt=LENGTH + OPEN)
    assert "open for" not in analysis.findings[0].why
