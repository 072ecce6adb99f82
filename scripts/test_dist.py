"""Install the wheel of `make dist` into a bare environment and use it: no Node, no checkout.

The commands run in an empty folder, with a PATH that holds the environment and nothing else.
Usage: test_dist.py FOLDER    (the folder with the wheel and constraints.txt)
       test_dist.py LINK      (a sign-in link: uses the installation that printed it)
"""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import httpx

T = TypeVar("T")
SAMPLE = "commit-mutex"
LINK = re.compile(r"(https?://\S+)/sign-in\?link=(\S+)")


def main() -> None:
    if match := LINK.fullmatch(sys.argv[1]):
        with signed_in(match) as client:
            use(client)
        say("passed")
        return
    (wheel,) = Path(sys.argv[1]).resolve().glob("pileup-*.whl")
    with tempfile.TemporaryDirectory(prefix="pileup-dist-") as scratch:
        folder = Path(scratch)
        folder.chmod(0o755)  # the embedded database of a root user runs as somebody else
        environment = install(wheel, folder)
        run_alone(environment, folder)
    say("passed")


def install(wheel: Path, folder: Path) -> Path:
    """Return the environment that has the wheel and its dependencies, and nothing else."""
    environment = folder / "venv"
    venv.create(environment, with_pip=True)
    say(f"installing {wheel.name}, {wheel.stat().st_size / 2**20:.1f} MiB, into {environment}")
    pip = [environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input"]
    constraints = ["--constraint", str(wheel.parent / "constraints.txt")]
    subprocess.run(
        [*pip, "--disable-pip-version-check", *constraints, str(wheel)], cwd=folder, check=True
    )
    return environment


def run_alone(environment: Path, folder: Path) -> None:
    """Check what a newcomer does first: analyze, run, load a sample, export the report, stop."""
    work = folder / "work"
    work.mkdir()
    words = {
        "PATH": str(environment / "bin"),
        "HOME": str(folder),
        "PILEUP_HOME": str(folder / "data"),
    }

    def pileup(*arguments: str) -> str:
        done = subprocess.run(
            [environment / "bin" / "pileup", *arguments],
            cwd=work,
            env=words,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        expect(done.returncode == 0, f"pileup {' '.join(arguments)}: {done.stdout}{done.stderr}")
        return done.stdout

    where = "from pileup import paths; print(paths.samples(), paths.built_ui())"
    places = subprocess.check_output(
        [environment / "bin" / "python", "-c", where], cwd=work, env=words, text=True
    ).split()
    expect(
        all(Path(place).is_relative_to(environment) for place in places),
        f"samples and UI are in the wheel: {places}",
    )
    report = pileup("analyze", str(Path(places[0]) / SAMPLE / "artifacts"))
    expect("Likely cause" in report or "cause" in report.lower(), f"an analysis: {report[:400]}")
    say("pileup analyze works")

    with (folder / "run.log").open("w+") as log:
        process = subprocess.Popen(
            [environment / "bin" / "pileup", "run", "--port", "0"],
            cwd=work,
            env=words,
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            printed = folder / "run.log"
            link = until(
                lambda: LINK.search(printed.read_text()),
                120,
                "a sign-in link",
                lambda: process.poll() is None,
            )
            with signed_in(link) as client:
                use(client)
            pileup("doctor")
            say("pileup doctor finds nothing wrong")
        except BaseException:
            log.seek(0)
            print(log.read()[-4000:], file=sys.stderr)
            raise
        finally:
            process.send_signal(signal.SIGTERM)
            status = process.wait(60)
    expect(status == 0, f"pileup run stopped with {status}")


@contextmanager
def signed_in(match: re.Match[str]) -> Iterator[httpx.Client]:
    """Sign in with the link that `pileup run` or `pileup link` printed."""
    with httpx.Client(base_url=match[1], timeout=60) as client:
        body = {"link": match[2], "name": "Ada", "email": None, "password": None}
        client.post("/api/v1/session/link", json=body).raise_for_status()
        client.headers["X-CSRF-Token"] = client.cookies["pileup_csrf"]
        yield client


def use(client: httpx.Client) -> None:
    """Open the UI, load a sample, wait for its analysis, export its report."""
    page = client.get("/")
    assets = re.findall(r'(?:src|href)="(/[^"]+)"', page.text)
    expect(page.status_code == 200 and assets, f"the page of the UI: {page.status_code}")
    for address in [*assets, "/licenses.md"]:
        answer = client.get(address)
        served = answer.status_code == 200 and "text/html" not in answer.headers["content-type"]
        expect(served, f"{address} of the UI: {answer.status_code}")
    say(f"the UI is served, with {len(assets)} files that its page names")

    offered = {sample["id"]: sample for sample in client.get("/api/v1/samples").json()}
    expect(SAMPLE in offered, f"samples on offer: {sorted(offered)}")
    if loaded := offered[SAMPLE]["incident_id"]:  # loading it again would only open it
        client.delete(f"/api/v1/incidents/{loaded}").raise_for_status()
    incident = client.post(f"/api/v1/samples/{SAMPLE}/load").json()["id"]
    address = f"/api/v1/incidents/{incident}"
    until(
        lambda: client.get(f"{address}/analysis").status_code == 200 or None,
        240,
        "the analysis of the sample",
    )
    say(f"the sample {SAMPLE} is loaded and analysed by the worker")
    pdf = client.get(f"{address}/report/export", params={"format": "pdf"})
    expect(pdf.content.startswith(b"%PDF"), f"a PDF: {pdf.status_code} {pdf.text[:200]}")
    html = client.get(f"{address}/report/export", params={"format": "html"})
    expect("<script" in html.text, "the HTML report has its viewer")
    say(f"the report is exported: PDF of {len(pdf.content) // 1024} KiB, HTML with its viewer")


def until(
    attempt: Callable[[], T | None],
    seconds: float,
    what: str,
    alive: Callable[[], bool] = lambda: True,
) -> T:
    """Return the first answer that is not None."""
    deadline = time.monotonic() + seconds
    while alive() and time.monotonic() < deadline:
        if (answer := attempt()) is not None:
            return answer
        time.sleep(0.5)
    raise SystemExit(f"test-dist: FAILED: {what} did not come within {seconds} s")


def expect(holds: object, what: str) -> None:
    if not holds:
        raise SystemExit(f"test-dist: FAILED: {what}")


def say(text: str) -> None:
    print(f"test-dist: {text}", flush=True)


if __name__ == "__main__":
    main()
