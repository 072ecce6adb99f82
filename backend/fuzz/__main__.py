"""Fuzz one format: python -m fuzz FORMAT SECONDS FOLDER. What it finds is put in FOLDER/finds.

One run gives the format's sniff a head and its parse the bytes, as a person would who chose it. A
defect is whatever ``tests.formats.checks.assert_sound`` does not hold: a crash, books that do not
balance, lines that do not exist, frames that do not survive Parquet.

Seeds are pieces of the committed samples. To keep a find, give it a name that tells what is odd in
it and put it in tests/finds/FORMAT: test_finds holds it from then on.
"""

from __future__ import annotations

import re
import sys
import zlib
from collections import Counter
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["pileup.formats"]):
    from pileup import formats

from tests.formats.checks import assert_sound, parse_bytes, samples
from tests.test_finds import finds

_LONGEST = 16 * 1024
_PIECE = 4 * 1024
_MOST_SEEDS = 200
_MOST_WORDS = 400
_FULL = 16


def main() -> None:
    name, seconds, folder = sys.argv[1], int(sys.argv[2]), Path(sys.argv[3])
    chosen = formats.by_name(name)
    if chosen is None:
        raise SystemExit(f"There is no format {name!r}. `pileup formats` lists them.")
    seeds, found = folder / "seeds" / name, folder / "finds" / name
    for each in (seeds, found):
        each.mkdir(parents=True, exist_ok=True)
    _write_seeds(name, seeds)

    words = folder / f"{name}.words"
    words.write_text("".join(f'"{word}"\n' for word in _words(name)), encoding="ascii")

    def one(data: bytes) -> None:
        chosen.sniff(data.decode("utf-8", "replace"))
        parsed = parse_bytes(data, "x", name)
        assert not parsed.crashed, parsed.failed
        if zlib.crc32(data) % _FULL == 0:  # Parquet costs as much as ten small files
            assert_sound(parsed, len(data))

    options = (
        f"-max_total_time={seconds}",
        f"-max_len={_LONGEST}",
        f"-artifact_prefix={found}/",
        f"-dict={words}",
        "-timeout=20",
        "-rss_limit_mb=2048",
    )
    atheris.Setup([sys.argv[0], *options, str(seeds)], one)
    atheris.Fuzz()


def _write_seeds(name: str, folder: Path) -> None:
    """Whole small samples, and pieces of each: the fuzzer joins and mutates them."""
    at = 0
    for path in (*samples(name), *finds(name)):
        data = path.read_bytes()
        for start in range(0, len(data), _PIECE):
            if at < _MOST_SEEDS:
                (folder / f"piece-{at:03}").write_bytes(data[start : start + _PIECE])
                at += 1


def _words(name: str) -> list[str]:
    """Words of the samples, as libFuzzer wants them: what bytes alone would take long to spell."""
    text = b" ".join(path.read_bytes() for path in samples(name))
    found = Counter(re.findall(rb"[!#-\[\]-~]{3,30}", text))
    return [word.decode() for word, _ in found.most_common(_MOST_WORDS)]


if __name__ == "__main__":
    main()
