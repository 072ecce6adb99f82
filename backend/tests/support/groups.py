"""Assign tests to processes when several processes share a run (``pytest -n 2``).

Tests with one ``xdist_group`` go to one process, so what they share is made once. The processes
start the groups first and the tests marked ``slow`` next, so none of those is left for the end.

xdist itself sends the name of a group inside the id of a test, which pytest since 9.2 does not let
it change: its own ``--dist loadgroup`` then ignores every group without a word. So each process
writes the groups of what it collected into a file, and the scheduler reads them there.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from xdist.remote import Producer
from xdist.scheduler import LoadScopeScheduling
from xdist.workermanage import WorkerController

_FOLDER = "groups_folder"
_OURS = pytest.StashKey[Path]()


def group_of(item: pytest.Item) -> str | None:
    """Return the group that a test belongs to."""
    mark = item.get_closest_marker("xdist_group")
    return None if mark is None else str(mark.args[0])


def shared_folder(config: pytest.Config) -> Path | None:
    """Return the folder that the processes of this run share; None in a run of one process."""
    shared: dict[str, str] = getattr(config, "workerinput", {})
    return Path(shared[_FOLDER]) if _FOLDER in shared else None


class _GroupScheduling(LoadScopeScheduling):
    """Scheduler that assigns whole groups, and tests without a group one at a time."""

    def __init__(self, config: pytest.Config, log: Producer, folder: Path) -> None:
        super().__init__(config, log)
        self._folder = folder
        self._groups: dict[str, str] | None = None

    def _split_scope(self, nodeid: str) -> str:
        if self._groups is None:  # every process has collected by now, and all found the same
            written = next(self._folder.glob("*.json"))
            self._groups = json.loads(written.read_text())
        return self._groups.get(nodeid, nodeid)


class Groups:
    """Plugin with this scheduler; the tests' conftest registers it."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: WorkerController) -> None:
        node.workerinput[_FOLDER] = str(_folder(node.config))

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_make_scheduler(
        self, config: pytest.Config, log: Producer
    ) -> LoadScopeScheduling | None:
        grouped = config.getvalue("dist") == "loadgroup"
        return _GroupScheduling(config, log, _folder(config)) if grouped else None

    @pytest.hookimpl(wrapper=True)
    def pytest_collection_modifyitems(
        self, config: pytest.Config, items: list[pytest.Item]
    ) -> Iterator[None]:
        yield
        folder = shared_folder(config)
        if folder is not None:
            items.sort(key=lambda item: item.get_closest_marker("slow") is None)
            groups = {item.nodeid: group for item in items if (group := group_of(item))}
            draft = folder / f"{os.getpid()}.draft"
            draft.write_text(json.dumps(groups))
            draft.rename(draft.with_suffix(".json"))

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        if _OURS in config.stash:
            shutil.rmtree(config.stash[_OURS], ignore_errors=True)


def _folder(config: pytest.Config) -> Path:
    if _OURS not in config.stash:
        config.stash[_OURS] = Path(tempfile.mkdtemp(prefix="pileup-groups-"))
    return config.stash[_OURS]
