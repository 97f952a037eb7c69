"""A job says that it starts and how it ended, under one run id."""

from __future__ import annotations

import functools
from typing import Any, TypeVar

from nightbell.event import whole_seconds
from nightbell.heartbeat import ping_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

    from nightbell.pipeline import Pipeline

F = TypeVar("F", bound="Callable[..., Any]")


class Job:
    """A `with` block, an `async with` block, or a decorator of a function of either kind."""

    def __init__(
        self,
        pipeline: Pipeline,
        name: str,
        schedule: str | None = None,
        time_zone: str | None = None,
        max_runtime: float | None = None,
    ) -> None:
        """Begin nothing yet. The schedule is a cron line."""
        self._pipeline = pipeline
        self._name = name
        self._expected = {
            "schedule": schedule,
            "time_zone": time_zone,
            "max_runtime_seconds": whole_seconds(max_runtime),
        }
        self._run_id = ""

    def _ping(self, status: str, **more: Any) -> None:
        if self._pipeline.on:
            ping = {"status": status, "run_id": self._run_id, **more}
            self._pipeline.enqueue(ping_item(self._name, ping))

    def _again(self) -> Job:
        expected = self._expected
        again = Job(self._pipeline, self._name)
        again._expected = expected
        return again

    def __enter__(self) -> Job:
        """Say that it starts."""
        self._run_id = self._pipeline.new_id()
        self._ping("start", **self._expected)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Say how it ended. An exception goes on."""
        self._ping("ok" if error is None else "fail")

    async def __aenter__(self) -> Job:
        """Say that it starts."""
        return self.__enter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Say how it ended."""
        self.__exit__(kind, error, traceback)

    def __call__(self, function: F) -> F:
        """Make each call of a function a run."""
        import inspect  # noqa: PLC0415 - 6 ms, only for programs that decorate

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def run_async(*args: Any, **kwargs: Any) -> Any:
                with self._again():
                    return await function(*args, **kwargs)

            return run_async  # pyright: ignore[reportReturnType]

        @functools.wraps(function)
        def run(*args: Any, **kwargs: Any) -> Any:
            with self._again():
                return function(*args, **kwargs)

        return run  # pyright: ignore[reportReturnType]
