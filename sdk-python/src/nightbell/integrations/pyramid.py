# pyright: basic
"""Pyramid: `config.include("nightbell.integrations.pyramid")`."""

from __future__ import annotations

from typing import Any

from pyramid.tweens import EXCVIEW

from nightbell.integrations.requests import capture, request_scope


def includeme(config: Any) -> None:
    """Report what no exception view handles."""
    config.add_tween("nightbell.integrations.pyramid.tween_factory", over=EXCVIEW)


def tween_factory(handler: Any, _: Any) -> Any:
    """Make the tween."""

    def tween(request: Any) -> Any:
        def route() -> str | None:
            matched = getattr(request, "matched_route", None)
            return matched and matched.pattern

        traceparent = request.headers.get("traceparent")
        with request_scope(request.method, request.path, request.query_string, traceparent, route):
            try:
                return handler(request)
            except Exception as error:
                capture(error)
                raise

    return tween
