"""The status of an InnoDB Cluster."""

from __future__ import annotations

import pytest

from pileup.formats.errors import FormatError
from pileup.formats.tables import cluster_status
from tests.formats.checks import samples


@pytest.mark.parametrize("path", samples(cluster_status.NAME), ids=lambda path: path.stem)
def test_sample(path, check_sample):
    check_sample(path)


def test_a_topology_without_a_member_is_refused() -> None:
    with pytest.raises(FormatError, match="No member was found"):
        list(cluster_status.parse(['{"topology": {}, "status": "OK"}']))
