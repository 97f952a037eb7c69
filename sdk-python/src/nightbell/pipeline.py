"""What happens to an item between the program and the server."""

from __future__ import annotations

import time

from nightbell import errors, loading, retry
from nightbell.capture import frames_of
from nightbell.config import mask
from nightbell.event import error_title, without_empty
from nightbell.ids import new_id
from nightbell.lane import Lane, sample_body
from nightbell.queue import Item, Queue
from nightbell.snapshot import snapshot, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from nightbell.answer import Answer, Verdict
    from nightbell.config import Config
    from nightbell.redact import Redactor
    from nightbell.results import IncidentResult
    from nightbell.spool import Spool
    from nightbell.transport import Request, Transport

    Event = dict[str, Any]

_FIRST_PAUSE = 60.0
_LONGEST_PAUSE = 900.0


class Gate:
    """Whether the client may send: not for a while after its key was refused."""

    def __init__(self) -> None:
        """Begin open."""
        self.off = False  # the server said: never again from this process
        self.until = 0.0
        self._pause = 0.0

    def refused(self, now: float) -> None:
        """Double the pause; tries that were under way at once count once."""
        if self.until <= now:
            self._pause = min(max(2 * self._pause, _FIRST_PAUSE), _LONGEST_PAUSE)
            self.until = now + self._pause

    def accepted(self) -> None:
        """Forget earlier refusals."""
        self.until = self._pause = 0.0


class Pipeline:
    """Queue, workers, transport and spool of one client."""

    def __init__(self, config: Config) -> None:
        """Start nothing before there is something to send."""
        self.config = config
        self._redactor: Redactor | None = None
        self.gate = Gate()
        self.spool = _spool_of(config)
        self.new_id: Callable[[], str] = new_id
        self.now: Callable[[], float] = time.time
        self.closed = False
        self._warned: dict[str, float] = {}
        self._hidden: dict[str, int] = {}
        self.reset()

    def reset(self) -> None:
        """Begin again, also in a forked child.

        What waits belongs to the parent, threads did not come along, and a lock may be held
        by one of them. Connections are shared with the parent, so they are not used.
        """
        self.queue = Queue(self.config.max_queue)
        self.lanes = (Lane(self, 0), Lane(self, 1))
        self.counts = {"requests": 0, "retries": 0, "delivered": 0}
        self.dropped: dict[str, int] = {}
        self._transport: Transport | None = self.config.transport

    @property
    def transport(self) -> Transport:
        """What sends, made for the first request."""
        from nightbell.transport import HttpTransport

        self._transport = self._transport or HttpTransport(
            self.config.base_url, self.config.ca_file
        )
        return self._transport

    @property
    def redactor(self) -> Redactor:
        """What takes secrets out, made for the first event."""
        from nightbell.redact import Redactor

        self._redactor = self._redactor or Redactor(self.config.redact_keys)
        return self._redactor

    @property
    def on(self) -> bool:
        """Whether anything is sent at all."""
        return self.config.enabled and not self.gate.off

    # --- in ---------------------------------------------------------------------

    def enqueue_event(self, event: Event, *, merge: Any = None, stack: Any = None) -> None:
        """Queue an event, which is built later on the worker's thread."""
        size = 1024 + len(event.get("description") or "") + 256 * len(event.get("metadata") or ())
        item = Item(
            "event", "/v1/events", id=event["id"], event=event, severity=event.get("severity"),
            merge=merge, size=size,
        )  # fmt: skip
        item.stack = stack
        self.enqueue(item)

    def enqueue(self, item: Item) -> bool:
        """Queue an item and say whether it waits now."""
        if self.gate.off:
            self.drop("rejected", [item])
            return False
        if self.closed:
            self.keep("closed", [item])
            return False
        dropped = self.queue.add(item)
        if dropped:
            self.drop("queue_full", dropped)
        self.lanes[item.urgent].start()
        return item not in dropped

    def deliver_spool(self) -> None:
        """Queue what earlier processes left."""
        if self.spool is not None:
            for item in self.spool.claim(time.time()):
                self.enqueue(item)

    # --- build ------------------------------------------------------------------

    def build(self, item: Item) -> bool:
        """Make the final body of an item; False if there is nothing to send."""
        if item.body is not None or item.sample is not None:
            return True
        event = item.event or {}
        try:
            if item.stack is not None:
                for exception, stack in zip(event["error"]["exceptions"], item.stack, strict=True):
                    if frames := frames_of(stack):
                        exception["frames"] = frames
            item.body = self.seal(event)
        except errors.DroppedError:
            self.drop("before_send", [item])
            return False
        except Exception as fault:  # noqa: BLE001 - one event must not take the batch with it
            self.warn("internal", f"nightbell could not build an event: {fault!r}")
            self.drop("internal", [item])
            return False
        item.event = item.stack = None
        return True

    def seal(self, event: Event) -> bytes:
        """Add what every event has, ask before_send, redact, limit and encode."""
        from nightbell.fingerprint import fingerprint
        from nightbell.truncate import limit

        event_id = event["id"]
        if error := event.get("error"):
            error["fingerprint"] = fingerprint(self.config.environment, error["exceptions"])
            event["title"] = event.get("title") or error_title(error["exceptions"])
        event.setdefault("environment", self.config.environment)
        event.setdefault("source", self.config.server_name)
        event.setdefault("release", self.config.release)
        event = self._ask_before_send(without_empty(event))
        event["id"] = event_id  # retries and the queue know the event by it
        if "metadata" in event:
            event["metadata"] = snapshot(event["metadata"])
        if "tags" in event:
            event["tags"] = texts(event["tags"])
        self.redactor.event(event)
        return limit(event)

    def seal_change(self, change: Event) -> bytes:
        """Redact, limit and encode a change."""
        from nightbell.truncate import encode, limit

        change["environment"] = change.get("environment") or self.config.environment
        change = without_empty(change)
        self.redactor.event(change)
        # A change has no title: its summary has the limit of one.
        body = {**change, "title": change["summary"]}
        limit(body)
        body["summary"] = body.pop("title")
        return encode(body)

    def _ask_before_send(self, event: Event) -> Event:
        """Give the program the last word. If it raises, the event goes as it was."""
        before_send = self.config.before_send
        if before_send is None:
            return event
        given = {
            **event,
            "tags": dict(event.get("tags", {})),
            "metadata": dict(event.get("metadata", {})),
        }
        try:
            kept = before_send(given)
        except Exception as fault:  # noqa: BLE001 - it is the program's
            self.warn("before_send", f"before_send raised {fault!r}; the event was sent as it was")
            return event
        if kept is None:
            message = "before_send dropped the event"
            raise errors.DroppedError(message)
        return without_empty(kept)

    # --- out --------------------------------------------------------------------

    def send(self, request: Request, attempt: int, timeout: float) -> Answer:
        """Make one try. Whatever a transport raises is a failure of the connection."""
        from nightbell.answer import Answer
        from nightbell.transport import headers_of

        headers = headers_of(request, self.config, attempt)
        try:
            return self.transport.send("POST", request.path, headers, request.body, timeout)
        except Exception as fault:  # noqa: BLE001 - a transport may be the program's
            return Answer.lost(f"the transport failed: {fault!r}")

    def call(self, event: Event, timeout: float | None) -> IncidentResult:
        """Send an event while somebody waits for its result."""
        if not self.on or self.closed:
            message = "the client is closed, disabled or has no key"
            raise errors.ClosedError(message)
        severity = event.get("severity")
        item = Item("event", "/v1/events", id=event["id"], body=self.seal(event), severity=severity)
        self.queue.fly(item)
        again: list[Item] = []
        try:
            return self._call(item, timeout or self.config.timeout)
        except errors.ApiError as error:
            error.event_id = item.id
            if error.queued:
                again.append(item)
            raise
        finally:
            self.queue.land([item], again)
            if again:
                self.lanes[item.urgent].start()

    def _call(self, item: Item, timeout: float) -> IncidentResult:
        from nightbell.answer import judge
        from nightbell.transport import Request

        start = time.monotonic()
        request = Request("event", item.path, item.body or b"", [item.id or ""], item.id)
        n = 0
        while True:
            verdict = judge("event", request.ids, self.send(request, n + 1, timeout), time.time())
            self.note(request, verdict)
            if verdict.result is not None:
                self.delivered(item)
                return verdict.result
            error = verdict.error or errors.ServerError("no result")
            if verdict.outcome != "retry":
                self.drop("rejected", [item])
                raise error
            delay = retry.foreground(
                n, verdict.wish, time.monotonic() - start, retry.chance(),
                max_retries=self.config.max_retries, timeout=timeout,
            )  # fmt: skip
            if delay is None or self.closed:
                item.attempts = n + 1
                error.queued = not self.closed
                if self.closed:
                    self.keep("closed", [item])
                raise error
            time.sleep(delay)
            n += 1

    # --- what became of it ------------------------------------------------------

    def note(self, request: Request, verdict: Verdict) -> None:
        """Warn, count and close the gate after a verdict."""
        self.counts["requests"] += 1
        error = verdict.error
        if error is None:
            self.gate.accepted()
            if self.config.debug:
                self._log(
                    "debug", f"nightbell delivered {max(len(request.ids), 1)} to {request.path}"
                )
        elif verdict.outcome == "disabled":
            self.gate.off = True
            self.warn("disabled", "the server told this program to send nothing more")
        elif verdict.pause:
            self.gate.refused(time.monotonic())
            key = mask(self.config.credential or "")
            self.warn("auth", f"the key {key} was refused, sending pauses: {error}")
        elif verdict.outcome == "retry":
            self.counts["retries"] += 1
            if self.config.debug:
                self.warn("retry", f"sending failed and is tried again: {error}")
        else:
            self.warn("rejected", f"the server refused what was sent: {error}")

    def delivered(self, item: Item) -> None:
        """Count a delivery."""
        self.counts["delivered"] += 1
        if item.done is not None:
            item.done()

    def drop(self, reason: str, items: list[Item]) -> None:
        """Count what is lost, and say so without debug too."""
        if items:
            self.dropped[reason] = self.dropped.get(reason, 0) + len(items)
            self.warn("drop_" + reason, f"dropped {len(items)} ({reason})")
        for item in items:
            if item.done is not None:
                item.done()

    def keep(self, reason: str, items: list[Item]) -> None:
        """Write items to the spool and drop what it does not take."""
        lines: list[Item] = []
        for item in items:
            if self.spool is None or item.kind == "ping":
                self.drop(reason, [item])
            elif self.build(item):
                if item.body is None:
                    item.body, item.sample = sample_body([item]), None
                lines.append(item)
        if self.spool is None or not lines:
            return
        try:
            refused = self.spool.write(lines, time.time())
        except OSError as failure:
            self.warn("spool", f"the spool cannot be written: {failure}")
            refused = lines
        self.drop(reason, refused)
        for item in lines:
            if item not in refused and item.done is not None:
                item.done()

    def flush(self, timeout: float) -> bool:
        """Send what waits without waiting for more to go with it."""
        deadline = time.monotonic() + timeout
        if not self.queue.pending():
            return True
        with self.queue.lock:
            self.queue.hurry += 1
            for wake in self.queue.wake:
                wake.notify()
        try:
            for number in (1, 0):
                if self.queue.has(number) and not self.lanes[number].start():
                    self.lanes[number].run_until(deadline)
            return self.queue.wait_idle(max(deadline - time.monotonic(), 0))
        finally:
            with self.queue.lock:
                self.queue.hurry -= 1

    def close(self, timeout: float) -> bool:
        """Flush, write the rest to the spool and end the workers."""
        complete = self.flush(timeout)
        if not self.closed:
            self.closed = True
            self.keep("closed", self.queue.drain())
            with self.queue.lock:
                for wake in self.queue.wake:
                    wake.notify_all()
            if self._transport is not None:
                self._transport.close()
        return complete

    # --- warnings ---------------------------------------------------------------

    def warn(self, kind: str, message: str) -> None:
        """Write each kind of warning at most once a minute."""
        now = time.monotonic()
        if now - self._warned.get(kind, -60.0) < 60.0:  # noqa: PLR2004
            self._hidden[kind] = self._hidden.get(kind, 0) + 1
            return
        self._warned[kind] = now
        hidden = self._hidden.pop(kind, 0)
        self._log(
            "warning", f"nightbell: {message}" + (f" ({hidden} more not shown)" if hidden else "")
        )

    def _log(self, level: str, message: str) -> None:
        logger = self.config.logger or loading.logger()
        try:
            getattr(logger, level)("%s", message)
        except Exception:  # noqa: BLE001, S110 - a handler of the program's
            pass


def _spool_of(config: Config) -> Spool | None:
    if not config.spool_dir:
        return None
    from nightbell.spool import Spool

    return Spool(config.spool_dir)
