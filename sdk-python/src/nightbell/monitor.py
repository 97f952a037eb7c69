"""Monitors: numbers that are asked for regularly, and operations that may take too long."""

from __future__ import annotations

import functools
import heapq
import math
import threading
import time
from typing import Any, TypeVar

from nightbell import scope
from nightbell.event import moment, timestamp
from nightbell.queue import Item
from nightbell.snapshot import snapshot, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType

    from nightbell.pipeline import Pipeline

    Event = dict[str, Any]

F = TypeVar("F", bound="Callable[..., Any]")


class Reading:
    """What a query found."""

    __slots__ = ("facts", "value")

    def __init__(self, value: float, **facts: float) -> None:
        """Keep the value and what it was made of."""
        self.value = value
        self.facts = facts


def ratio(hits: float, total: float, min_total: float) -> Reading | None:
    """Divide, unless the total is too small to say anything."""
    if total <= 0 or total < min_total:
        return None
    return Reading(hits / total, hits=hits, total=total)


class Watch:
    """The state of a monitor. It knows no clock."""

    def __init__(  # noqa: PLR0913 - what a monitor can be told
        self,
        kind: str,
        name: str,
        every: float,
        *,
        below: float | None = None,
        above: float | None = None,
        for_count: int = 1,
        auto_resolve: bool = True,
        incident: Mapping[str, Any] | None = None,
        environment: str,
        new_id: Callable[[], str],
    ) -> None:
        """Refuse what can never work: it is a mistake in the program's source."""
        if not name or every < 1 or (below is None) == (above is None):
            message = (
                "a monitor needs a name, every of at least a second, and either below or above"
            )
            raise ValueError(message)
        self.kind = kind
        self.name = name
        self.every = every
        self.below = below
        self.above = above
        self.for_count = for_count
        self.auto_resolve = auto_resolve
        self.incident = incident or {}
        self.environment = environment
        self.new_id = new_id
        self._bad = 0
        self._open: bool | None = None  # an earlier process may have opened it

    def look(self, at: float, reading: Reading) -> Event | None:
        """Make the event of a reading, if there is one."""
        if not self._is_bad(reading.value):
            resolve = self._open is not False and self.auto_resolve
            self._bad, self._open = 0, False
            return self._event("resolve", at) if resolve else None
        self._bad += 1
        if self._open or self._bad < self.for_count:
            return None
        self._open = True
        threshold = self.above if self.below is None else self.below
        word = "above" if self.below is None else "below"
        given = self.incident
        facts = {"value": reading.value, "threshold": threshold, **reading.facts}
        return self._event("trigger", at) | {
            "title": given.get("title") or f"{self.name} is {word} its threshold",
            "severity": given.get("severity") or "high",
            "description": given.get("description"),
            "links": [dict(link) for link in given.get("links") or ()],
            "tags": {"type": self.kind, "monitor": self.name, **texts(given.get("tags"))},
            "metadata": {**facts, **snapshot(given.get("metadata"))},
        }

    def _is_bad(self, value: float) -> bool:
        return (self.below is not None and value < self.below) or (
            self.above is not None and value > self.above
        )

    def _event(self, action: str, at: float) -> Event:
        # With one id for each window, a second trigger of that window would be answered as a
        # repeat of the first. What replicas send, the dedup key joins.
        return {
            "action": action,
            "id": self.new_id(),
            "dedup_key": monitor_key(self.environment, self.name),
            "occurred_at": timestamp(at),
        }


def monitor_key(environment: str, name: str) -> str:
    """Name the problem that a monitor watches for."""
    return f"monitor:{environment}:{name}"


def read(
    pipeline: Pipeline, watch: Watch, unit: str | None, query: Callable[[], Reading | None]
) -> None:
    """Ask once. A query that raises changes nothing."""
    reading = query()
    if reading is None or math.isnan(reading.value):
        return
    at = pipeline.now()
    record_sample(pipeline, watch.name, unit, reading.value, at)
    event = watch.look(at, reading)
    if event is not None and pipeline.on:
        pipeline.enqueue_event(event)


def record_sample(pipeline: Pipeline, name: str, unit: str | None, value: float, at: float) -> None:
    """Queue one reading."""
    item = Item("sample", "/v1/samples", size=64)
    item.sample = (name, unit, at, float(value) if value - value == 0 else 0.0)
    item.weight = 0
    pipeline.enqueue(item)


class Watchdog:
    """One thread for all operations that may take too long, since there are many."""

    def __init__(self) -> None:
        """Start the thread with the first operation."""
        self._changed = threading.Condition()
        self._heap: list[tuple[float, int, Operation]] = []
        self._count = 0
        self._running = False

    def add(self, due: float, operation: Operation) -> None:
        """Call operation.fire at that time of the monotonic clock."""
        with self._changed:
            self._count += 1
            heapq.heappush(self._heap, (due, self._count, operation))
            if not self._running:
                self._running = True
                threading.Thread(target=self._run, name="nightbell watchdog", daemon=True).start()
            elif self._heap[0][2] is operation:
                self._changed.notify()

    def _run(self) -> None:
        while True:
            with self._changed:
                while self._heap and self._heap[0][2].ended:
                    heapq.heappop(self._heap)
                wait = self._heap[0][0] - time.monotonic() if self._heap else 60.0
                if wait > 0:
                    if not self._changed.wait(wait) and not self._heap:
                        self._running = False
                        return
                    continue
                operation = heapq.heappop(self._heap)[2]
            operation.fire()


class Operation:
    """Something that may take too long: an incident opens while it still runs.

    It is a `with` block, an `async with` block, or a decorator of a function of either kind.
    """

    def __init__(
        self, pipeline: Pipeline, watchdog: Watchdog, name: str, threshold: float, severity: str
    ) -> None:
        """Begin nothing yet."""
        self._pipeline = pipeline
        self._watchdog = watchdog
        self._name = name
        self._threshold = threshold
        self._severity = severity
        self._lock = threading.Lock()
        self._common: Event = {}
        self._began = 0.0
        self._fired = False
        self.ended = False

    def start(self, at: float | None = None) -> None:
        """Begin the operation. A time is for tests, which call fire and end themselves."""
        scope.apply(self._common)
        self._began = self._pipeline.now() if at is None else at
        if at is None and self._pipeline.on:
            try:
                self._watchdog.add(time.monotonic() + self._threshold, self)
            except RuntimeError as failure:  # no thread: the end still knows
                self._pipeline.warn("thread", f"no thread watches {self._name}: {failure}")

    def fire(self) -> None:
        """Say that it takes too long."""
        with self._lock:
            if self.ended or self._fired:
                return
            self._fired = True
            self._send({"running": True})

    def end(self, at: float | None = None) -> None:
        """Say how long it took, if it took too long."""
        took = (self._pipeline.now() if at is None else at) - self._began
        with self._lock:
            if self._fired and not self.ended:
                self._send({"running": False, "duration_ms": round(took * 1000)})
            self.ended = True

    def _send(self, facts: Event) -> None:
        """Date both events alike: after somebody resolved, the second opens no other."""
        ms = round(self._threshold * 1000)
        common = self._common
        self._pipeline.enqueue_event(
            {
                **common,
                "action": "trigger",
                "id": self._pipeline.new_id(),
                "dedup_key": monitor_key(self._pipeline.config.environment, self._name),
                "title": f"{self._name} takes longer than {short_duration(ms)}",
                "severity": self._severity,
                "operation": self._name,
                "occurred_at": moment(self._began + self._threshold),
                "tags": {**common.get("tags", {}), "type": "performance", "monitor": self._name},
                "metadata": {**common.get("metadata", {}), "threshold_ms": ms, **facts},
            }
        )

    def _again(self) -> Operation:
        return Operation(
            self._pipeline, self._watchdog, self._name, self._threshold, self._severity
        )

    def __enter__(self) -> Operation:
        """Begin."""
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End, also after an exception, which goes on."""
        self.end()

    async def __aenter__(self) -> Operation:
        """Begin."""
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """End."""
        self.end()

    def __call__(self, function: F) -> F:
        """Watch each call of a function."""
        import inspect  # noqa: PLC0415 - 6 ms, only for programs that decorate

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def watched_async(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return await function(*args, **kwargs)

            return watched_async  # pyright: ignore[reportReturnType]

        @functools.wraps(function)
        def watched(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return watched  # pyright: ignore[reportReturnType]


def short_duration(ms: int) -> str:
    """Write "5 s", "1.5 s" or "250 ms"."""
    if ms < 1000 or ms % 100:  # noqa: PLR2004
        return f"{ms} ms"
    return f"{ms / 1000:g} s"
