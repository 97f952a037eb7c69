# pyright: basic
"""Serve with Django on port 8080 and report what goes wrong."""

import os
from typing import Any, NoReturn

import waitress
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import HttpRequest, HttpResponse
from django.urls import path

import nightbell

# #region middleware
nightbell.init()
settings.configure(
    ROOT_URLCONF=__name__,
    ALLOWED_HOSTS=["127.0.0.1"],
    MIDDLEWARE=["nightbell.integrations.django.Middleware"],  # first
)
# #endregion


def order(request: HttpRequest, id: str) -> HttpResponse:  # noqa: A002 - as in the path
    """Answer with an order; what this raises is reported."""
    nightbell.set_user(request.META.get("HTTP_X_USER", ""))
    return HttpResponse(load(id))


def load(order_id: str) -> NoReturn:
    """Fail."""
    message = f"order {order_id}: the database is away"
    raise OSError(message)


urlpatterns = [path("orders/<id>", order)]

if __name__ == "__main__":
    application: Any = get_wsgi_application()
    waitress.serve(application, listen=f"127.0.0.1:{os.environ.get('PORT', '8080')}")
