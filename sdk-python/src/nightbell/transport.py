"""Sends requests over HTTP, with the standard library that is loaded at the first one."""

from __future__ import annotations

import os
import sys
import time
from typing import Any, NamedTuple, Protocol

from nightbell.answer import Answer
from nightbell.event import timestamp
from nightbell.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from http.client import HTTPConnection

    from nightbell.answer import Kind
    from nightbell.config import Config

_GZIP_FROM = 1024
_MAX_ANSWER = 1 << 20
_IDLE_LIFE = 30.0  # seconds that an unused connection is kept
_MOST_IDLE = 2


class Request(NamedTuple):
    """One POST."""

    kind: Kind
    path: str
    body: bytes
    ids: list[str] = []  # noqa: RUF012 - never written to
    id: str | None = None
    """Of the call; a batch has ids instead."""


class Transport(Protocol):
    """Sends a request. It returns an answer for everything that can happen."""

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes, timeout: float
    ) -> Answer:
        """Make one try within the timeout in seconds."""
        ...

    def close(self) -> None:
        """Give up what is kept open."""
        ...


def headers_of(request: Request, config: Config, attempt: int) -> dict[str, str]:
    """Make the headers of a try."""
    headers = {
        "Content-Type": "application/json",
        "Accept": "application/json",
        "Nightbell-SDK": SDK,
        "User-Agent": SDK,
        "Nightbell-Attempt": str(attempt),
        "Nightbell-Sent-At": timestamp(time.time()),
        "Authorization": f"Bearer {config.credential}",
    }
    if config.api_key and config.service_key:
        headers["Nightbell-Service-Key"] = config.service_key
    if request.id:
        headers["Idempotency-Key"] = request.id
    return headers


SDK = f"python/{__version__} (python{sys.version_info[0]}.{sys.version_info[1]}; {sys.platform})"


class HttpTransport:
    """Keeps up to two connections. It follows no redirect: no other host gets the key."""

    def __init__(self, base_url: str, ca_file: str | None = None) -> None:
        """Nothing is loaded or opened before the first request."""
        scheme, _, rest = base_url.partition("://")
        self._secure = scheme.lower() == "https"
        self._authority, slash, prefix = rest.partition("/")
        self._prefix = slash + prefix
        self._idle: list[tuple[float, HTTPConnection]] = []
        self._ca_file = ca_file
        self._ssl: Any = None

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes, timeout: float
    ) -> Answer:
        """Make one try. Sent twice only if a kept connection turns out to be closed."""
        import http.client  # noqa: PLC0415 - 20 ms, on the worker's thread
        import zlib  # noqa: PLC0415

        if len(body) >= _GZIP_FROM:
            squeeze = zlib.compressobj(6, zlib.DEFLATED, 31)
            body = squeeze.compress(body) + squeeze.flush()
            headers = {**headers, "Content-Encoding": "gzip"}
        deadline = time.monotonic() + timeout
        try:
            kept = self._take()
            if kept is not None:
                try:
                    return self._exchange(kept, method, path, headers, body, deadline)
                except (ConnectionError, http.client.HTTPException):
                    kept.close()  # the server closed it in the meantime
            return self._exchange(self._open(timeout), method, path, headers, body, deadline)
        except TimeoutError:
            return Answer.lost("the server did not answer in time", timed_out=True)
        except (OSError, http.client.HTTPException, ValueError) as failure:
            return Answer.lost(f"the server could not be reached: {failure!r}")

    def close(self) -> None:
        """Close what is kept."""
        idle, self._idle = self._idle, []
        for _, connection in idle:
            connection.close()

    def _take(self) -> HTTPConnection | None:
        try:
            since, connection = self._idle.pop()
        except IndexError:
            return None
        if time.monotonic() - since < _IDLE_LIFE:
            return connection
        connection.close()
        return None

    def _open(self, timeout: float) -> HTTPConnection:
        import http.client  # noqa: PLC0415

        from nightbell.proxy import proxy_for, through  # noqa: PLC0415

        host = self._authority
        context = self._context() if self._secure else None
        proxy = proxy_for(self._secure, host)
        if proxy:
            return through(proxy, host, context, timeout)
        if context is None:
            return http.client.HTTPConnection(host, timeout=timeout)
        return http.client.HTTPSConnection(host, timeout=timeout, context=context)

    def _context(self) -> Any:
        if self._ssl is None:
            import ssl  # noqa: PLC0415 - 20 ms, on the worker's thread

            context = ssl.create_default_context()  # reads SSL_CERT_FILE
            if not context.cert_store_stats()["x509_ca"] and "SSL_CERT_FILE" not in os.environ:
                try:
                    import certifi  # pyright: ignore # noqa: PGH003, PLC0415 - if it is installed
                except ImportError:
                    pass
                else:
                    context.load_verify_locations(certifi.where())  # pyright: ignore # noqa: PGH003
            if self._ca_file is not None:
                context.load_verify_locations(self._ca_file)
            self._ssl = context
        return self._ssl

    def _exchange(  # noqa: PLR0913, PLR0917
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        headers: dict[str, str],
        body: bytes,
        deadline: float,
    ) -> Answer:
        try:
            rest = max(deadline - time.monotonic(), 0.001)
            connection.timeout = rest
            if connection.sock is not None:
                connection.sock.settimeout(rest)
            connection.request(method, self._prefix + path, body, headers)
            response = connection.getresponse()
            read = b""
            while len(read) < _MAX_ANSWER and (part := response.read1(65_536)):
                read += part
                if time.monotonic() > deadline:
                    raise TimeoutError
            answer = Answer(
                response.status,
                {name.lower(): value for name, value in response.getheaders()},
                read,
            )
        except BaseException:
            connection.close()
            raise
        if response.isclosed() and connection.sock is not None and len(self._idle) < _MOST_IDLE:
            self._idle.append((time.monotonic(), connection))
        else:
            connection.close()
        return answer
