"""Make the analysis of a marked file kill its process, in every process that a test starts.

A ``sitecustomize`` on PYTHONPATH wraps ``gather`` when it is imported: a placed artifact whose path
contains ``deadly`` ends the process, as a native defect or the memory limit does.
"""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

_SITE = """
import os, sys
from importlib.abc import MetaPathFinder
from importlib.machinery import PathFinder

_NAME = "pileup.analysis.clock.gather"

class _Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != _NAME:
            return None
        spec = PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            real = module.gather
            def gather(parsed, **options):
                parsed = list(parsed)
                for artifact, frames in parsed:
                    if frames and "deadly" in artifact.path:
                        os.abort()
                return real(parsed, **options)
            module.gather = gather
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, _Finder())
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make child processes die of ``deadly`` files; this process is as before."""
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(textwrap.dedent(_SITE), encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
