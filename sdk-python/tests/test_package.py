"""The package can be imported and promises nothing it does not have."""

import nightbell


def test_exports_nothing_yet() -> None:
    """An empty list is the honest one until the client is here."""
    assert nightbell.__all__ == []
