"""What an import costs: the modules that it loads, which no busy machine makes more."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from nightbell.testing import Wire

SOURCE = Path(__file__).parents[1] / "src"


def loaded(program: str) -> set[str]:
    """List the modules that a program loads beyond those of a bare interpreter."""
    show = "import sys; before = set(sys.modules)\n" + program
    show += "\nprint(*sorted(set(sys.modules) - before))"
    command = [
        sys.executable,
        "-I",
        "-S",
        "-c",
        f"import sys; sys.path.append({str(SOURCE)!r})\n" + show,
    ]
    return set(subprocess.run(command, capture_output=True, text=True, check=True).stdout.split())


def test_an_import_loads_nothing_that_only_a_delivery_needs() -> None:
    """Each of these takes 2 to 40 ms of every start of a program."""
    slow = {"asyncio", "email", "http.client", "json", "logging", "random", "re", "socket", "ssl"}
    slow |= {"inspect", "typing", "urllib.request", "hashlib", "signal", "dataclasses"}
    assert loaded("import nightbell") & slow == set()
    made = (
        "import nightbell; nightbell.Client('nbk_test', base_url='http://127.0.0.1:1', debug=False)"
    )
    assert loaded(made) & slow == set()


def test_a_delivery_loads_nothing_after_its_worker_began() -> None:
    """A fork would copy it half loaded, and the child would wait for it for ever."""
    wire = Wire()
    with wire.serve() as url:
        deliver = f"""
import nightbell
from nightbell import loading
client = nightbell.init("nbs_test", base_url={url!r}, debug=False)
loading.load()
before = set(sys.modules)
client.enqueue_incident("a", "critical")
client.flush(10)
"""
        assert loaded(deliver) == set()
    assert [incident.title for incident in wire.incidents] == ["a"]
