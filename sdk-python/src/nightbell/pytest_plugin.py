"""The fixture `nightbell_client`, for users' tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from nightbell.testing import TestClient

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def nightbell_client() -> Iterator[TestClient]:
    """Give a client whose server is in memory, and close it after the test."""
    with TestClient() as client:
        yield client
