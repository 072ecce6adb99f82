"""Threads that decode the same types at once, for the first two requests, end no process."""

from __future__ import annotations

import subprocess
import sys

import pytest

_DECODE = """
import os, threading, sys
import msgspec
import pileup.api.app
from pileup.analysis.contract import Analysis, RootDoc, StallDoc
from pileup.formats.metrics.parts.csv_mapping import Mapping
from pileup.report.document import Document
from pileup.views.reasoning.run_evidence import RunFiles

sys.setswitchinterval(1e-6)
analysis, others = [Analysis, list[StallDoc], list[RootDoc]], [Document, RunFiles, Mapping]

def decode_at_once(kinds):
    together = threading.Barrier(len(kinds))

    def decode(kind):
        together.wait()
        msgspec.json.Decoder(kind)

    threads = [threading.Thread(target=decode, args=(kind,)) for kind in kinds]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

for kinds in (analysis, others) * 5:  # each in a process where nobody has resolved any of them
    child = os.fork()
    if not child:
        decode_at_once(kinds * 4)
        os._exit(0)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


@pytest.mark.on_turn(5, 6)
def test_threads_resolve_the_same_types_at_once() -> None:
    done = subprocess.run([sys.executable, "-c", _DECODE], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    assert done.stdout.split() == [b"0"] * 10, done.stderr.decode()
