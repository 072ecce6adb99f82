"""Threads that decode the same types at once, for the first two requests, end no process."""

from __future__ import annotations

import subprocess
import sys

import pytest

_DECODE = """
import threading, sys
import msgspec
import pileup.api.app
from pileup.analysis.contract import Analysis, RootDoc, StallDoc
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.report.document import Document
from pileup.views.reasoning.run_evidence import RunFiles

sys.setswitchinterval(1e-6)
analysis, others = [Analysis, list[StallDoc], list[RootDoc]], [Document, RunFiles, Mapping]
kinds = {"analysis": analysis, "others": others}[sys.argv[1]] * 4
together = threading.Barrier(len(kinds))

def decode(kind):
    together.wait()
    msgspec.json.Decoder(kind)

threads = [threading.Thread(target=decode, args=(kind,)) for kind in kinds]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
"""


@pytest.mark.parametrize("kinds", ["analysis", "others"])
def test_threads_resolve_the_same_types_at_once(kinds: str) -> None:
    done = subprocess.run([sys.executable, "-c", _DECODE, kinds], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
