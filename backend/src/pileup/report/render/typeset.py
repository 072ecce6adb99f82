"""Typeset one report in a separate process: JSON on standard input, PDF on standard output.

A process of its own can be killed (see pdf.py). It loads typst and nothing from the network: no
packages, no system fonts. It loads little of Pileup: the engine would take it a second.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from pileup.paths import packaged
from pileup.report.render.scripts import FONTS

TEMPLATE = packaged("report/render/paper.typ")
MAX_MEMORY_BYTES = 3 * 1024**3
_NEARLY_EMPTY = 0.3
"""A last page whose text ends above this share of its height."""


def main() -> None:
    """Read the JSON, typeset it, write the PDF."""
    import typst  # 77 MB: only this process loads it

    _bound_memory(MAX_MEMORY_BYTES)
    data = sys.stdin.buffer.read()
    with tempfile.TemporaryDirectory(prefix="pileup-report-") as folder:
        source = Path(folder) / "report.typ"
        source.write_bytes(TEMPLATE.read_bytes())

        def typeset(tight: str) -> tuple[bytes, int, float]:
            compiler = typst.Compiler(
                str(source),
                root=folder,
                font_paths=[str(FONTS)],
                ignore_system_fonts=True,
                package_path=folder,
                package_cache_path=folder,
                sys_inputs={"document": data.decode(), "tight": tight},
            )
            pdf = compiler.compile(format="pdf")
            assert isinstance(pdf, bytes)
            end = json.loads(compiler.query("<end>", field="value", one=True))
            return pdf, end["page"], end["y"]

        done, pages, end = typeset("no")
        if pages > 1 and end < _NEARLY_EMPTY:
            closer, fewer, _ = typeset("yes")
            done = closer if fewer < pages else done
    sys.stdout.buffer.write(done)


def _bound_memory(limit: int) -> None:
    try:
        import resource
    except ImportError:  # not on this platform
        return
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


if __name__ == "__main__":
    main()
