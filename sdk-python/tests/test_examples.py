"""Examples run against a server, the README shows regions of them, and the command line works."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from nightbell.testing import Failure, Wire

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"


def run(url: str, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """Run Python with a server."""
    env = {
        **os.environ, "PYTHONPATH": str(ROOT / "src"),
        "NIGHTBELL_SERVICE_KEY": "nbs_test", "NIGHTBELL_BASE_URL": url,
    }  # fmt: skip
    command = [sys.executable, *arguments]
    return subprocess.run(command, env=env, capture_output=True, text=True, timeout=60, check=False)


def test_examples_do_what_they_say() -> None:
    """All of them, at once, against one server."""
    wire = Wire()
    programs = sorted(EXAMPLES.glob("*.py"))
    with wire.serve() as url, ThreadPoolExecutor(4) as pool:
        for program, done in zip(
            programs, pool.map(run, [url] * len(programs), programs), strict=True
        ):
            assert (done.returncode, done.stderr) == (0, ""), program
    assert {incident.title for incident in wire.incidents} == {
        "Orders stopped",
        "LookupError: no stock",
        "monthly-report takes longer than 5 s",
        "Low order volume",
        "Conversion below 2%",
    }
    assert [change["summary"] for change in wire.changes] == ["Deploy 2026.11.3"]
    assert sorted((name, ping["status"]) for name, ping in wire.pings) == [
        ("nightly-backup", "ok"),
        ("nightly-backup", "start"),
        ("orders-worker", "ok"),
        ("orders-worker", "stop"),
    ]


def test_readme_shows_regions_of_examples() -> None:
    """Each block of Python is one, to the letter."""
    readme = (ROOT / "README.md").read_text()
    blocks = re.findall(
        r"(?:<!-- region: (\S+) (\S+) -->\n)?```python\n(.*?)\n```", readme, re.DOTALL
    )
    assert blocks
    for file, region, shown in blocks:
        text = (ROOT / file).read_text()
        found = re.search(rf"# #region {region}\n(.*?)\n# #endregion", text, re.DOTALL)
        assert found is not None
        assert shown == found.group(1), f"{file} {region}"


def test_command_line() -> None:
    """What a script needs."""
    wire = Wire()
    with wire.serve() as url:
        done = run(
            url, "-m", "nightbell", "trigger", "Disk full", "--severity", "high", "--tag", "a=b"
        )
        assert (done.returncode, done.stdout) == (0, f"{wire.incidents[0].id} created\n")
        assert run(url, "-m", "nightbell", "heartbeat", "backup", "--every", "60").returncode == 0
        assert run(url, "-m", "nightbell", "change", "Deploy").returncode == 0
        assert "test event   created" in run(url, "-m", "nightbell", "doctor").stdout
        wire.fail(Failure(status=401))
        assert run(url, "-m", "nightbell", "trigger", "x").returncode == 1
    assert run("", "-m", "nightbell", "doctor").returncode == 1
    assert wire.pings == [("backup", {"status": "ok", "every_seconds": 60})]
    assert [change["kind"] for change in wire.changes] == ["deployment"]


def test_wheel_and_sdist(tmp_path: Path) -> None:
    """They are built, typed, and need nothing."""
    build = ["-m", "build", "--no-isolation", "--outdir", tmp_path, ROOT]
    done = run("", *build)
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    assert len(list(tmp_path.glob("*.tar.gz"))) == 1
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        [metadata] = [name for name in names if name.endswith("METADATA")]
        assert "nightbell/py.typed" in names
        assert b"Requires-Dist" not in archive.read(metadata)
