"""For tests of programs that report to Nightbell: a server in memory, which can fail.

client = nightbell.testing.TestClient()
checkout(client)
assert client.wire.incidents[0].title == "Payment failed"
"""

from __future__ import annotations

import json
import threading
import zlib
from contextlib import contextmanager
from typing import Any, NamedTuple

from nightbell.answer import Answer
from nightbell.client import Client

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator

    from typing_extensions import Unpack

    from nightbell.config import Options

    Event = dict[str, Any]


class Failure(NamedTuple):
    """How the server fails once."""

    status: int = 0
    """It answers with this; 0 with one of the next two."""
    headers: dict[str, str] = {}  # noqa: RUF012 - never written to
    lost: bool = False
    """It does what was asked and drops the connection before it answers."""
    silent: bool = False
    """It does nothing and never answers."""
    body: str | None = None
    events: tuple[int, ...] = ()
    """These places of a batch are refused for now."""


class Received(NamedTuple):
    """One request that arrived, whatever became of it."""

    path: str
    headers: dict[str, str]
    body: Any


class Incident:
    """What events opened."""

    def __init__(self, number: int, event: Event) -> None:
        """Take over what the first event said."""
        self.id = f"00000000-0000-7000-8000-{number:012d}"
        self.number = number
        self.title: str = event["title"]
        self.severity: str = event.get("severity", "medium")
        self.dedup_key = _dedup_key(event)
        self.resolved = False
        self.count: int = event.get("count", 1)


class Wire:
    """Speaks what Nightbell's server speaks. It is a transport, and with serve() a server."""

    def __init__(self) -> None:
        """Begin with nothing received."""
        self.events: list[Event] = []
        self.incidents: list[Incident] = []
        self.changes: list[Event] = []
        self.samples: list[Event] = []
        self.pings: list[tuple[str, Event]] = []
        self.requests: list[Received] = []
        self._failures: list[Failure] = []
        self._known: dict[str, Event] = {}
        self._lock = threading.Lock()
        self._ended = threading.Event()

    def fail(self, *failures: Failure) -> None:
        """Make the next requests fail, in turn."""
        self._failures += failures

    # --- as a transport -----------------------------------------------------------

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes, timeout: float
    ) -> Answer:
        """Answer a request without any network."""
        status, out, answer = self.handle(method, path, headers, body)
        if status == 0:
            if answer == b"silent":
                self._ended.wait(timeout)
                return Answer.lost("silent", timed_out=True)
            return Answer.lost("the answer was lost")
        return Answer(status, out, answer)

    def close(self) -> None:
        """Let go of who waits for a silent server."""
        self._ended.set()

    # --- as a server --------------------------------------------------------------

    @contextmanager
    def serve(self) -> Generator[str]:
        """Serve on a port of this machine and give its base URL."""
        from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer  # noqa: PLC0415

        wire = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                """Answer."""
                body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
                status, out, answer = wire.handle("POST", self.path, dict(self.headers), body)
                if status == 0:
                    if answer == b"silent":
                        wire._ended.wait(60)
                    self.close_connection = True
                    return
                self.send_response(status)
                for name, value in {**out, "Content-Length": str(len(answer))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - its name
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            self._ended.set()
            server.shutdown()
            server.server_close()

    # --- what it does -------------------------------------------------------------

    def handle(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Answer a request; status 0 for a lost answer or a silent server."""
        headers = {name.lower(): value for name, value in headers.items()}
        if headers.get("content-encoding") == "gzip":
            body = zlib.decompress(body, 31)
        parsed = json.loads(body)
        with self._lock:
            self.requests.append(Received(path, headers, parsed))
            failure = self._failures.pop(0) if self._failures else Failure()
            if failure.silent:
                return 0, {}, b"silent"
            if failure.status:
                refusal = failure.body or _refusal("failed", "The server was told to fail.")
                return failure.status, failure.headers, refusal.encode()
            if method != "POST" or not headers.get("authorization", "").startswith("Bearer nb"):
                refusal = _refusal("service_key_invalid", "Give a service key.")
                return 401, {}, refusal.encode()
            status, answer = self._accept(path, parsed, failure.events)
        if failure.lost:
            return 0, {}, b""
        return status, {"content-type": "application/json"}, json.dumps(answer).encode()

    def _accept(self, path: str, body: Any, refused: tuple[int, ...]) -> tuple[int, Any]:
        if path.endswith("/v1/events"):
            return self._event(body)
        if path.endswith("/v1/events/batch"):
            results = [self._result(n, event, refused) for n, event in enumerate(body["events"])]
            return 200, {"results": results}
        if path.endswith("/v1/changes"):
            if not any(change["id"] == body["id"] for change in self.changes):
                self.changes.append(body)
            return 201, {"id": body["id"]}
        if path.endswith("/v1/samples"):
            self.samples.append(body)
            return 202, {}
        if path.endswith("/ping"):
            self.pings.append((path.split("/")[-2], body))
            return 202, {}
        return 404, {"code": "not_found", "message": "No such path."}

    def _result(self, n: int, event: Event, refused: tuple[int, ...]) -> Any:
        if n in refused:
            error: Any = {"code": "overloaded", "message": "Busy.", "retryable": True}
            return {"event_id": event["id"], "status": "error", "error": error}
        status, answer = self._event(event)
        if status >= 300:  # noqa: PLR2004
            return {"event_id": event["id"], "status": "error", "error": answer}
        return answer

    def _event(self, event: Event) -> tuple[int, Any]:
        """Take one event: by its id, then by its dedup key."""
        known = self._known.get(event["id"])
        if known is not None:
            if known != event:
                message = "Another event has this id."
                return 422, {"code": "idempotency_mismatch", "message": message}
            return 200, self._answer(event, "deduplicated")
        action = event.get("action", "trigger")
        if action == "trigger" and not event.get("title"):
            return 422, {"code": "invalid_fields", "message": "Give a title."}
        self._known[event["id"]] = event
        self.events.append(event)
        incident = self._open(event)
        if action != "trigger":
            if incident is None:
                return 200, self._answer(event, "ignored")
            answer = self._answer(event, "acknowledged" if action == "acknowledge" else "resolved")
            incident.resolved = action == "resolve"
            return 200, answer
        if incident is not None:
            incident.count += event.get("count", 1)
            return 200, self._answer(event, "deduplicated")
        self.incidents.append(Incident(len(self.incidents) + 1, event))
        return 201, self._answer(event, "created")

    def _open(self, event: Event) -> Incident | None:
        key = _dedup_key(event)
        return next((i for i in self.incidents if i.dedup_key == key and not i.resolved), None)

    def _answer(self, event: Event, status: str) -> Event:
        answer = {"event_id": event["id"], "dedup_key": _dedup_key(event), "status": status}
        incident = self._open(event)
        if incident is not None:
            answer["id"] = incident.id
            answer["incident_number"] = incident.number
        return answer


def _dedup_key(event: Event) -> str:
    return event.get("dedup_key") or event.get("error", {}).get("fingerprint") or event["id"]


def _refusal(code: str, message: str) -> str:
    return json.dumps({"code": code, "message": message, "details": [], "request_id": "test"})


class TestClient(Client):
    """A client whose server is in memory. Read what arrived from `wire` after a flush."""

    __test__ = False  # pytest collects what is called so

    def __init__(self, **options: Unpack[Options]) -> None:
        """Take the options of a Client."""
        self.wire = Wire()
        given: Options = {
            "base_url": "https://nightbell.test",
            "debug": False,
            "transport": self.wire,
            **options,
        }
        super().__init__(service_key="nbs_test_0000000000000000", **given)

    @property
    def events(self) -> list[Event]:
        """Deliver what waits and return the events that arrived."""
        self.flush()
        return self.wire.events

    @property
    def incidents(self) -> list[Incident]:
        """Deliver what waits and return the incidents that it opened."""
        self.flush()
        return self.wire.incidents
