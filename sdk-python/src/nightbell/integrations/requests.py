"""What all middleware have in common."""

from __future__ import annotations

from nightbell.client import get_client
from nightbell.scope import Scope, trace_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from nightbell.reporter import Reporter


def request_scope(  # noqa: PLR0913, PLR0917 - what each framework calls otherwise
    method: str,
    path: str,
    query: str,
    traceparent: str | None,
    route: Callable[[], str | None],
    client: Reporter | None = None,
) -> Scope:
    """Make the scope of a request: method, path, query without secrets, and trace.

    The operation is the route, such as "GET /orders/{id}", and is asked for late: frameworks
    know it only after their own work.
    """
    request = {"method": method, "path": path}
    if query:
        request["query"] = (client or get_client()).redact_query(query)

    def operation() -> str | None:
        found = route()
        return f"{method} {found}" if found else None

    return Scope(operation=operation, metadata={"request": request}, trace=trace_of(traceparent))


def capture(error: BaseException, client: Reporter | None = None) -> None:
    """Report an exception that the framework turns into a 500."""
    (client or get_client()).capture_error(error, handled=False)
