"""Runs something now and then regularly, on a thread of its own."""

from __future__ import annotations

import threading
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from nightbell.pipeline import Pipeline


class Regular:
    """What monitors and heartbeats are: stop it, or close the client."""

    def __init__(
        self, pipeline: Pipeline, name: str, every: float, run: Callable[[], None]
    ) -> None:
        """Begin nothing yet."""
        self._pipeline = pipeline
        self._name = name
        self._every = every
        self._work = run
        self._stopped = threading.Event()

    def start(self) -> None:
        """Begin on a thread of its own."""
        thread = threading.Thread(target=self._run, name=f"nightbell {self._name}", daemon=True)
        try:
            thread.start()
        except RuntimeError as failure:
            self._pipeline.warn("thread", f"no thread runs {self._name}: {failure}")

    def stop(self) -> None:
        """Stop it. It may be called more than once."""
        self._stopped.set()

    def _run(self) -> None:
        due = time.monotonic()
        while not self._stopped.is_set():
            try:
                self._work()
            except Exception as fault:  # noqa: BLE001 - a query is the program's
                self._pipeline.warn(self._name, f"{self._name} failed: {fault!r}")
            due = max(due + self._every, time.monotonic())
            self._stopped.wait(due - time.monotonic())
