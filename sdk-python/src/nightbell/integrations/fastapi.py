"""FastAPI and Starlette: `app.add_middleware(nightbell.integrations.fastapi.Middleware)`."""

from nightbell.integrations.asgi import Middleware

__all__ = ["Middleware"]
