# pyright: basic
"""Django: `MIDDLEWARE = ["nightbell.integrations.django.Middleware", ...]`."""

from __future__ import annotations

import sys
from typing import Any

from asgiref.sync import iscoroutinefunction, markcoroutinefunction
from django.core.signals import got_request_exception

from nightbell.integrations.requests import capture, request_scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nightbell.scope import Scope


def _report(**_: Any) -> None:
    """Django sends this for what becomes a 500, and for nothing that is a 4xx."""
    error = sys.exc_info()[1]
    if error is not None:
        capture(error)


class Middleware:
    """For applications of both kinds. Put it first."""

    sync_capable = True
    async_capable = True

    def __init__(self, get_response: Any) -> None:
        """Take the next middleware, as Django gives it."""
        self.get_response = get_response
        self._is_async = iscoroutinefunction(get_response)
        if self._is_async:
            markcoroutinefunction(self)  # pyright: ignore[reportArgumentType]
        got_request_exception.connect(_report, dispatch_uid="nightbell")

    def __call__(self, request: Any) -> Any:
        """Give a request its scope."""
        if self._is_async:
            return self._answer(request)
        with _scope(request):
            return self.get_response(request)

    async def _answer(self, request: Any) -> Any:
        with _scope(request):
            return await self.get_response(request)


def _scope(request: Any) -> Scope:
    def route() -> str | None:
        return request.resolver_match and "/" + request.resolver_match.route.lstrip("/")

    return request_scope(
        request.method,
        request.path,
        request.META.get("QUERY_STRING", ""),
        request.META.get("HTTP_TRACEPARENT"),
        route,
    )
