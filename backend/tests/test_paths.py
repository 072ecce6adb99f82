"""What the wheel holds, and that the running program looks for its files in one place."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hatchling.builders.wheel import WheelBuilder

from pileup import paths
from pileup.settings import Settings
from tests.conftest import REPOSITORY

BACKEND = REPOSITORY / "backend"
PACKAGE = BACKEND / "src" / "pileup"


def test_one_module_knows_where_the_package_is() -> None:
    """Everything else asks it, so the wheel has to be right in one place only."""
    pattern = re.compile(
        r"__file__|importlib\.resources|import resources|__path__|os\.getcwd|Path\.cwd"
    )
    own = {path for path in PACKAGE.rglob("*.py") if pattern.search(path.read_text("utf-8"))}
    alembic = PACKAGE / "storage" / "migrations" / "env.py"
    assert own - {alembic} == {PACKAGE / "paths.py"}


def test_every_file_named_by_its_place_in_the_package_is_there() -> None:
    """Each `packaged("…")` of the sources."""
    named = {
        name
        for path in PACKAGE.rglob("*.py")
        for name in re.findall(r'packaged\("([^"]+)"\)', path.read_text("utf-8"))
    }
    assert {"knowledge/data", "report/render/fonts", "storage/migrations"} <= named
    assert [name for name in sorted(named) if not paths.packaged(name).exists()] == []


def test_the_wheel_holds_every_file_of_the_package() -> None:
    """Knowledge, fonts, migrations, templates: hatchling leaves out what git ignores."""
    held = {Path(file.path) for file in WheelBuilder(str(BACKEND)).recurse_included_files()}
    there = {
        path
        for path in PACKAGE.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".pyc"
    }
    assert there - held == set()
    ends = {path.suffix for path in held}
    assert {".py", ".yaml", ".parquet", ".ttf", ".otf", ".typ", ".mako", ".typed"} <= ends


def test_what_a_wheel_brings_comes_before_a_checkout(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And a setting before both; without any of them there is neither UI nor sample."""
    package = tmp_path / "site-packages" / "pileup"
    monkeypatch.setattr(paths, "_BUNDLED", package / "bundled")
    monkeypatch.setattr(paths, "_CHECKOUT", tmp_path / "nowhere")
    settings = Settings()
    assert (settings.built_ui, settings.samples) == (None, None)

    monkeypatch.setattr(paths, "_CHECKOUT", REPOSITORY)
    assert settings.samples == REPOSITORY / "samples"

    for name, marker in (("ui", "index.html"), ("samples", "README.md")):
        (package / "bundled" / name).mkdir(parents=True)
        (package / "bundled" / name / marker).touch()
    assert settings.built_ui == package / "bundled" / "ui"
    assert settings.samples == package / "bundled" / "samples"
    own = Settings(ui_dir=tmp_path, samples_dir=tmp_path)
    assert (own.built_ui, own.samples) == (tmp_path, tmp_path)


def test_the_script_puts_ui_and_samples_where_they_are_looked_for() -> None:
    """`scripts/dist.sh` and the Dockerfile name the same folders as `paths`."""
    for name in ("scripts/dist.sh", "Dockerfile"):
        text = (REPOSITORY / name).read_text("utf-8")
        for folder in ("ui", "samples"):
            place = paths._BUNDLED.relative_to(PACKAGE.parent) / folder
            assert f"src/{place}" in text, f"{name} does not fill {place}"
