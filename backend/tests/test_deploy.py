"""docker-compose.yml and the Helm chart: limits, rights, settings that exist, golden files."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from sqlalchemy import make_url, text

from pileup import __version__
from pileup.runtime.postgres import client_binary
from pileup.settings import Settings
from pileup.storage.migrate import upgrade
from tests.conftest import REPOSITORY
from tests.support.postgres import PostgresForTests
from tests.support.site import open_site, settings_for

CHART = REPOSITORY / "deploy" / "helm" / "pileup"
GOLDEN = sorted((REPOSITORY / "deploy" / "helm" / "golden").glob("*.yaml"))
COMPOSE = REPOSITORY / "docker-compose.yml"
RABBITMQ = REPOSITORY / "docker-compose.rabbitmq.yml"
S3 = REPOSITORY / "docker-compose.s3.yml"
SETTINGS = {f"PILEUP_{name.upper()}" for name in Settings.model_fields}
BUILT_IN_IMAGE = {"PILEUP_HOME", "PILEUP_HOST", "PILEUP_PORT"}


def _services(path: Path) -> dict[str, dict[str, Any]]:
    services: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text("utf-8"))["services"]
    return services


@pytest.mark.parametrize("name", [*sorted(_services(COMPOSE)), "s3"])
def test_each_container_has_limits_and_no_rights(name: str) -> None:
    """Memory, processes, rotated logs; no root file system to write to, no capability."""
    service = (_services(COMPOSE) | {"s3": _services(S3)["s3"]})[name]
    assert service["mem_limit"]
    assert service["pids_limit"] > 0
    assert service["cpus"]
    assert service["logging"]["options"].keys() == {"max-size", "max-file"}
    assert service["read_only"] is True
    assert service["cap_drop"] == ["ALL"]
    assert service["security_opt"] == ["no-new-privileges:true"]


def test_the_role_of_compose_is_no_superuser(
    postgres_server: PostgresForTests, tmp_path: Path
) -> None:
    """What compose runs in a new volume makes a role that can migrate and serve, and no more."""
    postgres = _services(COMPOSE)["postgres"]
    script = "./deploy/postgres/roles.sh:/docker-entrypoint-initdb.d/roles.sh:ro"
    assert script in postgres["volumes"]
    assert postgres["environment"]["POSTGRES_USER"] == "postgres"
    assert "ADMIN" not in json.dumps([_services(COMPOSE)[name] for name in ("api", "worker")])
    name = postgres_server.empty_database()
    address = make_url(postgres_server.url(name))
    psql = client_binary("psql")
    environment = {
        "PATH": f"{psql.parent}:/usr/bin:/bin",
        "PGHOST": str(address.query["host"]),
        "POSTGRES_USER": str(address.username),
        "POSTGRES_DB": name,
        "APPLICATION_ROLE": f"app_{name}",
        "APPLICATION_PASSWORD": "letters",
    }
    subprocess.run(
        ["sh", str(REPOSITORY / "deploy/postgres/roles.sh")], env=environment, check=True
    )
    url = address.set(username=f"app_{name}").render_as_string(hide_password=False)
    upgrade(url)
    with open_site(settings_for(tmp_path, url)) as site:
        assert site.admin.get(f"/api/v1/incidents/{site.incident()}").status_code == 200
        with site.database.unit() as unit:
            rights = "rolsuper or rolcreaterole or rolcreatedb or rolreplication or rolbypassrls"
            mine = text(f"select {rights} from pg_roles where rolname = current_user")
            assert unit.session.scalar(mine) is False
    postgres_server.drop(name)


def test_only_workers_know_the_broker() -> None:
    """The API and the migration need the database alone."""
    for path in (COMPOSE, RABBITMQ):
        knowing = {
            name
            for name, service in _services(path).items()
            if "PILEUP_BROKER_URL" in service.get("environment", {})
        }
        assert knowing == {"worker"}, path.name


def test_with_a_bucket_no_container_shares_a_folder() -> None:
    """API and workers have the bucket, and a folder each."""
    for name in ("api", "worker", "migrate"):
        service = _services(S3)[name]
        assert service["volumes"] == ["/data"]
        assert name == "migrate" or service["environment"]["PILEUP_S3_BUCKET"]


def test_compose_names_settings_that_exist() -> None:
    for path in (COMPOSE, RABBITMQ, S3):
        for service in _services(path).values():
            named = {name for name in service.get("environment", {}) if name.startswith("PILEUP_")}
            assert named <= SETTINGS


def test_every_variable_of_compose_without_a_default_is_in_the_example() -> None:
    """And a secret never has a default."""
    text = "".join(path.read_text("utf-8") for path in (COMPOSE, RABBITMQ, S3))
    needed = set(re.findall(r"\$\{(\w+):\?", text))
    example = dict(
        line.split("=", 1)
        for line in (REPOSITORY / ".env.example").read_text("utf-8").splitlines()
        if "=" in line and not line.startswith("#")
    )
    assert needed == {name for name, value in example.items() if not value}
    assert set(example) - needed <= set(re.findall(r"\$\{(\w+):-", text))
    assert not re.search(r"PASSWORD:-", text)


def test_rabbitmq_changes_only_services_that_are_there() -> None:
    assert _services(RABBITMQ).keys() <= _services(COMPOSE).keys()


def test_images_can_be_pinned(tmp_path: Path) -> None:
    """`pin-images.sh` names each base image with the digest of the registry (here a double's)."""
    docker = tmp_path / "docker"
    docker.write_text(
        '#!/bin/sh\nfor last; do :; done\n[ "$last" = "${REFUSED:-}" ] && exit 1\necho sha256:abc\n'
    )
    docker.chmod(0o755)
    command = ["sh", str(REPOSITORY / "scripts" / "pin-images.sh")]
    path = f"{tmp_path}:/usr/bin:/bin"
    done = subprocess.run(command, env={"PATH": path}, capture_output=True, text=True, check=True)
    pinned = dict(line.split("=", 1) for line in done.stdout.splitlines())
    assert pinned["PILEUP_POSTGRES_IMAGE"] == "postgres:17@sha256:abc"
    assert all(image.endswith("@sha256:abc") for image in pinned.values())
    in_dockerfile = re.findall(r"ARG (\w+)=(\S+)", (REPOSITORY / "Dockerfile").read_text("utf-8"))
    assert {
        f"PILEUP_{name}": f"{image}@sha256:abc" for name, image in in_dockerfile
    }.items() <= pinned.items()

    refused = {"PATH": path, "REFUSED": "postgres:17"}
    failed = subprocess.run(command, env=refused, capture_output=True, text=True, check=False)
    assert failed.returncode == 1
    assert "no digest for postgres:17" in failed.stderr


# ---- the chart -------------------------------------------------------------------------------


def _rendered(path: Path) -> list[dict[str, Any]]:
    return [each for each in yaml.safe_load_all(path.read_text("utf-8")) if each]


def _pods(path: Path) -> dict[str, dict[str, Any]]:
    return {
        each["metadata"]["name"]: each["spec"]["template"]["spec"]
        for each in _rendered(path)
        if each["kind"] == "Deployment"
    }


def test_the_golden_files_belong_to_the_chart() -> None:
    """`sh scripts/check-chart.sh write` renders them again (helm, or Go to build it)."""
    digest = subprocess.run(
        [sys.executable, str(REPOSITORY / "scripts" / "chart.py"), "digest"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    cases = {path.name.removesuffix("-values.yaml") for path in (CHART / "ci").glob("*.yaml")}
    assert {path.stem for path in GOLDEN} == cases
    for path in GOLDEN:
        assert path.read_text("utf-8").splitlines()[0].endswith(f" {digest}"), path.name


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_each_pod_is_restricted(path: Path) -> None:
    """The "restricted" pod security standard, a read-only root, limits, no account token."""
    for name, pod in _pods(path).items():
        assert pod["automountServiceAccountToken"] is False, name
        assert pod["enableServiceLinks"] is False, name
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            security = container["securityContext"]
            assert security["readOnlyRootFilesystem"] is True, name
            assert security["allowPrivilegeEscalation"] is False, name
            assert security["capabilities"] == {"drop": ["ALL"]}, name
            assert container["resources"]["limits"]["memory"], name
            mounted = {mount["name"] for mount in container["volumeMounts"]}
            assert mounted <= {volume["name"] for volume in pod["volumes"]}, name


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_the_chart_names_settings_and_objects_that_exist(path: Path) -> None:
    everything = _rendered(path)
    (config,) = (each for each in everything if each["kind"] == "ConfigMap")
    assert config["data"].keys() <= SETTINGS - BUILT_IN_IMAGE
    labels = [pod["metadata"]["labels"] for pod in _templates(everything)]
    for each in everything:
        if each["kind"] == "Service":
            wanted = each["spec"]["selector"].items()
            assert any(wanted <= having.items() for having in labels), each["metadata"]["name"]
    for name, pod in _pods(path).items():
        for container in [*pod.get("initContainers", []), *pod["containers"]]:
            variables = {each["name"] for each in container["env"]} - {"BROKER_PASSWORD"}
            assert variables <= SETTINGS, name
            assert ("PILEUP_BROKER_URL" in variables) == (container["name"] == "worker"), name


def _templates(everything: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each["spec"]["template"] for each in everything if each["kind"] == "Deployment"]


def test_the_chart_is_of_this_version() -> None:
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text("utf-8"))
    assert chart["appVersion"] == __version__
    json.loads((CHART / "values.schema.json").read_text("utf-8"))
