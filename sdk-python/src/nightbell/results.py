"""What calls return. Loaded with the first result: a class of typing costs an import 3 ms."""

from __future__ import annotations

from typing import NamedTuple


class IncidentResult(NamedTuple):
    """The server's answer to an event."""

    id: str | None
    """Of the incident; None if there is none."""
    status: str
    """created, deduplicated, acknowledged, resolved or ignored."""
    event_id: str | None = None
    dedup_key: str | None = None
    incident_number: int | None = None
    url: str | None = None


class FlushResult(NamedTuple):
    """How far a flush came."""

    ok: bool
    """Whether nothing is left."""
    sent: int
    """Since the flush began."""
    pending: int
    dropped: int


class Stats(NamedTuple):
    """Counts since the client was made, in this process."""

    pending: int
    requests: int
    retries: int
    delivered: int
    dropped: dict[str, int]
    """By reason: queue_full, rejected, expired, before_send, closed, internal."""
