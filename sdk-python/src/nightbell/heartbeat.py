"""Says regularly that the program lives: Nightbell opens an incident when it stops."""

from __future__ import annotations

import time

from nightbell.answer import judge
from nightbell.event import ping_path, whole_seconds, without_empty
from nightbell.queue import Item
from nightbell.regular import Regular
from nightbell.transport import Request
from nightbell.truncate import encode

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from nightbell.pipeline import Pipeline


def ping_item(name: str, ping: dict[str, Any]) -> Item:
    """Make a ping that is queued."""
    body = encode(without_empty(ping))
    return Item("ping", ping_path(name), body=body, severity="high")


class Heartbeat(Regular):
    """Pings now and then regularly until it is stopped, which says that this is no failure."""

    def __init__(
        self, pipeline: Pipeline, name: str, every: float, grace: float | None = None
    ) -> None:
        """Refuse an interval that can never work: it is a mistake in the program's source."""
        if every < 1:
            message = "a heartbeat needs every of at least a second"
            raise ValueError(message)
        super().__init__(pipeline, name, every, self.beat)
        ping = {
            "status": "ok",
            "every_seconds": whole_seconds(every),
            "grace_seconds": whole_seconds(grace),
        }
        self._ping = ping_item(name, ping)

    def stop(self) -> None:
        """Stop in order. It may be called more than once."""
        if not self._stopped.is_set():
            self._stopped.set()
            self._pipeline.enqueue(ping_item(self._name, {"status": "stop"}))

    def beat(self) -> None:
        """Ping once, and again after a second if that failed.

        A ping that is later than the next one says nothing, so it is not queued.
        """
        pipeline = self._pipeline
        request = Request("ping", self._ping.path, self._ping.body or b"")
        for attempt in (1, 2):
            if not pipeline.on or pipeline.gate.until > time.monotonic():
                return
            answer = pipeline.send(request, attempt, min(pipeline.config.timeout, self._every))
            verdict = judge("ping", [], answer, time.time())
            pipeline.note(request, verdict)
            if verdict.outcome == "delivered":
                return
            pipeline.warn("heartbeat", f"a ping of {self._name} was not delivered: {verdict.error}")
            if verdict.outcome != "retry" or self._stopped.wait(max(verdict.wish, 1.0)):
                return
