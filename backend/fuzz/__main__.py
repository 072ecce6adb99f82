"""Fuzz a target: python -m fuzz TARGET SECONDS FOLDER [SEED]. Defects are in FOLDER/finds.

Targets and their assertions are in ``fuzz.targets``; seeds are pieces of the committed samples.
To keep a find, give it a name that describes what is odd in it and put it in tests/finds/TARGET:
test_finds checks it from then on.
"""

from __future__ import annotations

import re
import signal
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

import atheris

with atheris.instrument_imports(
    include=["pileup.analysis" if sys.argv[1:2] == ["analysis"] else "pileup.formats"]
):
    from fuzz.targets import TARGETS, Target

from tests.test_finds import finds

_LONGEST = 16 * 1024
_PIECE = 4 * 1024
_MOST_SEEDS = 200
_MOST_WORDS = 400
_MOST_CPU_S = 20
_LONGEST_WAIT_S = 300
"""Where one call of a library takes so long that no signal of Python is handled."""
_BYTES = 5
"""One in so many mutations is of bytes."""


def main() -> None:
    """Fuzz the target named on the command line."""
    name, seconds, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    target = TARGETS.get(name)
    if target is None:
        raise SystemExit(f"There is no target {name!r}. There are: {', '.join(TARGETS)}.")
    seeds, defects = folder / "seeds" / name, folder / "finds" / name
    for path in (seeds, defects):
        path.mkdir(parents=True, exist_ok=True)
    known = [*target.seeds(), *(path.read_bytes() for path in finds(name))]
    _write_seeds(known, seeds)
    words = folder / f"{name}.words"
    words.write_text("".join(f'"{word}"\n' for word in _words(known)), encoding="ascii")
    options = (
        f"-max_total_time={seconds}",
        f"-max_len={_LONGEST}",
        f"-artifact_prefix={defects}/",
        f"-dict={words}",
        f"-timeout={_LONGEST_WAIT_S}",
        f"-rss_limit_mb={target.memory_mb}",
        *(f"-seed={seed}" for seed in sys.argv[4:5]),
    )
    mutator = {} if target.mutate is None else {"custom_mutator": _mutator(target, known)}
    signal.signal(signal.SIGPROF, _report_slow_input)
    atheris.Setup([sys.argv[0], *options, str(seeds)], partial(_run, target), **mutator)
    atheris.Fuzz()


class SlowInputError(BaseException):
    """An input took too much processor time; no bulkhead of ours catches it."""


def _run(target: Target, data: bytes) -> None:
    """Run a target, which is a defect when it takes too much processor time.

    Waiting does not count: on a machine that others use too, a second of work takes many.
    """
    signal.setitimer(signal.ITIMER_PROF, _MOST_CPU_S)
    try:
        target.run(data)
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _report_slow_input(*_: object) -> NoReturn:
    raise SlowInputError(f"more than {_MOST_CPU_S} s of processor time")


def _mutator(target: Target, known: list[bytes]) -> Callable[[bytes, int, int], bytes]:
    """Return libFuzzer's mutator: mostly the target's mutations of text, else those of bytes."""
    texts = [data[:_PIECE].decode("utf-8", "replace") for data in known]
    mutate = target.mutate
    assert mutate is not None

    def custom(data: bytes, most: int, seed: int) -> bytes:
        if seed % _BYTES == 0:
            return bytes(atheris.Mutate(data, most))
        return mutate(data, texts, seed)[:most]

    return custom


def _write_seeds(known: list[bytes], folder: Path) -> None:
    """Write small samples whole and larger ones in pieces: the fuzzer joins and mutates them."""
    pieces = [
        data[start : start + _PIECE] for data in known for start in range(0, len(data), _PIECE)
    ]
    for at, piece in enumerate(pieces[:_MOST_SEEDS]):
        (folder / f"piece-{at:03}").write_bytes(piece)


def _words(known: list[bytes]) -> list[str]:
    """Return the most common words of the samples, as a dictionary for libFuzzer."""
    counts = Counter(re.findall(rb"[!#-\[\]-~]{3,30}", b" ".join(known)))
    return [word.decode() for word, _ in counts.most_common(_MOST_WORDS)]


if __name__ == "__main__":
    main()
