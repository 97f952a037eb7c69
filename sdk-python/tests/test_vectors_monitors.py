"""Every case of monitors.json: readings on a fake clock, and what they make."""

import functools
import json
import types
from typing import Any

import pytest
import vectors

from nightbell import Client, regular
from nightbell.event import timestamp
from nightbell.heartbeat import Heartbeat
from nightbell.monitor import Operation, Reading, Watch, Watchdog, ratio
from nightbell.testing import Wire

FILE = vectors.load("monitors")


class Clock:
    """Time that only passes when somebody waits."""

    def __init__(self, now: float, stop: float) -> None:
        self.now = now
        self.stop = stop
        self.stopped = False

    def monotonic(self) -> float:
        """Tell the time."""
        return self.now

    def is_set(self) -> bool:
        """Whether it is over."""
        return self.stopped

    def set(self) -> None:
        """End it."""
        self.stopped = True

    def wait(self, seconds: float) -> bool:
        """Pass the time, not beyond the stop."""
        self.now = min(self.now + seconds, self.stop)
        self.stopped = self.now >= self.stop
        return self.stopped


class Timed(Wire):
    """Remembers when each request arrived."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = Clock(0, 0)
        self.arrived: list[dict[str, Any]] = []
        self.paths: set[str] = set()

    def send(
        self, method: str, path: str, headers: dict[str, str], body: bytes, timeout: float
    ) -> Any:
        """Note the time."""
        self.arrived.append({"sent_at": timestamp(self.clock.now), "body": json.loads(body)})
        self.paths.add(path)
        return super().send(method, path, headers, body, timeout)


def client_of(case: dict[str, Any], wire: Wire) -> Client:
    """Make a client with the ids of a case."""
    client = Client(
        service_key=FILE["credential"],
        base_url="https://nightbell.acme.test",
        environment=case.get("environment", "production"),
        server_name=FILE["server_name"],
        enable_auto_capture=False,
        transport=wire,
    )
    left = list(case.get("ids", ()))
    client._pipeline.new_id = lambda: left.pop(0)
    return client


@pytest.mark.parametrize("case", vectors.cases("monitors"), ids=vectors.name)
def test_monitors(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What a monitor, a heartbeat or a job says."""
    runs = {
        "metric": run_readings, "ratio": run_readings, "performance": run_performance,
        "heartbeat": run_heartbeat, "job": run_job,
    }  # fmt: skip
    runs[case["kind"]](case, monkeypatch)


def run_readings(case: dict[str, Any], _: pytest.MonkeyPatch) -> None:
    """Give readings of a metric or a ratio."""
    client = client_of(case, Wire())
    config = dict(case["config"])
    every, least = config.pop("every_ms") / 1000, config.pop("min_total", 0)
    process = functools.partial(
        Watch, case["kind"], config.pop("name"), every,
        environment=case["environment"], new_id=client._pipeline.new_id, **config,
    )  # fmt: skip
    watch = process()
    events: list[Any] = []
    samples: list[Any] = []
    for given in case["readings"]:
        if given.get("restart"):  # read by a new process
            watch = process()
        if "error" in given:
            continue
        found = (
            ratio(given["hits"], given["total"], least)
            if "hits" in given
            else Reading(given["value"])
        )
        if found is None:
            continue
        samples.append({"name": watch.name, "at": given["at"], "value": found.value})
        event = watch.look(vectors.moment(given["at"]), found)
        if event is not None:
            events.append(json.loads(client._pipeline.seal(event)))
    client.close(0)
    assert events == case["expect"]["events"]
    assert samples == case["expect"]["samples"]


def run_performance(case: dict[str, Any], _: pytest.MonkeyPatch) -> None:
    """Run an operation by its own times."""
    wire = Wire()
    client = client_of(case, wire)
    config = case["config"]
    threshold = config["threshold_ms"] / 1000
    severity = config.get("severity", "high")
    operation = Operation(client._pipeline, Watchdog(), config["name"], threshold, severity)
    start = vectors.moment(case["start"])
    operation.start(start)
    end = None if case["end"] is None else vectors.moment(case["end"])
    if end is None or end > start + threshold:
        operation.fire()
    if end is not None:
        operation.end(end)
    client.close(2)
    assert wire.events == [event["body"] for event in case["expect"]["events"]]


def run_heartbeat(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Run a heartbeat on a clock that only passes when it waits."""
    wire = Timed()
    client = client_of(case, wire)
    wire.clock = clock = Clock(vectors.moment(case["start"]), vectors.moment(case["stop"]))
    monkeypatch.setattr(regular, "time", types.SimpleNamespace(monotonic=clock.monotonic))
    config = case["config"]
    grace = config["grace_ms"] / 1000 if "grace_ms" in config else None
    beat = Heartbeat(client._pipeline, config["name"], config["every_ms"] / 1000, grace)
    monkeypatch.setattr(beat, "_stopped", clock)
    beat._run()
    clock.stopped = False
    beat.stop()
    client.close(2)
    assert wire.paths == {case["expect"]["path"]}
    assert wire.arrived == case["expect"]["pings"]


def run_job(case: dict[str, Any], _: pytest.MonkeyPatch) -> None:
    """Run a job that ends well or not."""
    wire = Timed()
    client = client_of(case, wire)
    config = case["config"]
    runtime = config["max_runtime_ms"] / 1000 if "max_runtime_ms" in config else None
    wire.clock.now = vectors.moment(case["start"])
    job = client.job(
        config["name"],
        schedule=config.get("schedule"),
        time_zone=config.get("time_zone"),
        max_runtime=runtime,
    )
    try:
        with job:
            client.flush(2)
            wire.clock.now = vectors.moment(case["end"])
            if case["failed"]:
                message = "no space left"
                raise OSError(message)
    except OSError:
        assert case["failed"]
    client.close(2)
    assert wire.paths == {case["expect"]["path"]}
    assert wire.arrived == case["expect"]["pings"]
