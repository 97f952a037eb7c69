"""Any ASGI application: `app = nightbell.integrations.asgi.Middleware(app)`."""

from __future__ import annotations

from typing import Any

from nightbell.integrations.requests import capture, request_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from nightbell.reporter import Reporter


class Middleware:
    """Pure ASGI, so that context variables of the application survive."""

    def __init__(self, app: Callable[..., Awaitable[None]], client: Reporter | None = None) -> None:
        """Wrap an application; report by a client or by that of nightbell.init."""
        self.app = app
        self.client = client

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """Report what the application raises, and let it go on."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        traceparent = dict(scope["headers"]).get(b"traceparent", b"").decode("latin-1")
        query = scope.get("query_string", b"").decode("latin-1")

        def route() -> str | None:
            return getattr(scope.get("route"), "path", None)

        method = scope.get("method", "WEBSOCKET")
        with request_scope(method, scope["path"], query, traceparent, route, self.client):
            try:
                await self.app(scope, receive, send)
            except Exception as error:
                capture(error, self.client)
                raise
