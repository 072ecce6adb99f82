"""Provide a fresh installation for each test of the API."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.site import Site, open_site, settings_for


@pytest.fixture
def site(postgres_url: str, tmp_path: Path) -> Iterator[Site]:
    with open_site(settings_for(tmp_path / "home", postgres_url)) as opened:
        yield opened
