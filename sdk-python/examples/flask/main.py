# pyright: basic
"""Serve with Flask on port 8080 and report what goes wrong."""

import os
from typing import NoReturn

import waitress
from flask import Flask, request

import nightbell
import nightbell.integrations.flask

# #region middleware
nightbell.init()
app = Flask(__name__)
nightbell.integrations.flask.init_app(app)
# #endregion


@app.get("/orders/<id>")
def order(id: str) -> str:  # noqa: A002 - as in the path
    """Answer with an order; what this raises is reported."""
    nightbell.set_user(request.headers.get("X-User", ""))
    return load(id)


def load(order_id: str) -> NoReturn:
    """Fail."""
    message = f"order {order_id}: the database is away"
    raise OSError(message)


if __name__ == "__main__":
    waitress.serve(app, listen=f"127.0.0.1:{os.environ.get('PORT', '8080')}")
