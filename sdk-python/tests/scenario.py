"""One thing that a program does with Nightbell, ending in one of the ways in which programs end.

The tests of api/e2e run it against the real server, beside sdk-go/internal/e2e/scenario and
sdk-node/test/scenario.mjs, which have the same names.
"""

import multiprocessing
import os
import signal
import sys
import threading

import nightbell

client = nightbell.Client()


def capture() -> None:
    """Capture at one place."""
    try:
        fail()
    except ValueError:
        client.capture_error()


def fail() -> None:
    """Raise."""
    message = "no stock"
    raise ValueError(message)


def now() -> None:
    """Tell the test that the program is about to end."""
    print("now", flush=True)


def trigger() -> None:
    """Print the id of the incident, also when it is the second call with one id."""
    for _ in range(2):
        incident = client.trigger_incident(
            "Orders stopped",
            "critical",
            tags={"type": "business"},
            metadata={"orders_count": 0},
            idempotency_key="0192d3a5-6a80-7000-8000-000000000001",
        )
        print(incident.id, flush=True)


def three() -> None:
    """Capture one error at one place three times, each sent by itself."""
    for _ in range(3):
        capture()
        client.flush()


def leave() -> None:
    """Exit with a code."""
    capture()
    now()
    sys.exit(3)


def end() -> None:
    """Come to the natural end."""
    capture()
    now()


def told_to_end() -> None:
    """Wait for the SIGTERM of the test."""
    capture()
    now()
    while True:
        signal.pause()


def uncaught() -> None:
    """Raise what nobody handles."""
    now()
    fail()


def background() -> None:
    """Raise it in a thread."""
    now()
    threading.Thread(target=fail).start()


def forked() -> None:
    """Fork while an event waits; the child captures another, and both end."""
    client.enqueue_incident("before the fork")
    child = os.fork()
    if child == 0:
        client.enqueue_incident("in the child")
        sys.exit(0)
    os.waitpid(child, 0)
    now()


def work() -> None:
    """Be a process of multiprocessing."""
    client.enqueue_incident("in the child")


def process() -> None:
    """Fork by multiprocessing, while an event waits."""
    client.enqueue_incident("before the fork")
    child = multiprocessing.get_context("fork").Process(target=work)
    child.start()
    child.join()
    now()


def stay() -> None:
    """Go on until the input ends."""
    capture()
    now()
    sys.stdin.read()
    now()


def restart() -> None:
    """Start for the next time: deliver what the last run left."""
    sys.stdin.read()
    now()


{
    "trigger": trigger,
    "capture": three,
    "exit": leave,
    "end": end,
    "signal": told_to_end,
    "uncaught": uncaught,
    "background": background,
    "fork": forked,
    "process": process,
    "stay": stay,
    "restart": restart,
}[sys.argv[1]]()
