"""Flask: `nightbell.integrations.flask.init_app(app)`."""

from __future__ import annotations

from typing import Any

from flask import Flask, got_request_exception
from flask.globals import request_ctx

from nightbell.integrations.requests import capture, request_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nightbell.reporter import Reporter


def init_app(app: Flask, client: Reporter | None = None) -> None:
    """Report what an application does not handle. Handlers of the application come first."""
    inner: Any = app.wsgi_app

    def wsgi_app(environ: dict[str, Any], start_response: Any) -> Any:
        rules: list[str] = []

        def route() -> str | None:
            if request_ctx and request_ctx.request.url_rule:
                rules[:] = [request_ctx.request.url_rule.rule]
            return rules[0] if rules else None

        scope = request_scope(
            environ["REQUEST_METHOD"],
            environ.get("PATH_INFO", ""),
            environ.get("QUERY_STRING", ""),
            environ.get("HTTP_TRACEPARENT"),
            route,
            client,
        )
        with scope:
            return inner(environ, start_response)

    def report(_: Flask, exception: BaseException, **__: Any) -> None:
        capture(exception, client)

    app.wsgi_app = wsgi_app
    got_request_exception.connect(report, app, weak=False)
