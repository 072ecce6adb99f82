"""`pileup verify`: a bundle's numbers, computed again in a clean room of its own."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, nullcontext
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from pileup.cli import main, verify
from pileup.cli.checking.clean_room import installation
from pileup.report.document import fingerprint
from tests.conftest import REPOSITORY
from tests.support.bundles import Change, touched
from tests.worker.conftest import Bench, make_bench

__all__ = ["make_bench"]

RUN = REPOSITORY / "samples/ahi-pileup/experiment-ahi-off/metrics-wide.csv"
DUMP = REPOSITORY / "samples/hot-row/artifacts/metrics-wide.csv"


@pytest.fixture
def bundle(make_bench: Callable[..., Bench], tmp_path: Path) -> Path:
    bench = make_bench()
    incident = bench.site.incident()
    bench.site.upload(incident, "metrics.csv", DUMP.read_bytes())
    bench.work(("artifact", "analyse"))
    admin = bench.site.admin
    (artifact,) = admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"]
    place = {"artifact": artifact["sha256"], "path": artifact["path"], "line_first": 2}
    pin = {"kind": "lines", "title": "a line", "locator": {**place, "line_last": 3}}
    pin["view"] = f"/incidents/{incident}/artifacts?artifact={artifact['id']}&line=2"
    other = {**pin, "title": "another line"}
    asked = {"kind": "series", "series": "metric.threads_running", "op": ">", "value": 5}
    for name, body in (("pins", pin), ("pins", other), ("symptoms", {"predicate": asked})):
        made = admin.post(f"/api/v1/incidents/{incident}/{name}", json=body)
        assert made.status_code == 201, made.text
    run = bench.site.upload(incident, "run.csv", RUN.read_bytes())
    bench.work(("artifact", "analyse"))
    for title in ("AHI off", "AHI off again"):
        measured(bench, incident, run["id"], title)
    # what was asked is kept with the answers, whatever becomes of the symptom
    edited = admin.patch(
        f"/api/v1/symptoms/{made.json()['id']}",
        json={"predicate": asked | {"value": 1e9}},
        headers={"If-Match": '"1"'},
    )
    assert edited.is_success, edited.text
    for number in (1, 2):
        made = admin.post(f"/api/v1/incidents/{incident}/releases", json={"note": "please"})
        assert made.status_code == 201, made.text
        how = "withdraw" if number == 1 else "approve"
        url = f"/api/v1/releases/{made.json()['id']}/{how}"
        body = {} if number == 1 else {"sha256": made.json()["sha256"]}
        assert admin.post(url, json=body).is_success
    # the case goes on after a release, which stays what it was
    note = {"start": "2026-11-20T22:19:50Z", "text": "pager rang 3 times"}
    assert admin.post(f"/api/v1/incidents/{incident}/annotations", json=note).is_success
    path = tmp_path / "incident.pileup.zip"
    path.write_bytes(bench.site.admin.get(f"/api/v1/incidents/{incident}/bundle").content)
    return path


def measured(bench: Bench, incident: str, run: str, title: str) -> None:
    """A finished experiment with a run of its own: what it showed is computed from its file."""
    admin = bench.site.admin
    prediction = {"text": "few run", "metric": "metric.threads_running", "op": "<", "value": 60}
    body = {"title": title, "change": "SET GLOBAL", "prediction": prediction}
    made = admin.post(f"/api/v1/incidents/{incident}/experiments", json=body).json()
    url = f"/api/v1/experiments/{made['id']}"
    assert admin.put(f"{url}/artifacts", json={"artifact_ids": [run]}).is_success
    bench.work(("artifact", "analyse"))  # the file left the incident for the run
    assert admin.post(f"{url}/start").is_success
    finished = admin.post(f"{url}/finish", json={"observation": {"text": "seen"}})
    assert finished.is_success, finished.text
    assert finished.json()["computed"]["measured"]["value"] is not None
    (own,) = finished.json()["computed"]["symptoms"]["own"]
    assert own["words"] == "metric.threads_running above 5"
    assert own["run"] is own["incident"] is True


def _analysis(content: bytes) -> str:
    document = json.loads(content)
    document["stalls"][0]["duration_s"] += 7
    return json.dumps(document)


def _pins(content: bytes) -> str:
    first, other = map(json.loads, content.splitlines())
    first["excerpt"] = "9" + first["excerpt"][1:]
    other["value"] = other["value"].replace("=", "= 1", 1)
    return f"{json.dumps(first)}\n{json.dumps(other)}\n"


def _experiments(content: bytes) -> str:
    experiment, older = map(json.loads, content.splitlines())
    experiment["computed"]["measured"]["value"] *= 1.001
    experiment["computed"]["levels"][0]["run"]["mad"] += 1
    experiment["computed"]["trial"]["text"] += " 7"
    seen = experiment["computed"]["symptoms"]
    machine = next(
        symptom for symptom in seen["reproduced"] if not symptom.startswith("own symptom")
    )
    seen["reproduced"].remove(machine)
    seen["missing"].append(machine)
    seen["own"][0]["run"] = False
    seen["own"][0]["run_text"] = "never"
    experiment["title"] = "what people typed is not computed"
    del older["computed"]["symptoms"]["own"]
    return f"{json.dumps(experiment)}\n{json.dumps(older)}\n"


def _releases(content: bytes) -> str:
    """The first is not what was approved; the second is, as far as its hash tells."""
    first, other = map(json.loads, content.splitlines())
    first["document"] = first["document"].replace("draft", "final").replace(" s", " h", 1)
    first["work"] = None
    document = json.loads(other["document"])
    section = next(s for s in document["sections"] if s["title"] == "Timeline")
    figure = next(block for block in section["blocks"] if block["type"] == "figure")
    point = figure["drawing"]["lanes"][0]["points"][0]
    figure["drawing"]["lanes"][0]["points"][0] = [point[0], 4711.5]
    other["document"] = json.dumps(document)
    other["sha256"] = fingerprint(other["document"].encode())
    return f"{json.dumps(first)}\n{json.dumps(other)}\n"


TOUCHED: dict[str, Change] = {
    "analysis.json": _analysis,
    "report/report.html": lambda html: html.replace(b"threads_running", b"threads_runninG", 1),
    "work/pins.jsonl": _pins,
    "work/experiments.jsonl": _experiments,
    "work/releases.jsonl": _releases,
}


@pytest.fixture
def one_installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Both verifications use one installation: to start another takes ten seconds."""
    with ExitStack() as stack:

        @functools.cache
        def started() -> httpx.Client:
            return stack.enter_context(installation(tmp_path / "room", keep_log=False))

        monkeypatch.setattr(verify, "installation", lambda *_: nullcontext(started()))
        yield


@pytest.mark.slow
@pytest.mark.usefixtures("one_installation")
@pytest.mark.on_turn(1, 3)
def test_a_true_bundle_passes_and_whatever_was_touched_is_named(
    bundle: Path, tmp_path: Path
) -> None:
    """Exit code 0 when all is the same; 1 and the place of a number, a quoted line, a release."""
    passed = CliRunner().invoke(main, ["verify", str(bundle)])
    assert passed.exit_code == 0, passed.output
    assert "DIFFERENT" not in passed.output
    assert "not kept" not in passed.output
    for what in ("pins", "numbers of experiments", "numbers and lines inside releases"):
        looked = re.search(rf"same +([\d,]+) of ([\d,]+) {what}", passed.output)
        assert looked is not None, passed.output
        assert looked[1] == looked[2] != "0"
    assert re.search(r"typed +\d+ numbers that people entered", passed.output)
    assert re.search(r"\n +1 in notes on the timeline", passed.output)
    by = re.search(r"signature: ok, by the key (SHA256:\S+)\n", passed.output)
    assert by is not None, passed.output
    assert re.search(r"same +2 of 2 releases, by their signature", passed.output)

    other = tmp_path / "touched.zip"
    other.write_bytes(touched(bundle.read_bytes(), TOUCHED))
    failed = CliRunner().invoke(main, ["verify", str(other)])
    assert failed.exit_code == 1, failed.output
    for named in (
        r"signature: unsigned",
        r"release 2 has the signature of another document",
        r"/stalls/0/duration_s",
        r"a line: metrics.csv does not say",
        r"E2 another line: was true in the bundle, and is stale now: .+ pinned, .+ computed",
        r"release 1 is not the document",
        r"experiment 1 measured/value: ",
        r"experiment 1 levels/",
        r"experiment 1 trial/text",
        r"experiment 1 symptoms/.+: 'missing' in the bundle",
        r"experiment 1 own symptom 'metric.threads_running above 5' in the run: False in the",
        r"experiment 1 own symptom .+ in the run, seen: 'never' in the bundle",
        r"experiment 2: 'own symptom: metric.threads_running above 5' was checked at finish, and",
        r"DIFFERENT +[\d,]+ of [\d,]+ lines and figures of its HTML",
        r"DIFFERENT +[\d,]+ of [\d,]+ numbers of experiments",
        r"release 2, “Timeline”, block \d \(figure \d, timeline\)/drawing/lanes/0/points/0/1: 47",
        r"not kept +\d+ that cannot be computed again",
        r"release 1: [\d,]+ numbers and lines: it was frozen before the work of that day was kept",
    ):
        assert re.search(named, failed.output), (named, failed.output)


def test_the_signature_of_a_bundle(bundle: Path, tmp_path: Path) -> None:
    """Ok, changed, by another key, unsigned; only a given key makes an unsigned one wrong."""

    def verified(path: Path, *options: str) -> tuple[int, str]:
        done = CliRunner().invoke(main, ["verify", "--signature", str(path), *options])
        return done.exit_code, done.output

    code, output = verified(bundle)
    assert code == 0, output
    fingerprint = output.split()[-1]
    assert verified(bundle, "--key", fingerprint)[0] == 0
    assert verified(bundle, "--key", "SHA256:other") == (
        1,
        f"signature: signed by another key, {fingerprint}\n",
    )
    whole = bundle.read_bytes()
    kept: dict[str, Change] = {"signature.json": bytes}
    cases: list[tuple[dict[str, Change], str]] = [
        ({"work/pins.jsonl": lambda rows: rows + b" "}, "work/pins.jsonl was changed"),
        ({"report/report.md": lambda _: None}, "report/report.md is gone"),
        ({"manifest.json": lambda text: text + b" "}, "does not fit its manifest.json"),
        ({"signature.json": lambda text: text.replace(b'"signature": "', b'"signature": "AA')},
         "does not fit"),
    ]  # fmt: skip
    other = tmp_path / "other.zip"
    for changes, words in cases:
        other.write_bytes(touched(whole, kept | changes))
        code, output = verified(other)
        assert (code, words in output) == (1, True), output
    other.write_bytes(touched(whole, {}))
    assert verified(other) == (0, "signature: unsigned\n")
    assert verified(other, "--key", fingerprint) == (1, "signature: unsigned\n")
    other.write_bytes(b"no zip")
    assert "is no bundle of Pileup" in verified(other)[1]
