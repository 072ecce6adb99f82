"""Samples load in one click, once."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY
from tests.support.site import Site, open_site, settings_for


@pytest.fixture
def with_samples(postgres_url: str, tmp_path: Path) -> Iterator[Site]:
    settings = settings_for(tmp_path / "home", postgres_url, samples_dir=REPOSITORY / "samples")
    with open_site(settings) as site:
        yield site


def test_the_committed_samples_are_offered(with_samples: Site) -> None:
    """At least two, with a title and a size."""
    offered = with_samples.admin.get("/api/v1/samples").json()
    assert len(offered) >= 2
    assert all(
        choice["title"] and choice["description"] and choice["bytes"] > 1000 for choice in offered
    )


def test_a_sample_loads_once(with_samples: Site) -> None:
    """Loading it again opens it; ground truth is not among the files; experiments are set aside."""
    first = with_samples.admin.post("/api/v1/samples/commit-pileup/load").json()
    assert first["severity"] == "sev1"
    again = with_samples.admin.post("/api/v1/samples/commit-pileup/load").json()
    assert again["id"] == first["id"]
    listed = with_samples.admin.get(f"/api/v1/incidents/{first['id']}/artifacts").json()["items"]
    paths = {item["path"]: item for item in listed}
    assert "my.cnf" in paths
    assert not any("truth" in path.lower() for path in paths)
    attached = paths["experiment-relaxed-durability/my.cnf"]
    assert (attached["run_id"] is None, attached["excluded"]) == (False, False)
    assert with_samples.admin.get("/api/v1/incidents").json()["total"] == 1
    (run,) = with_samples.admin.get(f"/api/v1/incidents/{first['id']}/experiments").json()
    assert run["state"] == "planned"
    assert run["prediction"]["text"]
    assert all(a["path"].startswith("experiment-relaxed-") for a in run["artifacts"])
    assert run["artifacts"]


def test_two_clicks_at_once_make_one_incident(with_samples: Site) -> None:
    """Both are answered with the same incident."""
    load = lambda _: with_samples.admin.post("/api/v1/samples/commit-pileup/load").json()["id"]  # noqa: E731
    with ThreadPoolExecutor(3) as pool:
        assert len(set(pool.map(load, range(3)))) == 1


def test_an_archived_sample_can_be_loaded_anew(with_samples: Site) -> None:
    """The archived one stays as it was."""
    first = with_samples.admin.post("/api/v1/samples/commit-pileup/load").json()
    with_samples.admin.delete(f"/api/v1/incidents/{first['id']}")
    second = with_samples.admin.post("/api/v1/samples/commit-pileup/load").json()
    assert second["id"] != first["id"]


def test_an_unknown_sample(with_samples: Site) -> None:
    """404, whatever the name tries."""
    for name in ("none", "..", "%2e%2e%2fetc"):
        assert with_samples.admin.post(f"/api/v1/samples/{name}/load").status_code in (404, 405)
