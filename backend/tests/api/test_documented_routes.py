"""docs/reference/api.md names routes that exist."""

from __future__ import annotations

import json
import re

from pileup.api.app import openapi
from tests.conftest import REPOSITORY
from tests.support.site import Site

PAGE = REPOSITORY / "docs" / "reference" / "api.md"


def test_every_route_of_the_page_is_in_the_openapi_document() -> None:
    routes = re.findall(r"^\| `([A-Z]+) (/\S+)` \|", PAGE.read_text(), re.MULTILINE)
    paths = openapi()["paths"]
    assert routes
    for method, path in routes:
        assert method.lower() in paths.get(path, {}), f"{method} {path}"


def test_the_document_is_the_one_that_the_screens_were_built_for() -> None:
    """Every route, field, bound and default, as committed (`make types`)."""
    committed = json.loads((REPOSITORY / "frontend/src/api/openapi.json").read_text())
    assert json.loads(json.dumps(openapi())) == committed


def test_every_server_has_the_document(site: Site) -> None:
    assert site.stranger.get("/openapi.json").json() == openapi()
