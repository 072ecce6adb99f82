"""Build bundles with members changed or removed, as an untrusted sender might."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

Change = Callable[[bytes], bytes | str | None]


def touched(bundle: bytes, changes: Mapping[str, Change]) -> bytes:
    """Return the bundle with these members rewritten by the functions; None removes a member.

    Its signature is taken out, as a forger would, unless ``signature.json`` has a function too.
    """
    changes = {"signature.json": lambda _: None, **changes}
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(bundle)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            content = changes.get(name, bytes)(old.read(name))
            if content is not None:
                new.writestr(name, content)
    return made.getvalue()


def with_fields(put: Mapping[str, Any]) -> Change:
    """Return the only row of a member with these fields set."""
    return lambda row: json.dumps(json.loads(row) | put)
