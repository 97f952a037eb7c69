"""Holds what waits to be sent, bounded by number and bytes."""

from __future__ import annotations

import threading
import time

from nightbell.event import weight

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from typing import Any

    from nightbell.answer import Kind

MAX_BYTES = 4 << 20
MAX_BATCH = 100
MAX_BATCH_BYTES = 256 << 10
LINGER = 1.0  # seconds that a batch waits for more


class Item:
    """One thing that waits to be sent."""

    __slots__ = (
        "attempts", "body", "company", "done", "event", "first_try", "id", "kind", "merge",
        "not_before", "path", "queued_at", "sample", "size", "stack", "urgent", "weight",
    )  # fmt: skip

    def __init__(  # noqa: PLR0913 - what an item can be
        self,
        kind: Kind,
        path: str,
        *,
        id: str | None = None,  # noqa: A002
        body: bytes | None = None,
        event: dict[str, Any] | None = None,
        severity: str | None = None,
        merge: Hashable = None,
        size: int = 0,
    ) -> None:
        """Give either the final body or the event that it is made of."""
        self.kind: Kind = kind
        self.path = path
        self.id = id
        self.body = body  # once built, every try sends the same bytes
        self.event = event
        self.stack: Any = None  # of a captured error, turned into frames when it is built
        self.sample: tuple[str, str | None, float, float] | None = None
        self.merge = merge  # equal errors that wait become one with a count
        self.weight = weight(severity)
        self.urgent = severity == "critical"
        self.size = len(body) if body else size
        self.queued_at = time.monotonic()
        self.first_try = 0.0
        self.not_before = 0.0
        self.attempts = 0
        self.company = 0  # most events to send it with after failures; 0: no limit of its own
        self.done: Callable[[], None] | None = None  # when it also lies on disk


class Queue:
    """Two lanes: what is critical never waits behind a batch that gets no answer.

    One lock guards everything here, so that a signal handler can ask whether the thread
    that it interrupted holds it.
    """

    def __init__(self, most: int) -> None:
        """Begin empty."""
        self.most = most
        self.lock = threading.Lock()
        self.idle = threading.Condition(self.lock)
        self.wake = (threading.Condition(self.lock), threading.Condition(self.lock))
        self.wake_at = [0.0, 0.0]  # when the lane looks by itself
        self.hurry = 0  # flushes under way
        self._lanes: tuple[list[Item], list[Item]] = ([], [])
        self._flying: set[Item] = set()
        self._merging: dict[Hashable, Item] = {}
        self._bytes = 0

    def add(self, item: Item) -> list[Item]:
        """Put an item in; return what had to go for it, which may be the item itself."""
        dropped: list[Item] = []
        with self.lock:
            if item.merge is not None:
                same = self._merging.get(item.merge)
                if same is not None and same.event is not None:
                    same.event["count"] = same.event.get("count", 1) + 1
                    return dropped
            while self._pending() >= self.most or self._bytes + item.size > MAX_BYTES:
                lightest = min((i for lane in self._lanes for i in lane), key=_weight, default=None)
                if lightest is None or lightest.weight > item.weight:
                    return [*dropped, item]
                self._lanes[lightest.urgent].remove(lightest)
                self._forget(lightest)
                dropped.append(lightest)
            if item.merge is not None:
                self._merging[item.merge] = item
            self._bytes += item.size
            lane = self._lanes[item.urgent]
            lane.append(item)
            if (
                item.urgent
                or item.kind == "ping"
                or len(lane) >= MAX_BATCH
                or self.hurry
                or self.wake_at[item.urgent] > item.queued_at + LINGER
            ):
                self.wake[item.urgent].notify()
        return dropped

    def _forget(self, item: Item) -> None:
        """Take no more occurrences for an item that no longer waits."""
        self._bytes -= item.size
        if item.merge is not None and self._merging.get(item.merge) is item:
            del self._merging[item.merge]

    def take(self, lane: int, now: float) -> tuple[list[Item], float | None]:
        """Remove what can be sent together now, or say how long to wait. Holds no lock."""
        batch: list[Item] = []
        wait: float | None = None
        most = size = 0
        oldest = now
        for item in self._lanes[lane]:
            if item.not_before > now:
                wait = min(wait or item.not_before - now, item.not_before - now)
                continue
            if not batch:
                most = _batch_limit(item)
            elif (
                len(batch) >= most or size + item.size > MAX_BATCH_BYTES or not _fit(batch[0], item)
            ):
                continue
            batch.append(item)
            size += item.size
            oldest = min(oldest, item.queued_at)
        if not batch:
            return [], wait
        ready = (
            lane or self.hurry or len(batch) >= most or size >= MAX_BATCH_BYTES // 2
            or batch[0].kind in ("ping", "change") or batch[0].attempts
        )  # fmt: skip
        rest = oldest + LINGER - now
        if not ready and rest > 0:
            return [], min(rest, wait or rest)
        gone = set(batch)
        self._lanes[lane][:] = [item for item in self._lanes[lane] if item not in gone]
        for item in batch:
            self._forget(item)
        self._flying |= gone
        return batch, None

    def fly(self, item: Item) -> None:
        """Count an item that its caller sends, so that a flush waits for it."""
        with self.lock:
            self._flying.add(item)

    def land(self, items: list[Item], again: list[Item]) -> None:
        """Finish items; those of again go back to the front for another try."""
        with self.lock:
            for item in again:
                if item in self._flying:  # else it was drained meanwhile
                    item.merge = None  # what was sent once does not change
                    self._bytes += item.size
                    self._lanes[item.urgent].insert(0, item)
                    self.wake[item.urgent].notify()
            self._flying.difference_update(items, again)
            if not self._pending():
                self.idle.notify_all()

    def wait_idle(self, timeout: float) -> bool:
        """Wait until nothing waits and nothing is under way."""
        with self.lock:
            return self.idle.wait_for(lambda: not self._pending(), timeout)

    def has(self, lane: int) -> bool:
        """Whether something waits in a lane."""
        return bool(self._lanes[lane])

    def pending(self) -> int:
        """Count what waits or is under way."""
        with self.lock:
            return self._pending()

    def _pending(self) -> int:
        return len(self._lanes[0]) + len(self._lanes[1]) + len(self._flying)

    def drain(self) -> list[Item]:
        """Empty the queue for the spool. Under its id what is under way counts once too."""
        with self.lock:
            items = [*self._lanes[1], *self._lanes[0], *self._flying]
            self._lanes = ([], [])
            self._flying.clear()
            self._merging.clear()
            self._bytes = 0
            self.idle.notify_all()
            return items


def _weight(item: Item) -> int:
    return item.weight


def _batch_limit(first: Item) -> int:
    if first.kind not in ("event", "sample"):
        return 1
    return first.company or MAX_BATCH


def _fit(a: Item, b: Item) -> bool:
    if a.kind != b.kind:
        return False
    if a.sample is not None and b.sample is not None:
        return a.sample[:2] == b.sample[:2]
    return a.kind == "event"
