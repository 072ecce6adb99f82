"""Two API processes and a worker over a bucket, with no folder in common; garbage collection."""

from __future__ import annotations

import base64
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from pileup.settings import Settings
from pileup.storage.artifacts.blob_holds import hold_blobs, lock_out_holders
from pileup.storage.database import Database
from pileup.storage.errors import StoreUnreachable
from pileup.storage.lifecycle.garbage import Garbage
from pileup.views.stores import Stores, open_stores
from pileup.worker.purge import purge
from pileup.worker.runtime import make_runtime
from tests.support.s3_server import bucket_settings, faulty, moto_in_process
from tests.support.site import Site, open_site, settings_for
from tests.worker.conftest import Bench

BYTES = {"Content-Type": "application/offset+octet-stream", "Tus-Resumable": "1.0.0"}
LOG = (
    b"procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
    b" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"
) + b"".join(
    b" 1  0      0 %6d  21236 514220    0    0     3    12   90  180  2  1 97  0  0\n" % at
    for at in range(1500)
)


def begin(site: Site, incident: str, size: int) -> str:
    headers = {
        "Upload-Length": str(size),
        "Upload-Metadata": "filename " + base64.b64encode(b"log.txt").decode(),
    }
    made = site.admin.post(f"/api/v1/incidents/{incident}/uploads", headers=headers)
    assert made.status_code == 201, made.text
    return str(made.headers["Location"])


def append(site: Site, location: str, at: int, data: bytes) -> Any:
    return site.admin.patch(location, content=data, headers=BYTES | {"Upload-Offset": str(at)})


def garbage(database: Database, stores: Stores) -> Garbage:
    return Garbage(database, stores.blobs, stores.frames, stores.placed, stores.uploads)


def age(database: Database, incident: str) -> None:
    with database.unit() as unit:
        unit.session.execute(
            text("update incidents set deleted_at = deleted_at - :d where id = :id"),
            {"d": timedelta(days=40), "id": incident},
        )


def test_machines_share_only_database_and_bucket(postgres_url: str, tmp_path: Path) -> None:
    """An upload goes on through another API, a third machine reads it, the first shows its lines.

    While the bucket is away the API answers 503, a job waits for it, and nothing is lost or half
    visible. A purge leaves no object behind.
    """
    content = LOG
    with ExitStack() as stack:
        endpoint = stack.enter_context(moto_in_process())
        address, faults = stack.enter_context(faulty(endpoint))

        def settings(name: str) -> Settings:
            more = bucket_settings(address, s3_retry_s=0.0)
            return settings_for(tmp_path / name, postgres_url, **more)

        first = stack.enter_context(open_site(settings("one")))
        two = stack.enter_context(open_site(settings("two")))
        runtime = make_runtime(settings("three"))
        stack.enter_context(closing(runtime.database))
        incident = first.incident()
        location = begin(first, incident, len(content))
        assert append(first, location, 0, content[:40_000]).status_code == 204
        faults.answer = 503
        refused = append(two, location, 40_000, content[40_000:90_000])
        assert (refused.status_code, refused.headers["Retry-After"]) == (503, "3")
        faults.clear()
        assert two.admin.head(location).headers["Upload-Offset"] == "40000"
        assert append(two, location, 40_000, content[40_000:90_000]).status_code == 204
        faults.matching, faults.answer = b"/blobs/", 500  # the last byte arrives, the file not
        assert append(first, location, 90_000, content[90_000:]).status_code == 503
        assert first.admin.get(f"/api/v1/incidents/{incident}/artifacts").json()["items"] == []
        faults.clear()
        done = append(two, location, len(content), b"")
        assert done.status_code == 204, done.text
        artifact = done.headers["X-Artifact-Id"]
        assert list(runtime.stores.uploads.stored()) == []

        bench = Bench(first, runtime)
        faults.matching, faults.answer = b"/frames/", 503
        (job,) = bench.queued(("artifact",))
        bench.work_once()
        assert bench.queued(("artifact",)) == [job]
        faults.clear()
        bench.work(("artifact", "analyse"))
        assert first.admin.get(f"/api/v1/artifacts/{artifact}").json()["state"].startswith("done")
        raw = two.admin.get(f"/api/v1/artifacts/{artifact}/raw", params={"line": 1, "count": 1})
        assert raw.json()["lines"] == [LOG.split(b"\n")[0].decode()]
        assert two.admin.get(f"/api/v1/artifacts/{artifact}/download").content == content

        stores = runtime.stores
        assert list(garbage(runtime.database, stores).find(grace_s=-10)) == []
        two.admin.delete(f"/api/v1/incidents/{incident}")
        age(runtime.database, incident)
        purge(runtime.settings, runtime.database, stores)
        assert garbage(runtime.database, stores).collect(grace_s=-10) >= 1
        assert list(stores.blobs.objects.entries()) == []
        assert list(stores.frames.blobs()) == list(stores.placed.incidents()) == []


def test_garbage_is_what_no_row_names(postgres_url: str, tmp_path: Path) -> None:
    """Recent files, uploads in progress and blobs whose row is on its way stay."""
    with open_site(settings_for(tmp_path / "home", postgres_url)) as site:
        stores = open_stores(site.settings)
        heap = garbage(site.database, stores)
        incident = site.incident()
        kept = site.upload(incident, "a.txt", b"kept")["sha256"]
        location = begin(site, incident, 10)
        append(site, location, 0, b"12345")
        with stores.blobs.draft(100) as draft:
            draft.write(b"nobody names this")
            lost = draft.keep().sha256
        stores.uploads.create("01-abandoned")
        assert list(heap.find()) == []
        found = {(orphan.kind, orphan.name) for orphan in heap.find(grace_s=-1)}
        assert found == {("blob", lost), ("upload", "01-abandoned")}
        with site.database.unit() as unit:
            hold_blobs(unit, stores.blobs, [lost])  # as a transaction that adds its row
            assert heap.collect(grace_s=-1) == 0
        assert heap.collect(grace_s=-1) == 2
        assert not stores.blobs.holds(lost)
        assert stores.blobs.holds(kept)
        with site.database.unit() as unit, pytest.raises(StoreUnreachable):
            hold_blobs(unit, stores.blobs, [lost])
        with site.database.unit() as unit:
            assert lock_out_holders(unit)
        assert append(site, location, 5, b"67890").status_code == 204
