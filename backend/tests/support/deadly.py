"""Make the analysis or the reading of a marked file kill its process, in all that a test starts.

A ``sitecustomize`` on PYTHONPATH wraps a function when its module is imported: a file whose path
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

class _Finder(MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name != "MODULE":
            return None
        spec = PathFinder.find_spec(name, path, target)
        run = spec.loader.exec_module
        def exec_module(module):
            run(module)
            real = module.FUNCTION
            def analysed(parsed, **options):
                parsed = list(parsed)
                for artifact, frames in parsed:
                    if frames and "deadly" in artifact.path:
                        os.abort()
                return real(parsed, **options)
            def read(path, **options):
                if "deadly" in options["name"]:
                    os.abort()
                return real(path, **options)
            module.FUNCTION = read if "FUNCTION" == "parse_path" else analysed
        spec.loader.exec_module = exec_module
        return spec

sys.meta_path.insert(0, _Finder())
"""


def install(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make child processes die of analysing ``deadly`` files; this process is as before."""
    _install(folder, monkeypatch, "pileup.analysis.clock.gather", "gather")


def install_reader(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make child processes die of reading ``deadly`` files; this process is as before."""
    _install(folder, monkeypatch, "pileup.formats.driver", "parse_path")


def _install(folder: Path, monkeypatch: pytest.MonkeyPatch, module: str, function: str) -> None:
    text = textwrap.dedent(_SITE).replace("MODULE", module).replace("FUNCTION", function)
    folder.mkdir(exist_ok=True)
    (folder / "sitecustomize.py").write_text(text, encoding="utf-8")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    monkeypatch.setenv("PYTHONPATH", path)
