"""What is sent: events, changes, samples and pings as JSON objects."""

from __future__ import annotations

import time

from nightbell.errors import invalid
from nightbell.snapshot import snapshot, texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime
    from typing import Any, Literal, TypeAlias

    Severity: TypeAlias = Literal["critical", "high", "medium", "low"]
    Link: TypeAlias = Mapping[str, str]
    Event: TypeAlias = dict[str, Any]

MAX_BREADCRUMBS = 50
SEVERITIES = ("critical", "high", "medium", "low")
CHANGE_KINDS = ("deployment", "configuration", "feature_flag", "other")
_WEIGHTS = {"critical": 4, "high": 3, "medium": 2, "low": 1}


def weight(severity: str | None) -> int:
    """Order severities: the lightest is dropped first when the queue is full."""
    return _WEIGHTS.get(severity or "medium", 2)


def timestamp(seconds: float) -> str:
    """Write RFC 3339 in UTC with milliseconds."""
    ms = round(seconds * 1000)
    whole = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(ms // 1000))
    return f"{whole}.{ms % 1000:03d}Z"


def incident(  # noqa: PLR0913 - what an incident can say
    title: str,
    severity: Severity | str | None = None,
    *,
    description: str | None = None,
    tags: Mapping[str, str] | None = None,
    metadata: Mapping[str, Any] | None = None,
    links: Iterable[Link] | None = None,
    dedup_key: str | None = None,
    occurred_at: datetime | float | None = None,
    test: bool = False,
) -> Event:
    """Make a trigger; ValidationError without a title or with an unknown severity."""
    title = str(title or "").strip()
    if not title:
        raise invalid("title", "required", "give the incident a title")
    return {
        "action": "trigger",
        "title": title,
        "severity": known_severity(severity),
        "description": description,
        "tags": texts(tags),
        "metadata": snapshot(metadata),
        "links": [dict(link) for link in links or ()],
        "dedup_key": dedup_key,
        "occurred_at": moment(occurred_at),
        "test": test,
    }


def known_severity(severity: str | None) -> str | None:
    """Refuse a word that is no severity. An Enum of str is its value."""
    if severity is None:
        return None
    word = str(getattr(severity, "value", severity))
    if word not in SEVERITIES:
        message = f"severity must be critical, high, medium or low, not {word!r}"
        raise invalid("severity", "not_one_of", message)
    return word


def moment(at: datetime | float | None) -> str | None:
    """Write a time that was given."""
    if at is None:
        return None
    return timestamp(at if isinstance(at, int | float) else at.timestamp())


def change(  # noqa: PLR0913 - what a change can say
    summary: str,
    *,
    kind: str | None = None,
    version: str | None = None,
    environment: str | None = None,
    author: str | None = None,
    links: Iterable[Link] | None = None,
    occurred_at: datetime | float | None = None,
    metadata: Mapping[str, Any] | None = None,
) -> Event:
    """Make a change; ValidationError without a summary or with an unknown kind."""
    summary = str(summary or "").strip()
    if not summary:
        raise invalid("summary", "required", "say what changed")
    kind = kind or "other"
    if kind not in CHANGE_KINDS:
        message = f"kind must be {', '.join(CHANGE_KINDS[:-1])} or other, not {kind!r}"
        raise invalid("kind", "not_one_of", message)
    return {
        "summary": summary,
        "kind": kind,
        "version": version,
        "environment": environment,
        "author": author,
        "links": [dict(link) for link in links or ()],
        "occurred_at": moment(occurred_at),
        "metadata": snapshot(metadata),
    }


def error_title(exceptions: list[dict[str, Any]]) -> str:
    """Say what a person reads first about an error."""
    if not exceptions:
        return "error"
    kind = exceptions[0]["type"]
    lines = exceptions[0].get("message", "").strip().split("\n", 1)
    message = lines[0].strip()
    if not message:
        return kind
    return message if kind in ("error", "Error", "Exception") else f"{kind}: {message}"


def without_empty(event: Event) -> Event:
    """Leave out what says nothing."""
    return {
        key: value
        for key, value in event.items()
        if value is not None and value is not False and value not in ("", {}, [])
    }


def ping_path(name: str) -> str:
    """Make the path of a heartbeat's pings."""
    from urllib.parse import quote  # noqa: PLC0415 - at the first ping

    if not name:
        raise invalid("name", "required", "give the heartbeat a name")
    return f"/v1/heartbeats/{quote(name, safe='')}/ping"


def whole_seconds(seconds: float | None) -> int | None:
    """Round parts of a second up."""
    return None if seconds is None else -int(-seconds // 1)
