# pyright: basic
"""One suite for each framework: what becomes a 500 is reported once, and nothing else changes.

Each application answers /orders/<id> with an error, /handled with a 404 of its own, and
/user/<id> with its path after a moment, capturing an error on the way.
"""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from wsgiref.util import setup_testing_defaults

import pytest

import nightbell
from nightbell import client as client_module
from nightbell.testing import TestClient

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

logging.getLogger("tornado").setLevel(logging.CRITICAL)
logging.getLogger("django").setLevel(logging.CRITICAL)

SECRET = "/orders/7?token=hunter2&page=2"  # noqa: S105


class Response(NamedTuple):
    """What a client of the application sees."""

    status: int
    body: bytes


def seen(user: str) -> None:
    """Capture inside a handler."""
    nightbell.set_user(user)
    nightbell.get_client().capture_error(ValueError("seen " + user))


def fail() -> NoReturn:
    """Raise what nobody handles."""
    raise ZeroDivisionError


# --- how to ask an application ------------------------------------------------------


def wsgi(app: Any, url: str) -> Response:
    """Ask a WSGI application; an error that it lets go is the server's 500."""
    path, _, query = url.partition("?")
    environ: dict[str, Any] = {"PATH_INFO": path, "QUERY_STRING": query}
    setup_testing_defaults(environ)
    statuses: list[str] = []

    def start_response(status: str, *_: Any) -> None:
        statuses.append(status)

    try:
        body = b"".join(app(environ, start_response))
    except ZeroDivisionError:
        return Response(500, b"")
    return Response(int(statuses[0][:3]), body)


async def asgi(app: Any, url: str) -> Response:
    """Ask an ASGI application."""
    path, _, query = url.partition("?")
    scope = {
        "type": "http", "asgi": {"version": "3.0"}, "http_version": "1.1", "method": "GET",
        "scheme": "http", "path": path, "raw_path": path.encode(), "query_string": query.encode(),
        "headers": [(b"host", b"a.test")], "server": ("a.test", 80), "client": ("127.0.0.1", 1),
        "root_path": "",
    }  # fmt: skip
    sent: list[dict[str, Any]] = []
    received = asyncio.Event()

    async def receive() -> dict[str, Any]:
        if received.is_set():
            await asyncio.sleep(60)
        received.set()
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: dict[str, Any]) -> None:
        await asyncio.sleep(0)
        sent.append(message)

    try:
        await app(scope, receive, send)
    except ZeroDivisionError:
        return Response(500, b"")
    return Response(sent[0]["status"], b"".join(m.get("body", b"") for m in sent[1:]))


def ask_wsgi(app: Any) -> Callable[[list[str]], list[Response]]:
    """Ask on threads, at once."""

    def ask(urls: list[str]) -> list[Response]:
        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(lambda url: wsgi(app, url), urls))

    return ask


def ask_asgi(app: Any) -> Callable[[list[str]], list[Response]]:
    """Ask in one loop, at once."""

    async def all_of(urls: list[str]) -> list[Response]:
        return await asyncio.gather(*(asgi(app, url) for url in urls))

    return lambda urls: asyncio.run(all_of(urls))


# --- the applications ---------------------------------------------------------------


def flask_app(*, reporting: bool) -> Any:
    """Make an application."""
    import flask

    from nightbell.integrations.flask import init_app

    app = flask.Flask(__name__)

    @app.route("/orders/<id>")
    def order(id: str) -> str:  # noqa: A002, ARG001
        return fail()

    @app.route("/handled")
    def handled() -> str:
        flask.abort(404)

    @app.route("/user/<user>")
    def user(user: str) -> str:
        seen(user)
        return user

    if reporting:
        init_app(app)
    return ask_wsgi(app)


def fastapi_app(*, reporting: bool) -> Any:
    """Make an application."""
    import fastapi

    from nightbell.integrations.fastapi import Middleware

    app = fastapi.FastAPI()

    @app.get("/orders/{id}")
    async def order(id: str) -> None:  # noqa: A002, ARG001
        fail()

    @app.get("/handled")
    async def handled() -> None:
        raise fastapi.HTTPException(404)

    @app.get("/user/{user}")
    async def user(user: str) -> str:
        await asyncio.sleep(0.001)
        seen(user)
        return user

    if reporting:
        app.add_middleware(Middleware)
    return ask_asgi(app)


def _django(*, reporting: bool) -> Any:
    import types

    import django
    from django import http
    from django.conf import settings
    from django.urls import path

    def order(_: Any, id: str) -> None:  # noqa: A002, ARG001
        fail()

    def handled(_: Any) -> None:
        raise http.Http404

    def user(_: Any, user: str) -> Any:
        seen(user)
        return http.HttpResponse(user.encode())

    urls: Any = types.ModuleType("nightbell_test_urls")
    urls.urlpatterns = [
        path("orders/<id>", order), path("handled", handled), path("user/<user>", user),
    ]  # fmt: skip
    if not settings.configured:
        settings.configure(ALLOWED_HOSTS=["*"], SECRET_KEY="x", DEBUG_PROPAGATE_EXCEPTIONS=False)  # noqa: S106
        django.setup()
    settings.ROOT_URLCONF = urls
    settings.MIDDLEWARE = ["nightbell.integrations.django.Middleware"] if reporting else []
    from django.urls import clear_url_caches

    clear_url_caches()
    return urls


def django_app(*, reporting: bool) -> Any:
    """Make an application of WSGI."""
    _django(reporting=reporting)
    from django.core.handlers.wsgi import WSGIHandler

    return ask_wsgi(WSGIHandler())


def django_async_app(*, reporting: bool) -> Any:
    """Make an application of ASGI."""
    _django(reporting=reporting)
    from django.core.handlers.asgi import ASGIHandler

    return ask_asgi(ASGIHandler())


def pyramid_app(*, reporting: bool) -> Any:
    """Make an application."""
    from pyramid.config import Configurator
    from pyramid.httpexceptions import HTTPNotFound
    from pyramid.response import Response as PyramidResponse

    def handled(_: Any) -> None:
        raise HTTPNotFound

    def user(request: Any) -> Any:
        seen(request.matchdict["user"])
        return PyramidResponse(request.matchdict["user"])

    config: Any = Configurator()
    if reporting:
        config.include("nightbell.integrations.pyramid")
    for route, pattern, view in (
        ("order", "/orders/{id}", lambda _: fail()),
        ("handled", "/handled", handled),
        ("user", "/user/{user}", user),
    ):
        config.add_route(route, pattern)
        config.add_view(view, route_name=route)
    return ask_wsgi(config.make_wsgi_app())


def tornado_app(*, reporting: bool) -> Any:
    """Make an application behind a server of its own, which is the only way in."""
    from tornado.httpclient import AsyncHTTPClient
    from tornado.httpserver import HTTPServer
    from tornado.testing import bind_unused_port
    from tornado.web import Application, HTTPError, RequestHandler

    from nightbell.integrations.tornado import Reporting

    base: Any = Reporting if reporting else RequestHandler

    class Order(base):
        def get(self, id: str) -> None:  # noqa: A002, ARG002
            fail()

    class Handled(base):
        def get(self) -> None:
            raise HTTPError(404)

    class User(base):
        async def get(self, user: str) -> None:
            await asyncio.sleep(0.001)
            seen(user)
            self.write(user)

    app: Any = Application([("/orders/(.*)", Order), ("/handled", Handled), ("/user/(.*)", User)])

    async def all_of(urls: list[str]) -> list[Response]:
        server = HTTPServer(app)
        socket, port = bind_unused_port()
        server.add_socket(socket)
        client = AsyncHTTPClient(force_instance=True, max_clients=8)
        fetched = await asyncio.gather(
            *(client.fetch(f"http://127.0.0.1:{port}{url}", raise_error=False) for url in urls)
        )
        client.close()
        server.stop()
        await server.close_all_connections()
        return [Response(answer.code, answer.body) for answer in fetched]

    return lambda urls: asyncio.run(all_of(urls))


APPS = {
    "django": (django_app, "GET /orders/<id>"),
    "django-async": (django_async_app, "GET /orders/<id>"),
    "flask": (flask_app, "GET /orders/<id>"),
    "fastapi": (fastapi_app, "GET /orders/{id}"),
    "tornado": (tornado_app, "GET /orders/(.*)"),
    "pyramid": (pyramid_app, "GET /orders/{id}"),
}


@pytest.fixture
def client() -> Iterator[TestClient]:
    """Make the client that middleware finds."""
    with TestClient() as made:
        client_module._default.append(made)
        yield made
        client_module._default.remove(made)


@pytest.fixture(params=APPS)
def framework(request: pytest.FixtureRequest) -> str:
    """Name a framework."""
    return request.param


def test_an_unhandled_error_is_one_event(client: TestClient, framework: str) -> None:
    """With the route, without secrets, and as high."""
    make, operation = APPS[framework]
    [answer] = make(reporting=True)([SECRET])
    assert answer.status == 500
    [event] = client.events
    assert event["error"]["exceptions"][0]["type"] == "ZeroDivisionError"
    assert event["severity"] == "high"
    assert event["operation"] == operation
    request = event["metadata"]["request"]
    assert request == {"method": "GET", "path": "/orders/7", "query": "token=[redacted]&page=2"}


def test_a_handled_4xx_is_none(client: TestClient, framework: str) -> None:
    """It is an answer."""
    [answer] = APPS[framework][0](reporting=True)(["/handled"])
    assert answer.status == 404
    assert client.events == []


def test_answers_are_the_same_without_us(client: TestClient, framework: str) -> None:
    """Status and bytes."""
    make = APPS[framework][0]
    urls = ["/user/1", "/handled", "/missing", "/orders/7"]
    assert make(reporting=True)(urls) == make(reporting=False)(urls)
    assert client.stats().dropped == {}


def test_requests_do_not_see_each_other(client: TestClient, framework: str) -> None:
    """Each of a hundred has its own user."""
    answers = APPS[framework][0](reporting=True)([f"/user/{n}" for n in range(100)])
    assert {answer.status for answer in answers} == {200}
    events = client.events
    assert len(events) == 100
    for event in events:
        user = event["user"]["id"]
        assert event["title"] == f"ValueError: seen {user}"
        assert event["metadata"]["request"]["path"] == f"/user/{user}"
    nightbell.set_user("outside")  # no scope is left behind, so this changes nothing
    client.capture_error(ValueError("outside"))
    assert "user" not in client.events[-1]


def test_captured_by_hand_and_by_middleware_is_one_event(
    client: TestClient, framework: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever was first."""

    def fail_reported() -> None:
        try:
            raise ZeroDivisionError
        except ZeroDivisionError as error:
            nightbell.get_client().capture_error(error)
            raise

    monkeypatch.setitem(globals(), "fail", fail_reported)
    APPS[framework][0](reporting=True)(["/orders/7"])
    assert len(client.events) == 1


def test_a_before_send_that_raises_changes_no_answer(client: TestClient, framework: str) -> None:
    """Nor does it lose the event."""
    client.config.before_send = lambda event: event["missing"]
    [answer] = APPS[framework][0](reporting=True)(["/orders/7"])
    assert answer.status == 500
    assert len(client.events) == 1


def test_without_a_client_nothing_happens(framework: str) -> None:
    """A program without a key serves as always."""
    threads = threading.active_count()
    [answer] = APPS[framework][0](reporting=True)(["/user/1"])
    assert answer.status == 200
    assert threading.active_count() <= threads + 1
    client_module._default.clear()
