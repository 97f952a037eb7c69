# pyright: basic
"""Serve with Tornado on port 8888 and report what goes wrong."""

import asyncio
import os
from typing import NoReturn

from tornado.web import Application

import nightbell
from nightbell.integrations.tornado import Reporting

# #region middleware
nightbell.init()


class Order(Reporting):
    """A handler that reports what it raises."""

    async def get(self, order_id: str) -> None:
        """Answer with an order."""
        nightbell.set_user(self.request.headers.get("X-User", ""))
        self.write(load(order_id))


# #endregion


def load(order_id: str) -> NoReturn:
    """Fail."""
    message = f"order {order_id}: the database is away"
    raise OSError(message)


async def serve() -> None:
    """Serve until the program is told to end."""
    port = int(os.environ.get("PORT", "8888"))
    Application([("/orders/(.*)", Order)]).listen(port, "127.0.0.1")
    await asyncio.Event().wait()


asyncio.run(serve())
