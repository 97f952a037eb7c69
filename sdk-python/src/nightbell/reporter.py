"""What all clients do without waiting: errors, changes, monitors, heartbeats, and their end."""

from __future__ import annotations

import functools
import itertools
import os
import sys
import threading

from nightbell import capture, event, retry, scope
from nightbell.config import Config, check_ca_file
from nightbell.pipeline import Pipeline
from nightbell.queue import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from typing import Any, ParamSpec, TypeVar

    from typing_extensions import Unpack

    from nightbell.config import Options
    from nightbell.event import Link, Severity
    from nightbell.heartbeat import Heartbeat
    from nightbell.job import Job
    from nightbell.monitor import Operation, Reading, Watch, Watchdog
    from nightbell.regular import Regular
    from nightbell.results import FlushResult, Stats
    from nightbell.scope import Scope, User

    P = ParamSpec("P")
    R = TypeVar("R")

_START_WARNINGS = {
    "key_missing": "nothing is reported: set NIGHTBELL_SERVICE_KEY or NIGHTBELL_API_KEY",
    "base_url_missing": "there is a key and no server: set NIGHTBELL_BASE_URL",
}

_numbers = itertools.count(1)


def _guarded(function: Callable[P, R]) -> Callable[P, R]:
    """Keep a fault of ours, or of a value that the program gave, out of the program."""

    @functools.wraps(function)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as fault:  # noqa: BLE001 - whatever it is
            reporter: Any = args[0]
            reporter._warn(f"{function.__name__} failed: {fault!r}")
            return None  # pyright: ignore[reportReturnType] - all of them may return None

    return guarded


class Reporter:
    """Everything that returns at once. It never raises once it is made."""

    def __init__(
        self,
        api_key: str | None = None,
        service_key: str | None = None,
        **options: Unpack[Options],
    ) -> None:
        """Read the configuration; ConfigError only for what cannot be right."""
        given: dict[str, Any] = {**options, "api_key": api_key, "service_key": service_key}
        self.config = Config(given, os.environ, _host_name())
        check_ca_file(self.config.ca_file)
        self._pipeline = Pipeline(self.config)
        self._watchdog: Watchdog | None = None  # made for the first operation
        self._regular: list[Regular] = []
        self._number = next(_numbers)
        for warning in self.config.warnings:
            self._pipeline.warn(warning, _START_WARNINGS[warning])
        if not self.config.enabled:
            return
        from nightbell import exit  # noqa: A004 - the file that is about exits

        exit.watch(self)
        if self.config.enable_auto_capture:
            exit.capture_uncaught(self)
        if self.config.spool_dir:
            deliver = self._pipeline.deliver_spool
            threading.Thread(target=deliver, name="nightbell spool", daemon=True).start()

    # --- incidents and errors ---------------------------------------------------

    @_guarded
    def enqueue_incident(  # noqa: PLR0913 - what an incident can say
        self,
        title: str,
        severity: Severity | str | None = None,
        *,
        description: str | None = None,
        tags: Mapping[str, str] | None = None,
        metadata: Mapping[str, Any] | None = None,
        links: Iterable[Link] | None = None,
        dedup_key: str | None = None,
        occurred_at: datetime | float | None = None,
        test: bool = False,
    ) -> str | None:
        """Report an incident without waiting; return the id of the event."""
        if not self._pipeline.on:
            return None
        given = event.incident(
            title, severity, description=description, tags=tags, metadata=metadata, links=links,
            dedup_key=dedup_key, occurred_at=occurred_at, test=test,
        )  # fmt: skip
        event_id = self._complete(given)
        self._pipeline.enqueue_event(given)
        return event_id

    def _complete(self, given: event.Event, event_id: str | None = None) -> str:
        """Add what the scope knows, and the id and time of the call."""
        if given["action"] == "trigger":
            scope.apply(given)
        given["id"] = event_id or self._pipeline.new_id()
        given["occurred_at"] = given.get("occurred_at") or event.timestamp(self._pipeline.now())
        return given["id"]

    @_guarded
    def capture_error(  # noqa: PLR0913 - what can be known about an error
        self,
        error: BaseException | None = None,
        *,
        user: User | None = None,
        operation: str | None = None,
        tags: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        severity: Severity | str | None = None,
        dedup_key: str | None = None,
        handled: bool = True,
    ) -> str | None:
        """Report an exception, by itself the one that is being handled, without waiting.

        Returns the id of the event, or None if nothing is sent: there is no exception, it is
        ignored, not sampled, or was reported before. High if nobody handled it, else medium.
        """
        config = self.config
        sampled = config.sample_rate >= 1 or retry.chance() < config.sample_rate
        if not self._pipeline.on or not sampled:
            return None
        error = error or sys.exc_info()[1]
        if error is None or isinstance(error, config.ignore_errors):
            return None
        if not capture.first_time(error, self._number):
            return None
        chain = capture.chain_of(error)
        # Two frames belong to this package.
        stacks = [capture.stack_of(error, sys._getframe(1))]  # pyright: ignore[reportPrivateUsage]
        stacks += [capture.stack_of(cause) for cause in chain[1:]]
        given = {
            "action": "trigger",
            "severity": event.known_severity(severity) or ("medium" if handled else "high"),
            "error": {"exceptions": [capture.describe(e) for e in chain]},
            "user": scope.user_of(user),
            "operation": operation,
            "tags": tags and event.texts(tags),
            "metadata": metadata and event.snapshot(metadata),
            "dedup_key": dedup_key,
        }
        event_id = self._complete(given)
        merge = capture.merge_key(chain, stacks, given)
        self._pipeline.enqueue_event(given, merge=merge, stack=stacks)
        return event_id

    @_guarded
    def record_change(  # noqa: PLR0913 - what a change can say
        self,
        summary: str,
        *,
        kind: str | None = None,
        version: str | None = None,
        environment: str | None = None,
        author: str | None = None,
        links: Iterable[Link] | None = None,
        occurred_at: datetime | float | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> str | None:
        """Report a deployment or another change, which never pages; return its id."""
        given = event.change(
            summary, kind=kind, version=version, environment=environment, author=author,
            links=links, occurred_at=occurred_at, metadata=metadata,
        )  # fmt: skip
        if not self._pipeline.on:
            return None
        given["id"] = self._pipeline.new_id()
        given["occurred_at"] = given["occurred_at"] or event.timestamp(self._pipeline.now())
        body = self._pipeline.seal_change(given)
        self._pipeline.enqueue(
            Item("change", "/v1/changes", id=given["id"], body=body, severity="low")
        )
        return given["id"]

    @_guarded
    def record_sample(self, name: str, value: float, *, unit: str | None = None) -> None:
        """Report a reading, such as a latency in "ms", for the page of the service."""
        if self._pipeline.on and name:
            from nightbell.monitor import record_sample

            record_sample(self._pipeline, name, unit, value, self._pipeline.now())

    # --- context ----------------------------------------------------------------

    def context(
        self,
        *,
        user: User | None = None,
        operation: str | Callable[[], str | None] | None = None,
        tags: Mapping[str, Any] | None = None,
        metadata: Mapping[str, Any] | None = None,
        trace: Mapping[str, str] | None = None,
    ) -> Scope:
        """Give all events of a `with` block a user, an operation and tags in common."""
        return scope.Scope(
            user=user, operation=operation, tags=tags, metadata=metadata, trace=trace
        )

    # --- monitors, heartbeats, jobs ---------------------------------------------

    def performance(
        self, name: str, *, threshold: float = 5.0, severity: Severity = "high"
    ) -> Operation:
        """Open an incident when an operation takes longer than threshold seconds.

        It opens while the operation still runs. Use it as a decorator or with `with`.
        """
        from nightbell.monitor import Operation, Watchdog

        self._watchdog = self._watchdog or Watchdog()
        return Operation(self._pipeline, self._watchdog, name, threshold, severity)

    def metric_monitor(  # noqa: PLR0913 - what a monitor can be told
        self,
        name: str,
        *,
        every: float,
        query: Callable[[], float],
        below: float | None = None,
        above: float | None = None,
        for_count: int = 1,
        auto_resolve: bool = True,
        unit: str | None = None,
        incident: Mapping[str, Any] | None = None,
    ) -> Regular:
        """Ask for a number now and every so many seconds, on a thread of its own.

        An incident opens when it is below or above the threshold, one for all replicas, and
        is resolved at the first good reading of any: a number of one process needs a name of
        its own. ValueError for what can never work.
        """
        watch = self._watch(
            "metric", name, every, below=below, above=above, for_count=for_count,
            auto_resolve=auto_resolve, incident=incident,
        )  # fmt: skip
        from nightbell.monitor import Reading

        return self._monitor(watch, unit, lambda: Reading(query()))

    def ratio_monitor(  # noqa: PLR0913 - what a monitor can be told
        self,
        name: str,
        *,
        every: float,
        query: Callable[[], tuple[float, float]],
        below: float | None = None,
        above: float | None = None,
        min_total: float = 0,
        for_count: int = 1,
        auto_resolve: bool = True,
        incident: Mapping[str, Any] | None = None,
    ) -> Regular:
        """Ask for hits and total, like metric_monitor. 0.02 is 2 %."""
        from nightbell.monitor import ratio

        watch = self._watch(
            "ratio", name, every, below=below, above=above, for_count=for_count,
            auto_resolve=auto_resolve, incident=incident,
        )  # fmt: skip
        return self._monitor(watch, "1", lambda: ratio(*query(), min_total))

    def _watch(self, kind: str, name: str, every: float, **told: Any) -> Watch:
        from nightbell.monitor import Watch

        environment, new_id = self.config.environment, self._pipeline.new_id
        return Watch(kind, name, every, environment=environment, new_id=new_id, **told)

    def _monitor(
        self, watch: Watch, unit: str | None, query: Callable[[], Reading | None]
    ) -> Regular:
        from nightbell.monitor import read
        from nightbell.regular import Regular

        look = functools.partial(read, self._pipeline, watch, unit, query)
        return self._start(Regular(self._pipeline, f"monitor {watch.name}", watch.every, look))

    def heartbeat(self, name: str, *, every: float = 60.0, grace: float | None = None) -> Heartbeat:
        """Say now and every so many seconds that the program lives, until it is stopped."""
        from nightbell.heartbeat import Heartbeat

        beat = Heartbeat(self._pipeline, name, every, grace)
        self._start(beat)
        return beat

    def _start(self, regular: Regular) -> Regular:
        if self._pipeline.on and not self._pipeline.closed:
            self._regular.append(regular)
            regular.start()
        return regular

    def job(
        self,
        name: str,
        *,
        schedule: str | None = None,
        time_zone: str | None = None,
        max_runtime: float | None = None,
    ) -> Job:
        """Say that a job starts and how it ended. Use it as a decorator or with `with`."""
        from nightbell.job import Job

        return Job(self._pipeline, name, schedule, time_zone, max_runtime)

    # --- the process ------------------------------------------------------------

    def watch_loop(self, loop: asyncio.AbstractEventLoop) -> None:
        """Report exceptions that nobody retrieved from tasks of a loop."""
        from nightbell import exit  # noqa: A004

        exit.watch_loop(self, loop)

    def stats(self) -> Stats:
        """Tell what became of everything so far."""
        from nightbell.results import Stats

        pipeline = self._pipeline
        return Stats(
            pending=pipeline.queue.pending(), dropped=dict(pipeline.dropped), **pipeline.counts
        )

    def _flush(self, timeout: float | None) -> FlushResult:
        return self._measured(self._pipeline.flush, timeout)

    def _close(self, timeout: float | None) -> FlushResult:
        from nightbell import exit  # noqa: A004

        exit.stop_capturing(self)
        while self._regular:
            self._regular.pop().stop()
        return self._measured(self._pipeline.close, timeout)

    def _measured(self, work: Callable[[float], bool], timeout: float | None) -> FlushResult:
        from nightbell.results import FlushResult

        before = self.stats()
        ok = work(self.config.flush_timeout if timeout is None else timeout)
        after = self.stats()
        return FlushResult(
            ok=ok,
            sent=after.delivered - before.delivered,
            pending=after.pending,
            dropped=sum(after.dropped.values()) - sum(before.dropped.values()),
        )

    @_guarded
    def _close_quietly(self) -> None:
        """Close as the process ends."""
        self._close(None)

    def _forked(self) -> None:
        """Begin again in a child: threads did not come along, and the queue is the parent's."""
        self._pipeline.reset()
        self._regular = []
        self._watchdog = None

    def _lock_is_free(self) -> bool:
        """Say whether nobody changes the queue at the moment, not even the caller."""
        lock = self._pipeline.queue.lock
        free = lock.acquire(timeout=0.05)
        if free:
            lock.release()
        return free

    def _warn(self, message: str) -> None:
        """Log a fault, at most once a minute."""
        self._pipeline.warn("fault", message)

    def _enqueue_item(self, item: Item) -> None:
        """Queue what the command line made."""
        self._pipeline.enqueue(item)

    def redact_query(self, query: str) -> str:
        """Take secrets out of the query of a URL."""
        return self._pipeline.redactor.query(query)


def _host_name() -> str | None:
    try:
        return (
            os.uname().nodename or None if hasattr(os, "uname") else os.environ.get("COMPUTERNAME")
        )
    except OSError:
        return None
