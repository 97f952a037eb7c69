# pyright: basic
"""Serve with Pyramid on port 8080 and report what goes wrong."""

import os
from typing import Any, NoReturn

import waitress
from pyramid.config import Configurator
from pyramid.request import Request
from pyramid.response import Response

import nightbell

# #region middleware
nightbell.init()
config = Configurator()
config.include("nightbell.integrations.pyramid")
# #endregion


def order(request: Request) -> Response:
    """Answer with an order; what this raises is reported."""
    nightbell.set_user(request.headers.get("X-User", ""))
    matched: Any = request.matchdict
    return Response(load(matched["id"]))


def load(order_id: str) -> NoReturn:
    """Fail."""
    message = f"order {order_id}: the database is away"
    raise OSError(message)


config.add_route("order", "/orders/{id}")
config.add_view(order, route_name="order")

if __name__ == "__main__":
    waitress.serve(config.make_wsgi_app(), listen=f"127.0.0.1:{os.environ.get('PORT', '8080')}")
