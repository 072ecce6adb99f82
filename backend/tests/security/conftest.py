"""The installation of the API's tests."""

from tests.api.conftest import site

__all__ = ["site"]
