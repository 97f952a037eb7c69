"""What all events of a request, a job or another piece of work have in common."""

from __future__ import annotations

import time
from contextvars import ContextVar

from nightbell.event import MAX_BREADCRUMBS, timestamp
from nightbell.snapshot import snapshot, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextvars import Token
    from types import TracebackType
    from typing import Any, TypeAlias

    User: TypeAlias = str | Mapping[str, Any]

_current: ContextVar[Scope | None] = ContextVar("nightbell_scope", default=None)


class Scope:
    """May change while its work runs: a user that becomes known late is on later events.

    Maps are replaced when they change, never written to, so that tasks can share them.
    """

    __slots__ = ("_token", "breadcrumbs", "metadata", "operation", "tags", "trace", "user")

    def __init__(
        self,
        *,
        user: User | None = None,
        operation: str | Callable[[], str | None] | None = None,
        tags: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> None:
        """Take over the scope around it. A function as operation is asked for each event."""
        outer = _current.get()
        self.user = user_of(user) or (outer.user if outer else None)
        self.operation = operation or (outer.operation if outer else None)
        self.tags: dict[str, str] = texts(tags)
        self.metadata: dict[str, Any] = snapshot(metadata)
        if outer is not None:
            self.tags = {**outer.tags, **self.tags}
            self.metadata = {**outer.metadata, **self.metadata}
        self.trace = dict(trace) if trace else outer.trace if outer else None
        self.breadcrumbs: list[dict[str, Any]] = list(outer.breadcrumbs) if outer else []
        self._token: Token[Scope | None] | None = None

    def __enter__(self) -> Scope:
        """Make it the scope of what follows."""
        self._token = _current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Go back to the scope around it."""
        if self._token is not None:
            try:
                _current.reset(self._token)
            except ValueError:  # left in another task than it was entered in
                pass
            self._token = None

    def enter_task(self) -> None:
        """Make it the scope of the task that runs, which ends with the work."""
        _current.set(self)


def user_of(user: User | None) -> dict[str, str] | None:
    """Read a user: an id, or a map with an id."""
    if user is None:
        return None
    found = user if isinstance(user, str) else user.get("id")
    return None if found is None else {"id": str(found)}


def apply(event: dict[str, Any]) -> None:
    """Add the scope to an event; what the call said wins."""
    scope = _current.get()
    if scope is None:
        return
    event["user"] = event.get("user") or scope.user
    event["operation"] = event.get("operation") or _operation(scope)
    event["trace"] = event.get("trace") or scope.trace
    event["tags"] = {**scope.tags, **(event.get("tags") or {})}
    event["metadata"] = {**scope.metadata, **(event.get("metadata") or {})}
    if "error" in event and scope.breadcrumbs:
        event["error"]["breadcrumbs"] = list(scope.breadcrumbs)


def _operation(scope: Scope) -> str | None:
    if not callable(scope.operation):
        return scope.operation
    try:
        return scope.operation()
    except Exception:  # noqa: BLE001 - it asks a framework about its request
        return None


def set_user(user: User) -> None:
    """Say who is affected by what this scope does. Without a scope it does nothing."""
    if scope := _current.get():
        scope.user = user_of(user)


def set_operation(operation: str) -> None:
    """Name what this scope does, such as "checkout"."""
    if scope := _current.get():
        scope.operation = operation


def set_tag(key: str, value: str) -> None:
    """Add a tag to this scope."""
    if scope := _current.get():
        scope.tags = {**scope.tags, str(key): str(value)}


def add_breadcrumb(
    message: str, *, category: str | None = None, data: Mapping[str, Any] | None = None
) -> None:
    """Remember what happened, for an error that may follow. The last 50 are kept."""
    if scope := _current.get():
        crumb: dict[str, Any] = {"at": timestamp(time.time()), "message": str(message)}
        if category:
            crumb["category"] = str(category)
        if data:
            crumb["data"] = snapshot(data)
        scope.breadcrumbs = [*scope.breadcrumbs[1 - MAX_BREADCRUMBS :], crumb]


def trace_of(traceparent: str | None) -> dict[str, str] | None:
    """Read the W3C header of a distributed trace."""
    parts = (traceparent or "").strip().split("-")
    if len(parts) < 4 or len(parts[1]) != 32 or len(parts[2]) != 16:  # noqa: PLR2004 - as W3C says
        return None
    return {"trace_id": parts[1], "span_id": parts[2]}
