# pyright: basic
"""Tornado: `class BaseHandler(nightbell.integrations.tornado.Reporting, RequestHandler)`."""

from __future__ import annotations

from typing import Any

from tornado.web import HTTPError, RequestHandler

from nightbell.integrations.requests import capture, request_scope


class Reporting(RequestHandler):
    """A handler that reports what it does not handle. HTTPError below 500 is an answer."""

    def __init__(self, application: Any, request: Any, **kwargs: Any) -> None:
        """Give the request its scope: the task that runs the handler begins after this."""
        route = _route(application, request)
        request_scope(
            request.method or "",
            request.path,
            request.query,
            request.headers.get("traceparent"),
            lambda: route,
        ).enter_task()
        super().__init__(application, request, **kwargs)

    def log_exception(self, typ: Any, value: Any, tb: Any) -> None:
        """Report, and log as Tornado does."""
        if value is not None and not (isinstance(value, HTTPError) and value.status_code < 500):  # noqa: PLR2004
            capture(value)
        super().log_exception(typ, value, tb)


def _route(application: Any, request: Any) -> str | None:
    """Find the pattern that matched, as the application's own router does."""
    for rule in application.wildcard_router.rules:
        if rule.matcher.match(request) is not None:
            pattern = getattr(rule.matcher, "regex", None)
            return pattern.pattern.rstrip("$") if pattern else None
    return None
