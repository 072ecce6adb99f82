"""What a command refuses, in words and with its exit code, where no larger test arrives."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import click
import httpx
import pytest
from click.testing import CliRunner

from pileup.analysis.compare import sides_comparison
from pileup.analysis.compare.sides import MOST_SIDES, NotAlignedError
from pileup.cli import analyze, compare, push, redacted_files, redaction
from pileup.report import ticket
from pileup.report.redaction import known_records, plain_redaction
from pileup.report.redaction.document_redaction import Leak
from pileup.report.redaction.redactor import KINDS, Redactor
from pileup.views.evidence import capture_tables
from tests.analysis.turning.tools import always, given, instead


def refused(command: click.Command, *arguments: str) -> str:
    """Call a command that refuses, and return the last line that it says."""
    result = CliRunner().invoke(command, list(arguments))
    assert result.exit_code == 2, result.output
    return result.output.strip().splitlines()[-1]


def raising(error: Exception) -> Any:
    def fails(*_: object, **__: object) -> object:
        raise error

    return fails


def test_a_kind_of_redaction_that_is_unknown_is_named() -> None:
    with pytest.raises(click.BadParameter, match="shoes") as refusal:
        redaction.redactor_of("sql, shoes")
    assert refusal.value.param_hint == "--redact"
    assert refusal.value.message.endswith(".")
    assert redaction.redactor_of(f" {','.join(KINDS)}, ").kinds == Redactor(KINDS, b"k").kinds
    assert redaction.redactor_of("").only_passwords


@pytest.mark.parametrize("name", ["page.txt", "page", "page.htmlx"])
def test_a_page_is_html_or_markdown(tmp_path: Path, name: str) -> None:
    said = refused(analyze.command, str(tmp_path), "--report", str(tmp_path / name))
    assert f"{name} ends neither in .html nor in .md." in said


@pytest.mark.parametrize("ending", ["md", "html"])
def test_a_page_that_is_not_written_says_why(tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"folder.{ending}"
    target.mkdir()
    nothing: Any = given(evidence=None, document=None)
    page = [ticket.Block("Title")]
    with (
        instead(known_records, learn_evidence=always(None)),
        instead(capture_tables, table_blocks=always([])),
        instead(ticket, blocks=always(page)),
        pytest.raises(click.ClickException) as refusal,
    ):
        analyze._write(nothing, False, target, Redactor([], b"k"))
    assert refusal.value.message.startswith(f"The report was not written to {target}: ")
    assert refusal.value.message.endswith("Choose a folder that exists and can be written.")


def test_an_analysis_with_a_value_left_is_not_printed() -> None:
    with (
        instead(analyze, _write=raising(Leak("A value is left."))),
        pytest.raises(click.ClickException) as refusal,
    ):
        analyze._publish(given(), False, None, Redactor([], b"k"))  # type: ignore[arg-type]
    assert refusal.value.message == (
        "A value is left. Choose other kinds with --redact, and please report this."
    )


# ---- compare -------------------------------------------------------------------------------------


@pytest.mark.parametrize("many", [1, MOST_SIDES + 1])
def test_so_many_captures_are_compared(tmp_path: Path, many: int) -> None:
    said = refused(compare.command, *[str(tmp_path)] * many)
    assert f"name 2 to {MOST_SIDES} captures; these are {many}" in said


def test_the_reference_is_one_of_the_captures(tmp_path: Path) -> None:
    said = refused(compare.command, str(tmp_path), str(tmp_path), "--reference", "3")
    assert "--reference 3: there are 2 captures" in said


@pytest.mark.parametrize("text", [",", ",,"])
def test_a_side_names_a_capture(tmp_path: Path, text: str) -> None:
    assert f"{text!r} names no capture" in refused(compare.command, str(tmp_path), text)


def test_sides_that_cannot_be_aligned_are_not_compared() -> None:
    with (
        instead(sides_comparison, compare_sides=raising(NotAlignedError("no stall in b"))),
        pytest.raises(click.UsageError, match=r"^no stall in b$"),
    ):
        compare._compared([], "onset", None, 1)


def test_a_comparison_with_a_value_left_is_not_printed() -> None:
    with (
        instead(plain_redaction, redact_plain=raising(Leak("A value is left."))),
        pytest.raises(click.ClickException, match=r"^A value is left\.$"),
    ):
        compare._publish(given(), Redactor([], b"k"), everything=False, form="json")  # type: ignore[arg-type]


# ---- push ----------------------------------------------------------------------------------------


def test_files_belong_to_one_incident(tmp_path: Path) -> None:
    to = ("--to", "http://127.0.0.1:1", "--token", "t")
    said = refused(push.command, str(tmp_path), *to, "--incident", "a", "--new", "b")
    assert "use --incident to add to one, or --new to create one, not both" in said


def test_a_folder_without_files_sends_nothing(tmp_path: Path) -> None:
    to = ("--to", "http://127.0.0.1:1", "--token", "t")
    result = CliRunner().invoke(push.command, [str(tmp_path), *to])
    assert result.exit_code == 1
    assert "these paths contain no files; nothing was sent" in result.output


@pytest.mark.parametrize(("there", "is_short"), [(5, True), (9, True), (10, False)])
def test_a_file_that_became_shorter_is_named(tmp_path: Path, there: int, is_short: bool) -> None:
    """The rest is not there to be sent; an upload that has all its bytes waits to be taken."""
    heads = iter([{"Upload-Offset": f"{there}"}, {"Upload-Offset": "10", "X-Artifact-Id": "a"}])

    def answer(request: httpx.Request) -> httpx.Response:
        if request.method == "HEAD":
            return httpx.Response(200, headers=next(heads))
        return httpx.Response(204)

    file: Any = given(source=tmp_path / "a.log", bytes=10)
    client = httpx.Client(base_url="http://h", transport=httpx.MockTransport(answer))
    reported: list[int] = []

    def send() -> None:
        push._send(client, "api/v1/uploads/1", io.BytesIO(b"x" * there), file, reported.append)

    if is_short:
        with pytest.raises(click.ClickException, match=r"a\.log became shorter while it was sent"):
            send()
    else:
        send()
    assert reported == ([there] if is_short else [10, 0])


def test_a_copy_with_a_value_left_is_not_sent(tmp_path: Path) -> None:
    path = tmp_path / "a.log"
    path.write_text("held Zanzibar77\n")
    redactor = Redactor(["users"], b"k")
    redactor.text = lambda text, **_: text  # type: ignore[method-assign]
    redactor.known.add("users", ["Zanzibar77"])
    with pytest.raises(click.ClickException) as refusal:
        redacted_files.write_redacted(redactor, path, tmp_path / "copy")
    assert refusal.value.message == (
        f"{path} was not sent: redaction left values in it (1 of users)."
    )
