"""What becomes of events when the server fails, the queue is full or the program is wrong."""

from __future__ import annotations

import asyncio
import logging
import stat
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import nightbell
from nightbell import retry
from nightbell.testing import Failure, TestClient, Wire

if TYPE_CHECKING:
    from pathlib import Path

BUSY = Failure(status=503)


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wait a tenth of a second at most: the vectors compare the real delays."""
    real = retry.backoff

    def shorter(n: int, random: float) -> float:
        return real(n, random) / 100

    monkeypatch.setattr(retry, "backoff", shorter)


def fail(message: str = "no answer") -> None:
    """Raise."""
    raise TimeoutError(message)


def capture(client: nightbell.Client, message: str = "no answer") -> str | None:
    """Capture an error from one place."""
    try:
        fail(message)
    except TimeoutError as error:
        return client.capture_error(error)


def test_trigger_returns_the_id(nightbell_client: TestClient) -> None:
    """The id is the incident's."""
    result = nightbell_client.trigger_incident("Orders stopped", "critical")
    assert result.id == nightbell_client.wire.incidents[0].id
    assert result.status == "created"


def test_503_twice_then_delivered_once(nightbell_client: TestClient) -> None:
    """Three requests under one key make one incident."""
    nightbell_client.wire.fail(BUSY, BUSY)
    nightbell_client.trigger_incident("Orders stopped")
    keys = [r.headers["idempotency-key"] for r in nightbell_client.wire.requests]
    attempts = [r.headers["nightbell-attempt"] for r in nightbell_client.wire.requests]
    assert len(set(keys)) == 1
    assert attempts == ["1", "2", "3"]
    assert len(nightbell_client.wire.incidents) == 1


def test_a_lost_answer_makes_one_incident(nightbell_client: TestClient) -> None:
    """What the server did before the connection broke counts once."""
    nightbell_client.wire.fail(Failure(lost=True))
    assert nightbell_client.trigger_incident("Orders stopped").status == "deduplicated"
    assert len(nightbell_client.wire.incidents) == 1


def test_retry_after_is_kept(nightbell_client: TestClient) -> None:
    """The server's wish is longer than our delay."""
    nightbell_client.wire.fail(Failure(status=429, headers={"retry-after-ms": "150"}))
    start = time.monotonic()
    nightbell_client.trigger_incident("Orders stopped")
    assert time.monotonic() - start >= 0.15


def test_after_the_last_retry_the_background_delivers(nightbell_client: TestClient) -> None:
    """The caller learns that the event is queued, and it still arrives, once."""
    nightbell_client.wire.fail(BUSY, BUSY, BUSY, BUSY, BUSY)
    with pytest.raises(nightbell.ServerError) as failed:
        nightbell_client.trigger_incident("Orders stopped")
    assert failed.value.queued
    [event] = nightbell_client.events
    assert event["id"] == failed.value.event_id


def test_refused_is_refused(nightbell_client: TestClient) -> None:
    """A refusal names what to do and is not tried again."""
    nightbell_client.wire.fail(
        Failure(status=422, body='{"code": "invalid_fields", "message": "Give a title."}')
    )
    with pytest.raises(nightbell.ValidationError, match="Give a title"):
        nightbell_client.trigger_incident("x")
    assert len(nightbell_client.wire.requests) == 1


def test_a_burst_goes_in_batches(nightbell_client: TestClient) -> None:
    """Of 1,000 events all arrive, in a dozen requests."""
    for n in range(1000):
        nightbell_client.enqueue_incident(f"Incident {n}")
    assert len(nightbell_client.events) == 1000
    assert len(nightbell_client.wire.requests) <= 12


def test_what_is_refused_of_a_batch_is_sent_again(nightbell_client: TestClient) -> None:
    """Only those items."""
    nightbell_client.wire.fail(Failure(events=(1,)))
    for n in range(3):
        nightbell_client.enqueue_incident(f"Incident {n}")
    assert len(nightbell_client.events) == 3
    assert len(nightbell_client.wire.requests) == 2


def test_a_batch_that_is_too_large_is_halved(nightbell_client: TestClient) -> None:
    """413 for a batch."""
    nightbell_client.wire.fail(Failure(status=413))
    for n in range(4):
        nightbell_client.enqueue_incident(f"Incident {n}")
    assert len(nightbell_client.events) == 4
    assert [len(r.body["events"]) for r in nightbell_client.wire.requests] == [4, 2, 2]


def test_equal_errors_are_counted(nightbell_client: TestClient) -> None:
    """An error in a loop is one event with a count while it waits."""
    for _ in range(50):
        capture(nightbell_client)
    assert sum(event.get("count", 1) for event in nightbell_client.events) == 50
    assert len(nightbell_client.events) < 10
    assert len(nightbell_client.incidents) == 1


def test_a_full_queue_drops_the_lightest_and_says_so(caplog: pytest.LogCaptureFixture) -> None:
    """What is low goes first, counted and logged without debug."""
    wire = Wire()
    with TestClient(max_queue=10, transport=wire) as client, caplog.at_level(logging.WARNING):
        client._pipeline.gate.until = time.monotonic() + 3600
        for n in range(10):
            client.enqueue_incident(f"low {n}", "low")
        for n in range(5):
            client.enqueue_incident(f"high {n}", "high")
        client._pipeline.gate.until = 0
        client.flush()
        assert client.stats().dropped == {"queue_full": 5}
    assert sum(event["severity"] == "high" for event in wire.events) == 5
    assert "queue_full" in caplog.text


def test_a_refused_key_pauses(nightbell_client: TestClient) -> None:
    """After 401 nothing more is sent for a minute."""
    nightbell_client.wire.fail(Failure(status=401))
    nightbell_client.config.flush_timeout = 0.05
    nightbell_client.enqueue_incident("a", "critical")
    while not nightbell_client.stats().dropped:
        time.sleep(0.001)
    nightbell_client.enqueue_incident("b")
    assert not nightbell_client.flush(0.05).ok
    assert len(nightbell_client.wire.requests) == 1


def test_410_ends_sending(nightbell_client: TestClient) -> None:
    """For this process."""
    nightbell_client.wire.fail(Failure(status=410))
    nightbell_client.enqueue_incident("a")
    nightbell_client.flush()
    assert nightbell_client.enqueue_incident("b") is None


def test_critical_does_not_wait_behind_a_batch(nightbell_client: TestClient) -> None:
    """It has a lane of its own."""
    nightbell_client.wire.fail(Failure(silent=True))
    nightbell_client.config.flush_timeout = 0.01
    nightbell_client.enqueue_incident("a", "low")
    threading.Thread(target=nightbell_client.flush, args=(0.01,)).start()
    while not nightbell_client.wire.requests:
        time.sleep(0.001)
    nightbell_client.enqueue_incident("b", "critical")
    limit = time.monotonic() + 5
    while not nightbell_client.wire.incidents and time.monotonic() < limit:
        time.sleep(0.005)
    assert [i.title for i in nightbell_client.wire.incidents] == ["b"]


def test_the_spool_outlives_the_process(tmp_path: Path) -> None:
    """What could not be delivered is sent by the next start, under its id, once."""
    wire = Wire()
    wire.fail(*[BUSY] * 50)
    first = TestClient(spool_dir=tmp_path, transport=wire, flush_timeout=0.05)
    event_id = first.enqueue_incident("Orders stopped", metadata={"password": "hunter2"})
    first.close()
    [file] = tmp_path.iterdir()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert "hunter2" not in file.read_text()
    with TestClient(spool_dir=tmp_path) as second:
        limit = time.monotonic() + 5
        while not second.wire.events and time.monotonic() < limit:
            second.flush()
            time.sleep(0.01)
        assert [event["id"] for event in second.wire.events] == [event_id]
    assert list(tmp_path.iterdir()) == []


def test_before_send_changes_and_drops() -> None:
    """It has the last word."""

    def before_send(event: dict[str, Any]) -> dict[str, Any] | None:
        if event["title"] == "noise":
            return None
        event["tags"]["team"] = "pay"
        return event

    with TestClient(before_send=before_send) as client:
        client.enqueue_incident("noise")
        client.enqueue_incident("Orders stopped", metadata={"token": "x"})
        [event] = client.events
        assert event["tags"] == {"team": "pay"}
        assert event["metadata"] == {"token": "[redacted]"}
        assert client.stats().dropped == {"before_send": 1}
        with pytest.raises(nightbell.DroppedError):
            client.trigger_incident("noise")


def test_before_send_that_raises_loses_nothing() -> None:
    """The event goes as it was."""
    with TestClient(before_send=lambda event: event["missing"]) as client:
        client.enqueue_incident("Orders stopped")
        assert len(client.events) == 1


class Hostile:
    """A value whose methods raise."""

    def __str__(self) -> str:
        """Raise."""
        raise RuntimeError


class HostileError(Exception):
    """An exception that cannot say what it is."""

    def __str__(self) -> str:
        """Raise."""
        raise RuntimeError


def test_nothing_is_thrown_into_the_program(nightbell_client: TestClient) -> None:
    """Whatever is given."""
    assert nightbell_client.enqueue_incident("") is None
    assert nightbell_client.enqueue_incident("x", "urgent") is None
    hostile: Any = Hostile()
    assert nightbell_client.enqueue_incident("x", tags={"a": hostile}) is None
    assert nightbell_client.record_change("") is None
    assert nightbell_client.capture_error() is None
    nightbell_client.capture_error(HostileError())
    assert nightbell_client.events[0]["error"]["exceptions"][0]["message"] == "[unreadable message]"


def test_values_that_are_no_json(nightbell_client: TestClient) -> None:
    """An object is named, never shown: its text may hold what nobody meant to send."""
    loop: dict[str, Any] = {}
    loop["self"] = loop
    nightbell_client.enqueue_incident(
        "x", metadata={"object": Hostile(), "loop": loop, "set": {1}, "nan": float("nan")}
    )
    metadata = nightbell_client.events[0]["metadata"]
    assert metadata["object"] == "<Hostile>"
    assert metadata["set"] == [1]
    assert "[too deep]" in str(metadata["loop"])


def test_an_error_with_its_cause_and_source(nightbell_client: TestClient) -> None:
    """Frames begin where it was raised."""
    try:
        try:
            fail()
        except TimeoutError as cause:
            message = "payment failed"
            raise ValueError(message) from cause
    except ValueError as error:
        nightbell_client.capture_error(error, user="u1", operation="checkout", tags={"team": "pay"})
    [event] = nightbell_client.events
    first, second = event["error"]["exceptions"]
    assert event["title"] == "ValueError: payment failed"
    assert event["user"] == {"id": "u1"}
    assert (first["type"], second["type"]) == ("ValueError", "TimeoutError")
    assert second["frames"][0]["function"] == "fail"
    assert second["frames"][0]["code"].strip() == "raise TimeoutError(message)"
    assert second["frames"][0]["in_app"]


def test_an_error_is_reported_once(nightbell_client: TestClient) -> None:
    """By a handler and the middleware around it."""
    error = ValueError("x")
    assert nightbell_client.capture_error(error)
    assert nightbell_client.capture_error(error) is None


def test_an_error_that_was_never_raised_has_the_callers_stack(nightbell_client: TestClient) -> None:
    """It begins in this function."""
    nightbell_client.capture_error(ValueError("x"))
    frames = nightbell_client.events[0]["error"]["exceptions"][0]["frames"]
    assert frames[0]["function"].startswith("test_an_error_that_was_never_raised")


def test_ignored_and_sampled() -> None:
    """Neither is sent, and incidents are never sampled."""
    with TestClient(sample_rate=0, ignore_errors=[KeyError]) as client:
        client.capture_error(ValueError("x"))
        client.enqueue_incident("x")
        assert [event["title"] for event in client.events] == ["x"]
    with TestClient(ignore_errors=[KeyError]) as client:
        client.capture_error(KeyError("x"))
        assert client.events == []


def test_context_of_interleaved_tasks() -> None:
    """A hundred tasks, each with its own user."""

    async def request(client: nightbell.AsyncClient, n: int) -> None:
        with client.context(user=f"u{n}", operation="checkout"):
            await asyncio.sleep(0.001 * (n % 7))
            nightbell.set_tag("n", str(n))
            nightbell.add_breadcrumb(f"step {n}")
            await asyncio.sleep(0.001 * (n % 3))
            client.capture_error(ValueError(f"error of {n}"))

    async def main() -> list[dict[str, Any]]:
        wire = Wire()
        async with nightbell.AsyncClient(
            service_key="nbs_x", base_url="https://a.test", transport=wire, debug=False
        ) as client:
            await asyncio.gather(*(request(client, n) for n in range(100)))
            result = await client.trigger_incident("last", "high")
            assert result.status == "created"
            assert (await client.resolve(result.dedup_key or "")).status == "resolved"
        return wire.events

    captured = [event for event in asyncio.run(main()) if "error" in event]
    assert len(captured) == 100
    for event in captured:
        n = event["title"].split()[-1]
        assert (event["user"]["id"], event["tags"]["n"]) == (f"u{n}", n)
        assert [crumb["message"] for crumb in event["error"]["breadcrumbs"]] == [f"step {n}"]


def test_performance_fires_while_it_runs(nightbell_client: TestClient) -> None:
    """And says at the end how long it took."""
    with nightbell_client.performance("checkout", threshold=0.02):
        limit = time.monotonic() + 5
        while not nightbell_client.events and time.monotonic() < limit:
            time.sleep(0.005)
        assert nightbell_client.events[0]["metadata"]["running"] is True
    assert nightbell_client.events[1]["metadata"]["running"] is False
    assert len(nightbell_client.incidents) == 1


def test_decorators_keep_results_and_errors(nightbell_client: TestClient) -> None:
    """Of plain and of async functions."""

    @nightbell_client.performance("add")
    def add(a: int, b: int) -> int:
        return a + b

    @nightbell_client.job("nightly")
    async def nightly() -> None:
        fail()

    assert add(1, 2) == 3
    assert add.__name__ == "add"
    with pytest.raises(TimeoutError):
        asyncio.run(nightly())
    assert nightbell_client.events == []
    assert [body["status"] for _, body in nightbell_client.wire.pings] == ["start", "fail"]


def test_monitors_and_heartbeats_end_with_the_client() -> None:
    """A clean shutdown says stop, and no thread is left."""
    before = set(threading.enumerate())
    client = TestClient()
    client.heartbeat("orders-worker", every=60)
    client.metric_monitor(
        "orders", every=300, query=lambda: 3, below=10, incident={"title": "Low order volume"}
    )
    client.ratio_monitor("conversion", every=600, query=lambda: (1, 1000), below=0.02)
    limit = time.monotonic() + 5
    while len(client.incidents) < 2 and time.monotonic() < limit:
        time.sleep(0.005)
    assert {i.title for i in client.wire.incidents} == {
        "Low order volume",
        "conversion is below its threshold",
    }
    client.close()
    assert client.wire.pings[-1] == ("orders-worker", {"status": "stop"})
    while set(threading.enumerate()) - before and time.monotonic() < limit:
        time.sleep(0.005)
    assert set(threading.enumerate()) - before == set()


def test_a_client_without_a_key_does_nothing() -> None:
    """And warns once, so that a program starts without one."""
    with nightbell.Client(base_url="https://a.test") as client:
        assert client.enqueue_incident("x") is None
        with client.performance("x"), client.job("y"):
            pass
        with pytest.raises(nightbell.ClosedError):
            client.trigger_incident("x")


def test_an_unknown_option_names_the_nearest() -> None:
    """A TypeError as for any function."""
    misspelled: Any = {"base_ur": "https://a.test"}
    with pytest.raises(TypeError, match="did you mean base_url"):
        nightbell.Client(**misspelled)


def test_over_http_with_one_connection() -> None:
    """The real transport: gzip, keep-alive, and a connection that the server closed."""
    wire = Wire()
    with (
        wire.serve() as url,
        nightbell.Client(service_key="nbs_x", base_url=url, debug=False) as client,
    ):
        client.trigger_incident("a", description="long " * 1000)
        client.trigger_incident("b")
        wire.fail(Failure(lost=True))
        client.trigger_incident("c")
        for n in range(500):
            client.enqueue_incident(f"Incident {n}")
        client.flush(10)
    assert len(wire.incidents) == 503
    assert wire.requests[0].headers["content-encoding"] == "gzip"


def test_a_redirect_is_not_followed() -> None:
    """No other host gets the key."""
    wire = Wire()
    with (
        wire.serve() as url,
        nightbell.Client(service_key="nbs_x", base_url=url, debug=False) as client,
    ):
        wire.fail(Failure(status=302, headers={"location": url + "/v1/events"}))
        with pytest.raises(nightbell.ApiError):
            client.trigger_incident("a")
    assert len(wire.requests) == 1


def test_an_unreachable_server() -> None:
    """A trigger fails and is queued; nothing else notices."""
    with nightbell.Client(
        service_key="nbs_x",
        base_url="http://127.0.0.1:9",
        max_retries=1,
        debug=False,
        flush_timeout=0.01,
    ) as client:
        with pytest.raises(nightbell.ConnectionFailedError) as failed:
            client.trigger_incident("a")
        assert failed.value.queued
