"""`pileup verify`: every number of a bundle, computed again from its artifacts.

A fresh installation is started in a temporary folder, as `pileup run` does it. It imports the
bundle, its worker reads the artifacts, and what comes out is held against what the bundle says:
the analysis number by number, the report line by line, each pin's state and quoted lines, what
experiments measured, and the hashes of releases. What people typed themselves (sentences, ratings,
observations read off a screen) has nothing to be computed from. Nothing of the machine's own
installation is used or changed.
"""

from __future__ import annotations

import difflib
import itertools
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import click
import httpx

from pileup.cli.answers import checked
from pileup.report.document import fingerprint

_START_S = 120.0
_READ_S = 3600.0
_UUID = re.compile(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}")
_SERVER = re.compile(r"https?://[^\s/)\"]+(?=/incidents/)")
_WRITTEN = re.compile(r"Written: \S+|<dt>Written</dt><dd>[^<]*")
_VIEWER = re.compile(r"<script>.*?</script>", re.DOTALL)
_SHOWN = 20
_MORE = "… "
"""Begins the line of an excerpt that counts what was left out (api/excerpts.py)."""
_PASSES = ("engine", "elapsed_s")
"""Keys of the analysis that tell of the run, not of the incident."""


@click.command()
@click.argument("bundle", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--keep-log", is_flag=True, help="Print the installation's output as well.")
def command(bundle: Path, keep_log: bool) -> None:
    """Recompute every number of BUNDLE from its artifacts; exit code 1 if one differs."""
    before = _Bundle(bundle)
    with tempfile.TemporaryDirectory(prefix="pileup-verify-", ignore_cleanup_errors=True) as home:
        with _installation(Path(home), keep_log) as client:
            click.echo(f"verify: reading {len(before.artifacts)} artifacts again", err=True)
            incident = _import(client, bundle)
            _wait(client, incident)
            again = Path(home) / "again.zip"
            again.write_bytes(_get(client, f"/incidents/{incident}/bundle").content)
            observed = _observed(client, incident)
        after = _Bundle(again)
    wrong = 0
    for what, lines, total in (
        ("artifacts, by their SHA-256", _missing(before, after), len(before.artifacts)),
        ("numbers and words of the analysis", *_analysis(before, after)),
        ("lines of the report", *_report(before.report, after.report)),
        ("lines and figures of its HTML", *_report(before.html, after.html)),
        ("pins", *_pins(before, after)),
        ("lines that pins quote, against the raw bytes", *_quotes(before)),
        ("numbers of experiments", *_experiments(before, observed)),
        ("releases, by their SHA-256", *_releases(before)),
    ):
        click.echo(
            f"{'same' if not lines else 'DIFFERENT':9} {total - len(lines):>7,} of {total:,} {what}"
        )
        for line in lines[:_SHOWN]:
            click.echo(f"    {line}")
        if len(lines) > _SHOWN:
            click.echo(f"    and {len(lines) - _SHOWN:,} more")
        wrong += len(lines)
    if wrong:
        raise SystemExit(1)


class _Bundle:
    """What is compared of a bundle; its import checks everything else."""

    def __init__(self, path: Path) -> None:
        try:
            with zipfile.ZipFile(path) as archive:
                names = set(archive.namelist())
                manifest = json.loads(archive.read("manifest.json"))
                self.artifacts: list[str] = list(manifest["artifacts"])
                self.analysis: Any = (
                    json.loads(archive.read("analysis.json")) if "analysis.json" in names else None
                )
                self.report = archive.read("report/report.md").decode()
                self.html = _page(archive.read("report/report.html").decode())
                self.pins = _rows(archive, "pins")
                self.experiments = _rows(archive, "experiments")
                self.uploads = [str(one["uploaded_at"]) for one in _rows(archive, "artifacts")]
                self.corrected = bool(_rows(archive, "stall_corrections"))
                self.releases = _rows(archive, "releases")
                self.path = path
        except (zipfile.BadZipFile, KeyError, ValueError, TypeError, OSError) as error:
            raise click.ClickException(f"{path} is no bundle of Pileup: {error}.") from error


def _rows(archive: zipfile.ZipFile, name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in archive.read(f"work/{name}.jsonl").decode().splitlines()]


# ---- the clean room


@contextmanager
def _installation(home: Path, keep_log: bool) -> Iterator[httpx.Client]:
    """A fresh `pileup run` on a free port, and a client that is signed in there."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PILEUP_")}
    for name in ("PILEUP_KNOWLEDGE_DIR", "PILEUP_MAX_UPLOAD_BYTES", "PILEUP_MAX_EXPANDED_BYTES"):
        if name in os.environ:
            environment[name] = os.environ[name]  # what was found depends on them
    environment |= {"PILEUP_HOME": str(home / "home"), "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen(
        [sys.executable, "-m", "pileup", "run", "--port", "0"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        link = _link(process, keep_log)
        address = urlsplit(link)
        with httpx.Client(
            base_url=f"{address.scheme}://{address.netloc}/api/v1", timeout=120
        ) as client:
            token = parse_qs(address.query)["link"][0]
            answer = client.post(
                "/session/link",
                json={"link": token, "name": "pileup verify", "email": None, "password": None},
            )
            checked(answer)
            client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
            yield client
    finally:
        process.terminate()
        try:
            process.wait(60)
        except subprocess.TimeoutExpired:
            process.kill()


def _link(process: subprocess.Popen[str], keep_log: bool) -> str:
    assert process.stdout is not None
    lines: list[str] = []
    deadline = time.monotonic() + _START_S
    for line in process.stdout:
        lines.append(line)
        if keep_log:
            click.echo(line, nl=False, err=True)
        if match := re.search(r"https?://\S+/sign-in\?link=\S+", line):
            return match[0]
        if time.monotonic() > deadline:
            break
    raise click.ClickException("The clean room did not start:\n" + "".join(lines[-10:]))


def _import(client: httpx.Client, bundle: Path) -> str:
    with bundle.open("rb") as body:
        answer = client.post(
            "/incidents/import", content=body, headers={"Content-Type": "application/zip"}
        )
    return str(checked(answer).json()["id"])


def _wait(client: httpx.Client, incident: str) -> None:
    deadline = time.monotonic() + _READ_S
    while time.monotonic() < deadline:
        told = _get(client, f"/incidents/{incident}/overview").json()
        artifacts, state = told["artifacts"], told["analysis"]["state"]
        if artifacts["parsing"] == 0 and state in ("done", "failed", "none"):
            return
        time.sleep(0.5)
    raise click.ClickException("The artifacts were not read within an hour.")


def _get(client: httpx.Client, path: str) -> httpx.Response:
    return checked(client.get(path))


# ---- comparing


def _missing(before: _Bundle, after: _Bundle) -> list[str]:
    return [f"{one} is gone" for one in before.artifacts if one not in set(after.artifacts)]


def _analysis(before: _Bundle, after: _Bundle) -> tuple[list[str], int]:
    """Every leaf of the analysis: times, counts, ratios, scores, words."""
    old, new = dict(_leaves(before.analysis)), dict(_leaves(after.analysis))
    differing = [
        f"{path}: {_short(old.get(path))} in the bundle, {_short(new.get(path))} computed again"
        for path in sorted(old.keys() | new.keys())
        if not _equal(old.get(path), new.get(path))
    ]
    return differing, max(len(old), len(new), len(differing))


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, one in value.items():
            if not (path == "" and key in _PASSES):
                yield from _leaves(one, f"{path}/{key}")
    elif isinstance(value, list):
        for index, one in enumerate(value):
            yield from _leaves(one, f"{path}/{index}")
    elif value is not None:
        yield path, value


def _equal(old: Any, new: Any) -> bool:
    if isinstance(old, float) and isinstance(new, float):
        return abs(old - new) <= 1e-9 * max(abs(old), abs(new))
    return bool(old == new)


def _page(html: str) -> str:
    """What it says and the numbers of its figures, without the script that makes them move."""
    return _VIEWER.sub("", html[html.find("<body") :])


def _report(before: str, after: str) -> tuple[list[str], int]:
    """Its lines, ids and the moment of the export aside."""
    old, new = _plain(before), _plain(after)
    differing = [
        line
        for line in difflib.unified_diff(old, new, "bundle", "again", lineterm="", n=0)
        if line[:1] in "+-" and line[:3] not in ("+++", "---")
    ]
    return differing, max(len(old), len(differing))


def _plain(report: str) -> list[str]:
    seen: dict[str, str] = {}
    text = _UUID.sub(lambda found: seen.setdefault(found[0], f"id-{len(seen) + 1}"), report)
    return _WRITTEN.sub("", _SERVER.sub("", text)).splitlines()


def _pins(before: _Bundle, after: _Bundle) -> tuple[list[str], int]:
    """Whether each still shows what it showed."""
    turned = [
        f"{old['title']}: was {'stale' if old['stale'] else 'true'} in the bundle, and is "
        f"{'stale' if new['stale'] else 'true'} now"
        for old, new in zip(before.pins, after.pins, strict=False)
        if old["stale"] != new["stale"]
    ]
    if len(before.pins) != len(after.pins):
        turned.append(f"{len(before.pins)} pins became {len(after.pins)}")
    return turned, max(len(before.pins), len(turned))


def _quotes(before: _Bundle) -> tuple[list[str], int]:
    """Every line that a pin quotes stands in its artifact, at the lines that it names."""
    wrong: list[str] = []
    looked = 0
    with zipfile.ZipFile(before.path) as archive:
        for pin in before.pins:
            where, excerpt = pin["locator"] or {}, pin["excerpt"]
            sha, first = where.get("artifact"), where.get("line_first")
            if not excerpt or not first or sha not in before.artifacts or pin["stale"]:
                continue
            with archive.open(f"artifacts/{sha}") as lines:
                last = where.get("line_last") or first
                raw = b"".join(itertools.islice(lines, first - 1, last))
            window = raw.decode("utf-8", "replace")
            for line in excerpt.splitlines():
                looked += 1
                if not line.startswith(_MORE) and line.rstrip("…").rstrip() not in window:
                    wrong.append(f"{pin['title']}: {where.get('path')} does not say {line[:80]!r}")
    return wrong, looked


def _observed(client: httpx.Client, incident: str) -> dict[int, Any]:
    """What the artifacts of each finished experiment show, by its number."""
    return {
        one["number"]: _get(client, f"/experiments/{one['id']}/observed").json()
        for one in _get(client, f"/incidents/{incident}/experiments").json()
        if one["computed"] and one["artifacts"]
    }


def _experiments(before: _Bundle, observed: dict[int, Any]) -> tuple[list[str], int]:
    """What was measured at the finish, and the incident beside it where it is as it was then.

    Symptoms that people wrote are left out: they may have been written or mended since.
    """
    wrong: list[str] = []
    looked = 0
    for one in before.experiments:
        if one["number"] not in observed:
            continue
        since = any(at > str(one["finished_at"]) for at in before.uploads) or before.corrected
        old, new = (
            _measured(told, incident=not since)
            for told in (one["computed"], observed[one["number"]])
        )
        looked += len(old)
        wrong += [
            f"experiment {one['number']} {path}: {_short(old[path])} in the bundle, "
            f"{_short(new.get(path))} computed again"
            for path in sorted(old)
            if not _equal(old[path], new.get(path))
        ]
    return wrong, looked


def _measured(told: dict[str, Any], *, incident: bool) -> dict[str, Any]:
    found = dict(_leaves(told.get("measured"), "measured"))
    if incident:
        found |= dict(_leaves(told.get("trial"), "trial"))
        found |= _symptoms(told.get("symptoms") or {})
    for level in told.get("levels") or ():
        for name in ("run", "incident", "ratio") if incident else ("run",):
            found |= dict(_leaves(level[name], f"levels/{level['series']}/{name}"))
    return found


def _symptoms(told: dict[str, Any]) -> dict[str, str]:
    """Each symptom by its name, and whether the run shows it."""
    return {
        f"symptoms/{name}": state
        for state in ("reproduced", "missing", "new")
        for name in told.get(state) or ()
        if not _UUID.search(name)
    }


def _releases(before: _Bundle) -> tuple[list[str], int]:
    """Each frozen document is what was approved."""
    wrong = [
        f"release {one['number']} is not the document with the SHA-256 {one['sha256'][:16]}…"
        for one in before.releases
        if fingerprint(one["document"].encode()) != one["sha256"]
    ]
    return wrong, len(before.releases)


def _short(value: Any) -> str:
    return "nothing" if value is None else repr(value)[:100]
