"""The way to a server by way of the proxy that the environment names.

Loaded by the first request, on the worker's thread.
"""

from __future__ import annotations

import io
import os
import socket
import ssl
from base64 import b64encode
from http.client import HTTPConnection, HTTPSConnection
from ipaddress import ip_address, ip_network
from typing import Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies, getproxies_environment, proxy_bypass

from nightbell.config import host_of, is_loopback


def proxy_for(secure: bool, authority: str) -> str | None:  # noqa: FBT001
    """Read HTTPS_PROXY or HTTP_PROXY and NO_PROXY, or what the system is set to."""
    host = host_of(authority)
    proxy = getproxies().get("https" if secure else "http")
    if not proxy or is_loopback(host):
        return None
    if getproxies_environment():
        port = _port_of(authority) or (443 if secure else 80)
        listed = os.environ.get("no_proxy") or os.environ.get("NO_PROXY", "")
        if any(_excepts(entry, host.lower(), port) for entry in listed.lower().split(",")):
            return None
    elif proxy_bypass(host):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _excepts(listed: str, host: str, port: int) -> bool:
    """NO_PROXY holds names with all that is under them, addresses and networks; a port narrows."""
    entry = listed.strip()
    if entry in ("", "*"):
        return entry == "*"
    try:
        return ip_address(host) in ip_network(entry.strip("[]"), strict=False)
    except ValueError:
        pass  # one of the two is a name, or has a port
    name, colon, narrowed = entry.rpartition(":")
    if not colon or not narrowed.isdigit():
        name = entry
    elif int(narrowed) != port:
        return False
    try:
        return ip_address(host) == ip_address(name.strip("[]"))
    except ValueError:
        name = name.removeprefix("*")
    return host.endswith(name if name.startswith(".") else f".{name}") or host == name


def _port_of(authority: str) -> int | None:
    _, colon, port = authority.rpartition(":")
    return int(port) if colon and port.isdigit() else None


def through(
    proxy: str, authority: str, context: ssl.SSLContext | None, timeout: float
) -> HTTPConnection:
    """Make a connection that asks the proxy first. With a context the server is asked by TLS."""
    url = urlsplit(proxy)
    host = url.hostname or ""
    connection: HTTPConnection
    if url.scheme == "https":
        connection = _SecureProxy(host, url.port or 443, timeout, context)
    elif context is None:
        connection = HTTPConnection(host, url.port or 80, timeout=timeout)
    else:
        connection = HTTPSConnection(host, url.port or 80, timeout=timeout, context=context)
    authorization: dict[str, str] = {}
    if url.username:
        user = f"{unquote(url.username)}:{unquote(url.password or '')}"
        authorization["Proxy-Authorization"] = "Basic " + b64encode(user.encode()).decode()
    port = _port_of(authority) or (80 if context is None else 443)
    connection.set_tunnel(host_of(authority), port, authorization)
    return connection


class _SecureProxy(HTTPConnection):
    """Speaks TLS with the proxy, and inside it TLS with the server."""

    def __init__(
        self, host: str, port: int, timeout: float, context: ssl.SSLContext | None
    ) -> None:
        super().__init__(host, port, timeout=timeout)
        self._inner = context

    def set_tunnel(self, host: str, port: int | None = None, headers: Any = None) -> None:
        """Remember whom the certificate inside has to name."""
        super().set_tunnel(host, port, headers)
        self._server = host

    def connect(self) -> None:
        """Connect to the proxy, ask for the server, and begin TLS with it."""
        plain = socket.create_connection((self.host, self.port), self.timeout)
        outer = self._inner or ssl.create_default_context()
        try:
            self.sock: Any = outer.wrap_socket(plain, server_hostname=self.host)
            self._tunnel()  # type: ignore[attr-defined] # pyright: ignore # noqa: PGH003
            if self._inner is not None:
                self.sock = _Inside(self.sock, self._inner, self._server)
        except BaseException:
            plain.close()
            raise


class _Inside:
    """A connection by TLS inside another, which ssl does for sockets of the system only."""

    def __init__(self, outer: ssl.SSLSocket, context: ssl.SSLContext, server: str) -> None:
        self._outer = outer
        self._read, self._written = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._read, self._written, server_hostname=server)
        self._run(self._tls.do_handshake)

    def _run(self, step: Any, *given: Any) -> Any:
        while True:
            try:
                result = step(*given)
            except ssl.SSLWantReadError:  # noqa: PERF203 - there is nothing to read yet
                self._flush()
                part = self._outer.recv(65_536)
                if part:
                    self._read.write(part)
                else:
                    self._read.write_eof()
            else:
                self._flush()
                return result

    def _flush(self) -> None:
        part = self._written.read()
        if part:
            self._outer.sendall(part)

    def sendall(self, data: bytes) -> None:
        """Send everything."""
        rest = memoryview(data)
        while rest:
            rest = rest[self._run(self._tls.write, rest) :]

    def recv_into(self, buffer: Any) -> int:
        """Read what is there."""
        try:
            return self._run(self._tls.read, len(buffer), buffer)
        except ssl.SSLZeroReturnError:
            return 0

    def makefile(self, _mode: str) -> io.BufferedReader:
        """For http.client, which reads answers from it after it closed the connection."""
        self._outer._io_refs += 1  # type: ignore[attr-defined] # pyright: ignore # noqa: PGH003, SLF001
        raw: Any = socket.SocketIO(self, "r")  # type: ignore[arg-type] # pyright: ignore # noqa: PGH003
        return io.BufferedReader(raw)

    def _decref_socketios(self) -> None:
        self._outer._decref_socketios()  # type: ignore[attr-defined] # pyright: ignore # noqa: PGH003, SLF001

    def settimeout(self, timeout: float | None) -> None:
        """Of each step."""
        self._outer.settimeout(timeout)

    def close(self) -> None:
        """Close both."""
        self._outer.close()
