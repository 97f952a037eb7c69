"""One worker: it takes what is due, sends it and decides what becomes of it."""

from __future__ import annotations

import threading
import time

from nightbell import loading, retry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from nightbell.answer import Answer, Verdict
    from nightbell.pipeline import Pipeline
    from nightbell.queue import Item
    from nightbell.transport import Request


class Lane:
    """There are two, so that a critical event never waits behind a batch."""

    def __init__(self, pipeline: Pipeline, number: int) -> None:
        """Start nothing: the thread begins with the first item of this process."""
        self._pipeline = pipeline
        self._number = number
        self._thread: threading.Thread | None = None
        self._quiet_until = 0.0  # after a failure that is not the fault of what was sent

    def start(self) -> bool:
        """Make sure that the worker runs; False when no thread can be started any more."""
        if self._thread is not None:
            return True
        with self._pipeline.queue.lock:
            if self._thread is not None:
                return True
            thread = threading.Thread(target=self._run, name="nightbell", daemon=True)
            self._thread = thread
        try:
            thread.start()
        except RuntimeError:  # the interpreter ends: flush sends on its own thread
            self._thread = None
            return False
        return True

    def _run(self) -> None:
        loading.load()
        queue = self._pipeline.queue
        while True:
            with queue.lock:
                batch, wait = self._next()
                if not batch:
                    if self._pipeline.closed:
                        return
                    now = time.monotonic()
                    queue.wake_at[self._number] = now + (3600.0 if wait is None else wait)
                    queue.wake[self._number].wait(wait)
                    queue.wake_at[self._number] = 0.0
                    continue
            self.deliver(batch, self._pipeline.config.timeout)

    def run_until(self, deadline: float) -> None:
        """Send on this thread, for a process that can start none."""
        queue = self._pipeline.queue
        while (rest := deadline - time.monotonic()) > 0:
            with queue.lock:
                batch, wait = self._next()
            if batch:
                self.deliver(batch, min(rest, self._pipeline.config.timeout))
            elif wait is None or wait > rest:
                return
            else:
                time.sleep(wait)

    def _next(self) -> tuple[list[Item], float | None]:
        """Say what to send now or how long to wait. The lock is held."""
        now = time.monotonic()
        wait = max(self._quiet_until, self._pipeline.gate.until) - now
        if wait > 0:
            return [], wait
        return self._pipeline.queue.take(self._number, now)

    def deliver(self, batch: list[Item], timeout: float) -> None:
        """Send one batch once. Nothing that happens here reaches the program."""
        finished: list[Item] = list(batch)
        again: list[Item] = []
        try:
            # 1. Build the bodies; some events end here.
            built = [item for item in batch if self._pipeline.build(item)]
            if built:
                # 2. One try. 3. What becomes of each.
                verdict = self._try(built, timeout)
                again = self._settle(built, verdict)
                finished = [item for item in batch if item not in again]
        except Exception as fault:  # noqa: BLE001 - a fault of ours must not end the worker
            self._pipeline.drop("internal", batch)
            self._pipeline.warn("internal", f"nightbell failed to send: {fault!r}")
        finally:
            self._pipeline.queue.land(finished, again)

    def _try(self, batch: list[Item], timeout: float) -> Verdict:
        from nightbell.answer import judge

        now = time.monotonic()
        for item in batch:
            item.first_try = item.first_try or now
            item.attempts += 1
        request = request_of(batch)
        answer = self._pipeline.send(request, batch[0].attempts, timeout)
        verdict = judge(request.kind, request.ids, answer, time.time())
        self._pipeline.note(request, verdict)
        if verdict.outcome == "split" or (verdict.outcome == "retry" and batch[0].attempts > 2):  # noqa: PLR2004
            # In halves an event that the server cannot stand is soon alone.
            for item in batch:
                item.company = max(len(batch) // 2, 1)
        self._rest_after(answer, verdict, batch[0].attempts)
        return verdict

    def _rest_after(self, answer: Answer, verdict: Verdict, attempts: int) -> None:
        if verdict.outcome == "retry" and answer.status != 500:  # noqa: PLR2004 - that one is of the event
            delay = retry.background(attempts - 1, verdict.wish, 0, retry.chance())
            self._quiet_until = time.monotonic() + (delay or 0)

    def _settle(self, batch: list[Item], verdict: Verdict) -> list[Item]:
        """Finish each item, and return those to send again."""
        again: list[Item] = []
        for item, own in zip(batch, verdict.items or [verdict] * len(batch), strict=True):
            if own.outcome == "delivered":
                self._pipeline.delivered(item)
            elif own.outcome == "split":
                again.append(item)
            elif own.outcome == "retry":
                now = time.monotonic()
                delay = retry.background(
                    item.attempts - 1,
                    own.wish,
                    now - item.first_try,
                    retry.chance(),
                )
                if delay is None:
                    self._pipeline.keep("expired", [item])
                    continue
                # If the whole lane rests, the item need not.
                item.not_before = 0.0 if self._quiet_until > now else now + delay
                again.append(item)
            else:
                self._pipeline.drop("rejected", [item])
        return again


def request_of(batch: list[Item]) -> Request:
    """Make one request of items that go together."""
    from nightbell.transport import Request

    first = batch[0]
    if first.sample is not None:
        return Request("sample", first.path, sample_body(batch))
    if len(batch) == 1:
        ids = [first.id] if first.id else []
        return Request(first.kind, first.path, first.body or b"", ids, first.id)
    body = b'{"events":[' + b",".join(item.body or b"" for item in batch) + b"]}"
    ids = [item.id or "" for item in batch]
    return Request("batch", "/v1/events/batch", body, ids)


def sample_body(batch: list[Item]) -> bytes:
    """Make one body of readings of one name."""
    from nightbell.event import timestamp, without_empty
    from nightbell.truncate import encode

    samples = [item.sample for item in batch if item.sample is not None]
    name, unit = samples[0][:2]
    points = [{"at": timestamp(at), "value": value} for _, _, at, value in samples]
    return encode(without_empty({"name": name, "unit": unit, "points": points}))
