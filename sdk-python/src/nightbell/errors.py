"""What can go wrong, as exceptions."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class NightbellError(Exception):
    """The class of every exception of this package."""


class ConfigError(NightbellError):
    """A configuration that cannot be right."""

    def __init__(self, option: str, code: str, message: str) -> None:
        """Name the option; the code is required, bad_format, out_of_range or insecure."""
        super().__init__(message)
        self.option = option
        self.code = code


class ClosedError(NightbellError):
    """The client is closed, disabled or has no key."""


class DroppedError(NightbellError):
    """The program's before_send dropped the event."""


class ApiError(NightbellError):
    """A call that the server refused or that did not reach it."""

    def __init__(  # noqa: PLR0913 - what an answer can say
        self,
        message: str,
        *,
        status: int | None = None,
        code: str | None = None,
        request_id: str | None = None,
        details: list[dict[str, Any]] | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Keep what the answer said. Without an answer the status is None."""
        super().__init__(message)
        self.message = message
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details = details or []
        self.retry_after = retry_after
        self.event_id: str | None = None
        self.queued = False

    def __str__(self) -> str:
        """Say what happened, and whether the event is still on its way."""
        text = self.message
        if self.status is not None:
            text += f" (status {self.status})"
        if self.queued:
            text += "; the event is queued and will be sent"
        return text


class AuthError(ApiError):
    """The key was refused."""


class ValidationError(ApiError):
    """The event was refused. `details` names the fields."""


class RateLimitError(ApiError):
    """Too many events. `retry_after` is in seconds."""


class ServerError(ApiError):
    """The server failed."""


class ConnectionFailedError(ApiError):
    """The server could not be reached."""


class TimedOutError(ConnectionFailedError):
    """The server did not answer in time."""


def invalid(field: str, code: str, message: str) -> ValidationError:
    """Make the error of an input that is refused before anything is sent."""
    return ValidationError(
        message,
        code="invalid_fields",
        details=[{"field": field, "code": code, "message": message}],
    )
