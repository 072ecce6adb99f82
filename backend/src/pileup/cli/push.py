"""`pileup push`: send captured files to a server, resumably, and print where to look.

Files go by tus in chunks. A connection that breaks is retried from the byte that the server has;
a second run of the command continues what the first one left unfinished (same incident, same path
and size), and files that the server has already are no second artifact. ``-`` reads standard input,
says what it is, and stores it as a pasted text.
"""

from __future__ import annotations

import base64
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO
from urllib.parse import urljoin

import click
import httpx
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from pileup.cli.answers import checked
from pileup.cli.redaction import redactor_of
from pileup.formats.bundle import stored_only
from pileup.formats.errors import ArchiveError
from pileup.formats.reading import archive
from pileup.formats.reading.text import encoding_of
from pileup.views.artifacts.pasted import PREVIEW_CHARACTERS, Understood, understand

if TYPE_CHECKING:
    from pileup.report.redaction.redactor import Redactor

_CHUNK = 8 * 1024 * 1024
_ATTEMPTS = 6
_TUS = {"Tus-Resumable": "1.0.0"}
_STANDARD_INPUT = Path("-")


@dataclass(frozen=True, slots=True)
class Sending:
    source: Path
    path: str
    bytes: int
    given: Mapping[str, str] = field(default_factory=dict)
    """Metadata of the upload: at, within_s and host of evidence that prints neither."""


@click.command()
@click.argument(
    "paths", nargs=-1, required=True, type=click.Path(exists=True, allow_dash=True, path_type=Path)
)
@click.option("--to", "server", required=True, envvar="PILEUP_URL", help="Address of the server.")
@click.option(
    "--token", required=True, envvar="PILEUP_TOKEN", help="API token (permission upload is enough)."
)
@click.option("--incident", "incident_id", help="Add to this incident.")
@click.option("--new", "title", help="Create an incident with this title.")
@click.option("--service", help="Service of a new incident.")
@click.option("--name", help="Name of what - reads; without it, one that fits its type.")
@click.option("--at", help="When the evidence was taken, if it prints no time: 2026-11-20T18:42Z.")
@click.option("--within", type=float, help="How far --at may be off, in seconds.")
@click.option(
    "--redact",
    default="",
    metavar="KINDS",
    help="Replace by tokens before anything is sent: sql,hosts,users,addresses. Passwords go too.",
)
@click.option("--host", help="Host of the evidence, if it names none.")
def command(
    paths: tuple[Path, ...],
    server: str,
    token: str,
    incident_id: str | None,
    title: str | None,
    service: str | None,
    name: str | None,
    at: str | None,
    within: float | None,
    host: str | None,
    redact: str,
) -> None:
    """Send files and folders to a Pileup server and print the incident's address.

    - reads standard input. Without --incident a new incident is created, with the title of --new
    or of the first path.
    """
    if incident_id and title:
        raise click.UsageError("use --incident to add to one, or --new to create one, not both")
    given = _given(at, within, host)
    with ExitStack() as kept:
        files = [replace(file, given=given) for file in list_files(paths)]
        if _STANDARD_INPUT in paths:
            folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="pileup-push-"))
            files.append(replace(_standard_input(Path(folder), name, bool(at)), given=given))
            title = title or files[-1].path.rpartition("/")[2]
        sent: Iterable[Sending] = files
        if redact:
            folder = kept.enter_context(tempfile.TemporaryDirectory(prefix="pileup-redact-"))
            title = title or ("Redacted case" if incident_id is None else None)
            sent = _redacted(files, redactor_of(redact), Path(folder))
        _push(sent, files, paths, server, token, incident_id, title, service)


def _redacted(files: Sequence[Sending], redactor: Redactor, folder: Path) -> Iterator[Sending]:
    """Read all files, then yield each with a redacted copy, which is deleted once it was sent."""
    from pileup.cli.redacted_files import learn_file, write_redacted

    for file in files:
        learn_file(redactor, file.source)

    def copies() -> Iterator[Sending]:
        total: Counter[str] = Counter()
        for file in files:
            copy = folder / "redacted"
            counts = write_redacted(redactor, file.source, copy)
            path = redactor.text(file.path)
            click.echo(f"{path}: {_counted(counts)}", err=True)
            total += counts
            yield replace(file, source=copy, path=path, bytes=copy.stat().st_size)
            copy.unlink()
        click.echo(f"Redacted before sending: {_counted(total)}", err=True)

    return copies()


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{kind} {count}" for kind, count in sorted(counts.items())) or "nothing"


def _push(
    sent: Iterable[Sending],
    files: Sequence[Sending],
    paths: Sequence[Path],
    server: str,
    token: str,
    incident_id: str | None,
    title: str | None,
    service: str | None,
) -> None:
    """Send the files, or their copies, to one incident, and print its address."""
    if not files:
        raise click.ClickException("these paths contain no files; nothing was sent")
    server = server.rstrip("/") + "/"
    headers = {"Authorization": f"Bearer {token}", "User-Agent": "pileup-push"}
    with httpx.Client(base_url=server, headers=headers, timeout=60) as client:
        if incident_id is None:
            body = {"title": title or paths[0].resolve().name, "service": service}
            incident_id = str(_ask(client, "POST", "api/v1/incidents", json=body).json()["id"])
        console = Console(stderr=True)
        try:
            with _progress(console) as progress:
                send_files(client, incident_id, sent, _teller(progress, files))
        finally:
            click.echo(urljoin(server, f"incidents/{incident_id}"))


def list_files(paths: Sequence[Path]) -> Iterator[Sending]:
    """Yield every plain file; those of a folder keep its name in front. Skip outgoing links."""
    for path in paths:
        if path == _STANDARD_INPUT:
            continue
        if path.is_dir():
            root = path.resolve()
            for file in sorted(root.rglob("*")):
                if file.is_file() and not file.is_symlink():
                    inside = file.relative_to(root.parent).as_posix()
                    yield Sending(file, inside, file.stat().st_size)
        elif path.is_file():
            yield Sending(path, path.name, path.stat().st_size)


def _given(at: str | None, within: float | None, host: str | None) -> dict[str, str]:
    """Return the time and host that a person gave, as metadata of an upload."""
    given = {"host": host or "", "within_s": "" if within is None else str(within)}
    if at is not None:
        try:
            moment = datetime.fromisoformat(at)
        except ValueError:
            raise click.UsageError(f"--at {at}: write a time such as 2026-11-20T18:42Z") from None
        if moment.tzinfo is None:
            raise click.UsageError(f"--at {at} has no zone: write {at}Z for UTC, or {at}+01:00")
        given["at"] = moment.isoformat()
    return {key: value for key, value in given.items() if value}


def _standard_input(folder: Path, name: str | None, has_time: bool) -> Sending:
    """Store standard input in a file of the folder, and print what it is."""
    copy = folder / "standard-input"
    with copy.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)
    size = copy.stat().st_size
    kind = archive.detect_container(copy)
    if kind in ("zip", "tar"):
        click.echo(f"An archive ({kind}): its files are read one by one.", err=True)
        return Sending(copy, name or f"pasted/archive.{kind}", size)
    head = _beginning(copy)
    text = head.decode(encoding_of(head), "replace").removeprefix("\ufeff")
    if not text.strip() and len(head) < _MOST_HEAD:
        raise click.ClickException("standard input is empty; nothing was sent")
    if why := stored_only.recognise(head) or (_is_no_text(text) and "it is no text"):
        click.echo(f"Not read: {why}. It is stored as it is.", err=True)
        return Sending(copy, name or "pasted/file.bin", size)
    understood = understand(text[:PREVIEW_CHARACTERS])
    is_part = len(head) == _MOST_HEAD or len(text) > PREVIEW_CHARACTERS
    click.echo(_description(understood, has_time, is_part=is_part), err=True)
    return Sending(copy, name or understood.name, size)


_MOST_HEAD = 2 * PREVIEW_CHARACTERS
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\ufffd]")
_MOST_NO_TEXT = 0.1
"""Share of characters that no text has; a log may have a hole of zeros."""


def _is_no_text(text: str) -> bool:
    return len(_NO_TEXT.findall(text)) > _MOST_NO_TEXT * len(text)


def _beginning(copy: Path) -> bytes:
    """Return the beginning of a file, decompressed; what a broken stream holds up to its damage."""
    try:
        with archive.open_plain(copy) as file:
            return file.read(_MOST_HEAD)
    except (OSError, EOFError, ArchiveError):
        return copy.read_bytes()[:_MOST_HEAD]


def _description(understood: Understood, has_time: bool, *, is_part: bool = False) -> str:
    """Say in one or two lines what a text is; is_part: only the beginning of it was read."""
    if understood.format is None:
        return f"No known format: {understood.why}. It is stored as text."
    records = ", ".join(row.words for row in understood.records)
    line = f"{understood.title}: {records or 'no records'}"
    if is_part:
        line += " in its beginning; the server reads the rest"
    if understood.prints_time and has_time:
        return f"{line}\nIt prints its own times: --at is not used."
    if understood.prints_time or has_time:
        return line
    return f"{line}\nIt prints no full time: --at 2026-11-20T18:42Z says when it was taken."


def send_files(
    client: httpx.Client, incident_id: str, files: Iterable[Sending], tell: Callable[[int], None]
) -> None:
    """Send each file, continuing what an earlier run left unfinished."""
    answer = _ask(client, "GET", f"api/v1/incidents/{incident_id}/uploads")
    unfinished = {(item["path"], item["bytes"]): item["id"] for item in answer.json()}
    for file in files:
        known = unfinished.pop((file.path, file.bytes), None)
        location = f"api/v1/uploads/{known}" if known else _begin(client, incident_id, file)
        with file.source.open("rb") as stream:
            _send(client, location, stream, file, tell)


def _begin(client: httpx.Client, incident_id: str, file: Sending) -> str:
    metadata = {"filename": file.path.rpartition("/")[2], "path": file.path, **file.given}
    encoded = ",".join(
        f"{key} {base64.b64encode(value.encode('utf-8', 'replace')).decode()}"
        for key, value in metadata.items()
    )
    headers = {**_TUS, "Upload-Length": str(file.bytes), "Upload-Metadata": encoded}
    answer = _ask(client, "POST", f"api/v1/incidents/{incident_id}/uploads", headers=headers)
    return str(answer.headers["Location"])


def _send(
    client: httpx.Client,
    location: str,
    stream: BinaryIO,
    file: Sending,
    tell: Callable[[int], None],
) -> None:
    count = 0
    while True:
        head = _ask(client, "HEAD", location, headers=_TUS)
        offset = int(head.headers["Upload-Offset"])
        tell(offset - count)
        count = offset
        if "X-Artifact-Id" in head.headers:
            return
        stream.seek(offset)
        chunk = stream.read(_CHUNK)
        if not chunk and offset < file.bytes:
            raise click.ClickException(
                f"{file.source} became shorter while it was sent; copy it first, then push the copy"
            )
        headers = {
            **_TUS,
            "Upload-Offset": str(offset),
            "Content-Type": "application/offset+octet-stream",
        }
        try:
            _answered(client.patch(location, content=chunk, headers=headers), ok=(409, 423))
        except httpx.TransportError:
            time.sleep(1)  # HEAD, with its own retries, returns what arrived


def _ask(client: httpx.Client, method: str, url: str, **more: Any) -> httpx.Response:
    """Send a request, and retry it while the server cannot be reached."""
    for attempt in range(_ATTEMPTS):
        try:
            return _answered(client.request(method, url, **more))
        except httpx.TransportError as error:
            if attempt == _ATTEMPTS - 1:
                raise click.ClickException(
                    f"{client.base_url} does not answer ({error}); what was sent is kept there. "
                    "Run the same command with --incident to continue"
                ) from error
            time.sleep(min(2.0**attempt / 2, 10))
    raise AssertionError("not reached")


def _answered(answer: httpx.Response, ok: tuple[int, ...] = ()) -> httpx.Response:
    """Raise a transport error for a gateway without a server, so that it is retried."""
    if answer.status_code in (502, 503, 504):
        raise httpx.ConnectError(f"it answers {answer.status_code}", request=answer.request)
    return checked(answer, ok)


def _progress(console: Console) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )


def _teller(progress: Progress, files: Sequence[Sending]) -> Callable[[int], None]:
    task = progress.add_task(f"{len(files)} files", total=sum(file.bytes for file in files))
    return lambda more: progress.update(task, advance=more)
