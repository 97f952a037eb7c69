"""The Python client for Nightbell.

Begin with `nightbell.init()` or a `Client`. `trigger_incident` waits for the id of the
incident; everything else returns at once: a bounded queue sends in batches and tries again
under the same id, so that a lost answer never makes a second incident. What waits is
delivered when the process ends, within two seconds.
"""

from nightbell.client import AsyncClient, Client, FlushResult, Stats, get_client, init
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
from nightbell.event import IncidentResult
from nightbell.scope import add_breadcrumb, set_operation, set_tag, set_user
from nightbell.version import __version__

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
