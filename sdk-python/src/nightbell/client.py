# pyright: reportPrivateUsage=false
"""The client: reports to Nightbell."""

from __future__ import annotations

import threading

from nightbell import event
from nightbell.errors import NightbellError, invalid
from nightbell.reporter import Reporter

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable, Iterable, Mapping
    from datetime import datetime
    from types import TracebackType
    from typing import Any, TypeVar

    from typing_extensions import Self, Unpack

    from nightbell.config import Options
    from nightbell.event import Link, Severity
    from nightbell.results import FlushResult, IncidentResult

    R = TypeVar("R")


class Client(Reporter):
    """Reports to Nightbell. Make one per program; all threads may use it."""

    def trigger_incident(  # noqa: PLR0913 - what an incident can say
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
        timeout: float | None = None,
        idempotency_key: str | None = None,
    ) -> IncidentResult:
        """Report an incident and wait for its id.

        It retries for three times the timeout. After that the background goes on under the
        same id, and the ApiError says `queued`.
        """
        given = event.incident(
            title, severity, description=description, tags=tags, metadata=metadata, links=links,
            dedup_key=dedup_key, occurred_at=occurred_at, test=test,
        )  # fmt: skip
        self._complete(given, idempotency_key)
        return self._pipeline.call(given, timeout)

    def acknowledge(self, dedup_key: str, *, timeout: float | None = None) -> IncidentResult:
        """Acknowledge the open incident of a dedup key. Without one the status is ignored."""
        return self._respond("acknowledge", dedup_key, timeout)

    def resolve(self, dedup_key: str, *, timeout: float | None = None) -> IncidentResult:
        """Resolve the open incident of a dedup key. Without one the status is ignored."""
        return self._respond("resolve", dedup_key, timeout)

    def _respond(self, action: str, dedup_key: str, timeout: float | None) -> IncidentResult:
        if not dedup_key or not dedup_key.strip():
            raise invalid("dedup_key", "required", "give the dedup key of the incident")
        given: event.Event = {"action": action, "dedup_key": dedup_key}
        self._complete(given)
        return self._pipeline.call(given, timeout)

    def flush(self, timeout: float | None = None) -> FlushResult:
        """Send what waits; by itself within the flush timeout."""
        return self._flush(timeout)

    def close(self, timeout: float | None = None) -> FlushResult:
        """Stop monitors and heartbeats, flush, and write the rest to the spool if there is one."""
        return self._close(timeout)

    def __enter__(self) -> Self:
        """Use the client for a block."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        self.close()


class AsyncClient(Reporter):
    """A Client whose waiting calls are awaited. They never block the event loop."""

    async def trigger_incident(
        self, title: str, severity: Severity | str | None = None, **options: Any
    ) -> IncidentResult:
        """Report an incident and wait for its id, with the options of Client."""
        # The scope is the caller's, so the event is made here.
        timeout = options.pop("timeout", None)
        event_id = options.pop("idempotency_key", None)
        given = event.incident(title, severity, **options)
        self._complete(given, event_id)
        return await _in_thread(lambda: self._pipeline.call(given, timeout))

    async def acknowledge(self, dedup_key: str, *, timeout: float | None = None) -> IncidentResult:
        """Acknowledge the open incident of a dedup key."""
        return await self._respond("acknowledge", dedup_key, timeout)

    async def resolve(self, dedup_key: str, *, timeout: float | None = None) -> IncidentResult:
        """Resolve the open incident of a dedup key."""
        return await self._respond("resolve", dedup_key, timeout)

    async def _respond(self, action: str, dedup_key: str, timeout: float | None) -> IncidentResult:
        if not dedup_key or not dedup_key.strip():
            raise invalid("dedup_key", "required", "give the dedup key of the incident")
        given: event.Event = {"action": action, "dedup_key": dedup_key}
        self._complete(given)
        return await _in_thread(lambda: self._pipeline.call(given, timeout))

    async def flush(self, timeout: float | None = None) -> FlushResult:
        """Send what waits; by itself within the flush timeout."""
        return await _in_thread(lambda: self._flush(timeout))

    async def close(self, timeout: float | None = None) -> FlushResult:
        """Stop monitors and heartbeats, flush, and spool the rest."""
        return await _in_thread(lambda: self._close(timeout))

    async def __aenter__(self) -> Self:
        """Use the client for a block."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()


async def _in_thread(work: Callable[[], R]) -> R:
    """Run on a daemon thread: a pool would keep the process alive while a server is silent."""
    import asyncio  # 40 ms, of which this caller has paid

    loop = asyncio.get_running_loop()
    future: asyncio.Future[R] = loop.create_future()

    def settle(result: R | None, error: BaseException | None) -> None:
        if future.done():  # it was cancelled
            return
        if error is None:
            future.set_result(result)  # pyright: ignore[reportArgumentType]
        else:
            future.set_exception(error)

    def run() -> None:
        result: R | None = None
        failure: BaseException | None = None
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it goes to who waits
            failure = error
        try:
            loop.call_soon_threadsafe(settle, result, failure)
        except RuntimeError:  # the loop was closed, nobody waits
            pass

    threading.Thread(target=run, name="nightbell call", daemon=True).start()
    return await future


_default: list[Client] = []


def init(
    api_key: str | None = None, service_key: str | None = None, **options: Unpack[Options]
) -> Client:
    """Make the client that get_client returns. One that was made before is closed."""
    client = Client(api_key, service_key, **options)
    while _default:
        _default.pop().close(0)
    _default.append(client)
    return client


def get_client() -> Client:
    """Return the client of init; without one, make it from the environment."""
    if _default:
        return _default[-1]
    try:
        return init()
    except NightbellError as error:  # middleware must not end the program
        client = init(disabled=True, base_url=None)
        client._warn(str(error))
        return client
