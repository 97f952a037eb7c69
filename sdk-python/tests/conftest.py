"""The fixtures of users, and an environment without settings of this machine."""

from __future__ import annotations

import os

import pytest

pytest_plugins = ["nightbell.pytest_plugin"]


@pytest.fixture(autouse=True)
def no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Take away variables that name an environment or a key."""
    for name in list(os.environ):
        if name.startswith("NIGHTBELL_") or name in ("NODE_ENV", "APP_ENV", "GO_ENV", "GITHUB_SHA"):
            monkeypatch.delenv(name)
