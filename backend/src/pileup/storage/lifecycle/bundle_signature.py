"""The signature of a bundle: over its manifest, which holds the SHA-256 of every other member.

``signature.json`` has the algorithm, the public key, its fingerprint and the signature. A bundle
whose signature was taken out is an unsigned one; only a signature that fits says who made it.
"""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections import Counter
from typing import Any

from pileup.storage.errors import Refused
from pileup.storage.signing import ALGORITHM, Signature, Signer, State, verify

MANIFEST = "manifest.json"
MEMBER = "signature.json"
_MOST_BYTES = 1 << 14
_MOST_MANIFEST = 16 << 20
_ARTIFACTS = "artifacts/"


def sign_manifest(signer: Signer, manifest: bytes) -> bytes:
    """Return the content of ``signature.json`` for this manifest."""
    signature = signer.sign("bundle", manifest)
    content = {
        "algorithm": ALGORITHM,
        "key": signature.key,
        "fingerprint": signature.fingerprint,
        "signature": signature.value,
    }
    return json.dumps(content, indent=2).encode() + b"\n"


def digest(content: bytes | str) -> str:
    """Return the SHA-256 of a member, as the manifest has it."""
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()


def read_signature(archive: zipfile.ZipFile) -> Signature | None:
    """Return the signature of a bundle; None for an unsigned one.

    Raises Refused: ``signature.json`` is damaged.
    """
    if MEMBER not in archive.namelist():
        return None
    with archive.open(MEMBER) as stream:
        raw = stream.read(_MOST_BYTES)
    try:
        content: Any = json.loads(raw)
        key, value = content["key"], content["signature"]
    except (ValueError, TypeError, KeyError) as error:
        raise Refused(f"The signature.json of the bundle is damaged ({error}).") from None
    if not isinstance(key, str) or not isinstance(value, str):
        raise Refused("The signature.json of the bundle is damaged: it has no key or no signature.")
    return Signature(key, value)


def check_signature(
    archive: zipfile.ZipFile, key: str = "", *, artifacts: bool = True
) -> tuple[State, str]:
    """Return the state of a bundle's signature, and for a changed bundle what was changed.

    key: the public key, or its fingerprint, that must have signed; empty: any.
    artifacts: read them too; otherwise only their names count, for a caller who compares their
        bytes with their names.
    """
    signature = read_signature(archive)
    if signature is None:
        return "unsigned", ""
    with archive.open(MANIFEST) as stream:
        manifest = stream.read(_MOST_MANIFEST)
    state = verify(signature, "bundle", manifest, key)
    if state == "changed":
        return state, f"the signature does not fit its {MANIFEST}"
    problem = _first_change(archive, manifest, artifacts=artifacts)
    return ("changed", problem) if problem else (state, "")


def _first_change(archive: zipfile.ZipFile, manifest: bytes, *, artifacts: bool) -> str:
    """Return the first difference between the members and the manifest; empty without one."""
    content = json.loads(manifest)
    known = content.get("members") if isinstance(content, dict) else None
    if not isinstance(known, dict):
        return f"its {MANIFEST} lists no members"
    there = Counter(archive.namelist())
    for name, count in there.items():
        if count > 1:
            return f"{name} is there {count} times"
        if name not in known and name not in (MANIFEST, MEMBER):
            return f"{name} was added"
    for name, sha256 in known.items():
        if name not in there:
            return f"{name} is gone"
        by_name = name.removeprefix(_ARTIFACTS) if name.startswith(_ARTIFACTS) else None
        if by_name is not None and not artifacts:
            found = by_name
        else:
            with archive.open(name) as stream:
                found = hashlib.file_digest(stream, "sha256").hexdigest()  # type: ignore[arg-type]
        if found != sha256:
            return f"{name} was changed"
    return ""
