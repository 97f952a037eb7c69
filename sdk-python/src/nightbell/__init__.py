"""The Python client for Nightbell.

Begin with `nightbell.init()` or a `Client`. `trigger_incident` waits for the id of the
incident; everything else returns at once: a bounded queue sends in batches and tries again
under the same id, so that a lost answer never makes a second incident. What waits is
delivered when the process ends, within two seconds.
"""

from nightbell.client import AsyncClient, Client, get_client, init
from nightbell.errors import (
    ApiError,
    AuthError,
    ClosedError,
    ConfigError,
    ConnectionFailedError,
    DroppedError,
    NightbellError,
    RateLimitError,
    ServerError,
    TimedOutError,
    ValidationError,
)
from nightbell.scope import add_breadcrumb, set_operation, set_tag, set_user
from nightbell.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nightbell.results import FlushResult, IncidentResult, Stats

__all__ = [
    "ApiError",
    "AsyncClient",
    "AuthError",
    "Client",
    "ClosedError",
    "ConfigError",
    "ConnectionFailedError",
    "DroppedError",
    "FlushResult",
    "IncidentResult",
    "NightbellError",
    "RateLimitError",
    "ServerError",
    "Stats",
    "TimedOutError",
    "ValidationError",
    "__version__",
    "add_breadcrumb",
    "get_client",
    "init",
    "set_operation",
    "set_tag",
    "set_user",
]


def __getattr__(name: str) -> type:
    """Load the classes of results when somebody names one."""
    if name not in {"FlushResult", "IncidentResult", "Stats"}:
        message = f"module 'nightbell' has no attribute {name!r}"
        raise AttributeError(message)
    from nightbell import results  # noqa: PLC0415

    return getattr(results, name)
