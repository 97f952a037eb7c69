# pyright: basic
"""Serve with FastAPI on port 8080 and report what goes wrong."""

import os
from typing import Annotated, NoReturn

import uvicorn
from fastapi import FastAPI, Header

import nightbell
import nightbell.integrations.fastapi

# #region middleware
nightbell.init()
app = FastAPI()
app.add_middleware(nightbell.integrations.fastapi.Middleware)
# #endregion


@app.get("/orders/{id}")
async def order(id: str, x_user: Annotated[str, Header()] = "") -> str:  # noqa: A002 - as in the path
    """Answer with an order; what this raises is reported."""
    nightbell.set_user(x_user)
    return load(id)


def load(order_id: str) -> NoReturn:
    """Fail."""
    message = f"order {order_id}: the database is away"
    raise OSError(message)


if __name__ == "__main__":
    uvicorn.run(app, port=int(os.environ.get("PORT", "8080")))
