"""How processes end: what waits is delivered, and exit code and output are Python's own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from nightbell.testing import Failure, Wire

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = Path(__file__).parents[1] / "src"
BEGIN = """
import multiprocessing, os, signal, sys, threading, time
import nightbell
client = nightbell.init(enable_auto_capture=True, debug=False)
"""


@pytest.fixture
def wire() -> Iterator[Wire]:
    """Give a server and its address in the environment of children."""
    server = Wire()
    with server.serve() as url:
        os.environ["NIGHTBELL_BASE_URL"] = url
        yield server
    del os.environ["NIGHTBELL_BASE_URL"]


def start(program: str) -> subprocess.Popen[str]:
    """Start a program with a client."""
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "NIGHTBELL_SERVICE_KEY": "nbs_test"}
    # From 3.12 on Python warns of every fork beside a thread, whoever's thread it is.
    command = [sys.executable, "-W", "ignore::DeprecationWarning", "-c", BEGIN + program]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, env=env, text=True, stdout=pipe, stderr=pipe)


def run(program: str) -> tuple[int, str, str]:
    """Run a program to its end."""
    with start(program) as process:
        out, err = process.communicate(timeout=60)
    return process.returncode, out, err


def titles(wire: Wire) -> list[str]:
    """List what arrived, in the order of titles."""
    return sorted(incident.title for incident in wire.incidents)


def test_the_natural_end(wire: Wire) -> None:
    """Delivered, with nothing printed."""
    assert run("client.enqueue_incident('a')") == (0, "", "")
    assert titles(wire) == ["a"]


def test_sys_exit_right_after_a_capture(wire: Wire) -> None:
    """The code is the program's."""
    assert run("client.capture_error(ValueError('a')); sys.exit(3)") == (3, "", "")
    assert titles(wire) == ["ValueError: a"]


def test_an_uncaught_exception(wire: Wire) -> None:
    """Reported as high; code and traceback are Python's."""
    code, out, err = run("raise ValueError('a')")
    assert (code, out) == (1, "")
    assert err.startswith("Traceback")
    assert err.endswith("ValueError: a\n")
    [incident] = wire.incidents
    assert (incident.title, incident.severity) == ("ValueError: a", "high")


def test_an_uncaught_exception_of_a_thread(wire: Wire) -> None:
    """The process goes on, as without us."""
    code, _, err = run("t = threading.Thread(target=lambda: 1 / 0); t.start(); t.join()")
    assert code == 0
    assert "Exception in thread" in err
    assert titles(wire) == ["ZeroDivisionError: division by zero"]


def test_a_hook_of_the_program_still_runs(wire: Wire) -> None:
    """Hooks that were there before are called."""
    program = """
previous = sys.excepthook
sys.excepthook = lambda *a: (print('mine'), previous(*a))
raise ValueError('a')
"""
    code, out, _ = run(program)
    assert (code, out) == (1, "mine\n")
    assert titles(wire) == ["ValueError: a"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal(wire: Wire, number: int) -> None:
    """The process ends by the signal, and what waited is delivered."""
    # A shell that starts programs in the background has them ignore SIGINT. A signal just before
    # a sleep does not end it, and Python calls the handler after it: so the sleeps are short.
    program = """
signal.signal(signal.SIGINT, signal.default_int_handler)
client.enqueue_incident('a')
print('ready', flush=True)
for _ in range(600):
    time.sleep(0.1)
"""
    with start(program) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(number)
        process.communicate(timeout=60)
    assert process.returncode == -number
    assert titles(wire) == ["a"]


def test_a_handler_of_the_program_stays(wire: Wire) -> None:
    """Whoever handles SIGTERM keeps it."""
    program = """
signal.signal(signal.SIGTERM, lambda *_: sys.exit(7))
client.enqueue_incident('a')
os.kill(os.getpid(), 15)
time.sleep(60)
"""
    assert run(program)[0] == 7
    assert titles(wire) == ["a"]


def test_a_signal_inside_the_queue(wire: Wire) -> None:
    """The handler lets the interrupted code leave the queue first."""
    program = """
client.enqueue_incident('a')
with client._pipeline.queue.lock:
    os.kill(os.getpid(), 15)
    time.sleep(0.05)
time.sleep(60)
"""
    assert run(program)[0] == -15
    assert titles(wire) == ["a"]


def test_fork_with_a_waiting_event(wire: Wire) -> None:
    """The parent's event is sent once, by the parent; the child sends its own."""
    program = """
client.enqueue_incident('parent')
pid = os.fork()
if pid == 0:
    client.enqueue_incident('child')
    sys.exit(5)
print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
"""
    assert run(program) == (0, "5\n", "")
    assert titles(wire) == ["child", "parent"]
    assert len(wire.events) == 2


def test_fork_while_the_worker_sends(wire: Wire) -> None:
    """A lock that a thread of the parent held does not hold the child."""
    program = """
for n in range(90):
    client.enqueue_incident(f'parent {n}')
    if n % 30 == 0:
        pid = os.fork()
        if pid == 0:
            client.enqueue_incident(f'child {n}')
            sys.exit(0)
        os.waitpid(pid, 0)
"""
    assert run(program) == (0, "", "")
    assert len(titles(wire)) == 93


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_a_child_of_multiprocessing(wire: Wire, tmp_path: Path, method: str) -> None:
    """It runs no atexit functions, and delivers nevertheless."""
    program = tmp_path / "program.py"
    program.write_text(
        f"""
import multiprocessing, nightbell
def work():
    nightbell.get_client().capture_error(ValueError('child'))
if __name__ == '__main__':
    nightbell.get_client().enqueue_incident('parent')
    child = multiprocessing.get_context('{method}').Process(target=work)
    child.start()
    child.join()
    raise SystemExit(child.exitcode)
"""
    )
    env = {**os.environ, "PYTHONPATH": str(SOURCE), "NIGHTBELL_SERVICE_KEY": "nbs_test"}
    done = subprocess.run([sys.executable, program], env=env, timeout=60, check=False)
    assert done.returncode == 0
    assert titles(wire) == ["ValueError: child", "parent"]


ENDINGS = {
    "": 0,
    "sys.exit(3)": 3,
    "raise ValueError('b')": 1,
    "os.kill(os.getpid(), 15); time.sleep(60)": -15,
}


def test_a_silent_server(wire: Wire) -> None:
    """The end of the process is delayed by at most 2.5 s, however it ends."""
    wire.fail(*[Failure(silent=True)] * 20)

    def end(ending: str) -> tuple[int, float]:
        program = f"client.enqueue_incident('a', 'critical')\nprint('ready', flush=True)\n{ending}"
        with start(program) as process:
            assert process.stdout is not None
            process.stdout.readline()
            begin = time.monotonic()
            process.communicate(timeout=60)
            return process.returncode, time.monotonic() - begin

    with ThreadPoolExecutor() as pool:
        ends = list(pool.map(end, ENDINGS))
    assert [code for code, _ in ends] == list(ENDINGS.values())
    assert max(delay for _, delay in ends) <= 2.5


def test_the_spool_takes_what_a_silent_server_does_not(wire: Wire, tmp_path: Path) -> None:
    """The next process delivers it, and once."""
    wire.fail(Failure(silent=True))
    os.environ["NIGHTBELL_SPOOL_DIR"] = str(tmp_path)
    try:
        assert (
            run("client.config.flush_timeout = 0.2; client.enqueue_incident('a', 'critical')")[0]
            == 0
        )
        assert len(list(tmp_path.iterdir())) == 1
        wire._failures.clear()  # a slow process may have spooled before it asked
        assert run("time.sleep(0.2)")[0] == 0
    finally:
        del os.environ["NIGHTBELL_SPOOL_DIR"]
    assert titles(wire) == ["a"]


def test_a_fork_while_the_worker_loads_modules(wire: Wire) -> None:
    """The child delivers: no module of ours comes along half loaded."""
    code, out, err = run("""
from importlib.machinery import PathFinder

began = threading.Event()

class Slow:
    def find_spec(self, name, path, target=None):
        if name != "nightbell.redact":
            return None
        spec = PathFinder.find_spec(name, path)
        load = spec.loader.exec_module
        def slowly(module):
            began.set()
            time.sleep(0.5)
            load(module)
        spec.loader.exec_module = slowly
        return spec

sys.meta_path.insert(0, Slow())
client.enqueue_incident("from the parent", "critical")
began.wait(10)
child = os.fork()
if child == 0:
    client.enqueue_incident("from the child", "critical")
    client.close(5)
    os._exit(0)
signal.alarm(20)
print(os.waitpid(child, 0)[1])
""")
    assert (code, out, err) == (0, "0\n", "")
    assert titles(wire) == ["from the child", "from the parent"]
