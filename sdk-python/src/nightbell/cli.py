# pyright: reportPrivateUsage=false
"""`python -m nightbell trigger|heartbeat|change|doctor`, with keys from the environment."""

from __future__ import annotations

import argparse
import sys
import time

from nightbell.client import Client
from nightbell.config import DEFAULT_BASE_URL, mask
from nightbell.errors import NightbellError
from nightbell.event import CHANGE_KINDS, SEVERITIES
from nightbell.heartbeat import ping_item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def main(arguments: list[str]) -> int:
    """Run a command: 0 when it is done, 1 when it failed, 2 for arguments that cannot be."""
    given = _parser().parse_args(arguments)
    options: dict[str, Any] = {"enable_auto_capture": False, "debug": False, "strict": True}
    try:
        with Client(base_url=given.base_url, **options) as client:
            return given.run(client, given)
    except NightbellError as error:
        sys.stderr.write(f"nightbell: {error}\n")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m nightbell", description=__doc__)
    parser.add_argument("--base-url", help="where Nightbell is (NIGHTBELL_BASE_URL)")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    trigger = commands.add_parser("trigger", help="report an incident and print its id")
    trigger.add_argument("title")
    trigger.add_argument("--severity", choices=SEVERITIES)
    trigger.add_argument("--description")
    trigger.add_argument("--dedup-key")
    trigger.add_argument("--tag", action="append", default=[], type=_tag, metavar="KEY=VALUE")
    trigger.set_defaults(run=_trigger)

    heartbeat = commands.add_parser("heartbeat", help="say that something lives")
    heartbeat.add_argument("name")
    heartbeat.add_argument("--status", choices=("ok", "start", "fail", "stop"), default="ok")
    heartbeat.add_argument("--every", type=int, metavar="SECONDS")
    heartbeat.set_defaults(run=_heartbeat)

    change = commands.add_parser("change", help="report a deployment or another change")
    change.add_argument("summary")
    change.add_argument("--kind", choices=CHANGE_KINDS, default="deployment")
    change.add_argument("--version")
    change.add_argument("--author")
    change.set_defaults(run=_change)

    doctor = commands.add_parser("doctor", help="check settings with an event that pages nobody")
    doctor.set_defaults(run=_doctor)
    return parser


def _tag(text: str) -> tuple[str, str]:
    key, equals, value = text.partition("=")
    if not key or not equals:
        message = "write a tag as KEY=VALUE"
        raise argparse.ArgumentTypeError(message)
    return key, value


def _trigger(client: Client, given: argparse.Namespace) -> int:
    result = client.trigger_incident(
        given.title,
        given.severity,
        description=given.description,
        dedup_key=given.dedup_key,
        tags=dict(given.tag),
    )
    _say(f"{result.id} {result.status}")
    return 0


def _heartbeat(client: Client, given: argparse.Namespace) -> int:
    ping = {"status": given.status, "every_seconds": given.every}
    client._enqueue_item(ping_item(given.name, ping))
    return _delivered(client)


def _change(client: Client, given: argparse.Namespace) -> int:
    client.record_change(given.summary, kind=given.kind, version=given.version, author=given.author)
    return _delivered(client)


def _delivered(client: Client) -> int:
    result = client.flush(3 * client.config.timeout)
    return 0 if result.ok and result.sent and not result.dropped else 1


def _doctor(client: Client, _: argparse.Namespace) -> int:
    config = client.config
    _say(f"key          {mask(config.credential or '')}")
    _say(f"base URL     {config.base_url}")
    _say(f"environment  {config.environment}")
    if config.base_url == DEFAULT_BASE_URL:
        sys.stderr.write("nightbell: there is no server: set NIGHTBELL_BASE_URL\n")
        return 1
    start = time.monotonic()
    result = client.trigger_incident("Nightbell doctor", "low", test=True)
    _say(f"test event   {result.status} in {round((time.monotonic() - start) * 1000)} ms")
    return 0


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
