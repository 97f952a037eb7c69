"""Cuts an event to what a server takes: an alert is worth more than its ending."""

from __future__ import annotations

import json

from nightbell.event import MAX_BREADCRUMBS
from nightbell.snapshot import MAX_DEPTH, MAX_ENTRIES, TOO_DEEP

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Event = dict[str, Any]

MAX_TITLE = 500
_TEXTS = {
    "title": MAX_TITLE,
    "description": 20_000,
    "operation": 200,
    "source": 200,
    "release": 200,
    "environment": 64,
}
_MAX_NAME = 200
_MAX_MESSAGE = 4_000
_MAX_CRUMB = 500
_MAX_TAGS = 64
_MAX_TAG_KEY = 64
_MAX_TAG_VALUE = 256
_MAX_DEDUP_KEY = 512  # bytes
_MAX_EXCEPTIONS = 8
_MAX_FRAMES = 50
_MAX_LINKS = 10
_MAX_HREF = 2_000
_MAX_SOURCE_LINE = 200
_MAX_METADATA = 16 << 10  # bytes of JSON
_MAX_EVENT = 64 << 10  # bytes of JSON


def encode(value: Any) -> bytes:
    """Write compact JSON."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode()


def limit(event: Event) -> bytes:
    """Cut what is too long in place and return the body that is sent."""
    limiter = Limiter()
    limiter.event(event)
    limiter.mark(event)
    body = encode(event)
    for field, shrink in _SHRINK_STEPS:
        if len(body) <= _MAX_EVENT:
            break
        if shrink(event):
            limiter.note(field)
            limiter.mark(event)
            body = encode(event)
    return body


def clean(text: str) -> str:
    """Make text that JSON and PostgreSQL can keep."""
    text = text.replace("\0", "\ufffd")
    try:
        text.encode()
    except UnicodeEncodeError:  # a lone surrogate
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class Limiter:
    """Cuts, and remembers which fields lost something."""

    def __init__(self) -> None:
        """Begin with nothing lost."""
        self.fields: set[str] = set()

    def note(self, field: str) -> None:
        """Remember that a field lost something."""
        self.fields.add(field)

    def mark(self, event: Event) -> None:
        """List in metadata what was cut, where a person sees it."""
        if self.fields:
            event.setdefault("metadata", {})["_truncated"] = sorted(self.fields)

    def text(self, field: str, text: str, most: int) -> str:
        """Cut to a number of characters, of which the ellipsis is one."""
        text = clean(text)
        if len(text) <= most:
            return text
        self.note(field)
        return text[: most - 1] + "…"

    def event(self, event: Event) -> None:
        """Cut every field to its own limit."""
        for field, most in _TEXTS.items():
            if field in event:
                event[field] = self.text(field, event[field], most)
        if "dedup_key" in event:
            event["dedup_key"] = self._dedup_key(clean(event["dedup_key"]))
        if "user" in event:
            event["user"] = {"id": self.text("user", str(event["user"]["id"]), _MAX_NAME)}
        if "tags" in event:
            event["tags"] = self._tags(event["tags"])
        if "metadata" in event:
            event["metadata"] = self.metadata(event["metadata"])
        if "links" in event:
            event["links"] = self.links(event["links"])
        if "error" in event:
            self._error(event["error"])

    def _dedup_key(self, key: str) -> str:
        if len(key.encode()) <= _MAX_DEDUP_KEY:
            return key
        from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, and is rarely needed

        self.note("dedup_key")  # two long keys may begin alike
        return sha256(key.encode()).hexdigest()

    def _tags(self, tags: dict[str, str]) -> dict[str, str]:
        kept: dict[str, str] = {}
        for key in sorted(tags):
            if len(kept) == _MAX_TAGS:
                self.note("tags")
                break
            kept[self.text("tags", key, _MAX_TAG_KEY)] = self.text(
                "tags", str(tags[key]), _MAX_TAG_VALUE
            )
        return kept

    def links(self, links: list[dict[str, str]]) -> list[dict[str, str]]:
        """Keep the first ten; an address is never cut."""
        kept: list[dict[str, str]] = []
        for link in links:
            if len(kept) == _MAX_LINKS or len(link.get("href", "")) > _MAX_HREF:
                self.note("links")
                continue
            kept.append({key: self.text("links", value, _MAX_HREF) for key, value in link.items()})
        return kept

    def metadata(self, metadata: dict[str, Any]) -> dict[str, Any]:
        """Keep the keys that fit, by name."""
        limited = self._value(metadata, MAX_DEPTH)
        kept: dict[str, Any] = {}
        size = 2
        for key in sorted(limited):
            more = len(encode({key: limited[key]})) - 1
            if size + more > _MAX_METADATA:
                self.note("metadata")
                continue
            size += more
            kept[key] = limited[key]
        return kept

    def _value(self, value: Any, depth: int) -> Any:
        if isinstance(value, str):
            return self.text("metadata", value, _MAX_MESSAGE)
        if not isinstance(value, dict | list):
            return value
        if depth == 0:
            self.note("metadata")
            return TOO_DEEP
        inner: Any = value  # pyright: ignore[reportUnknownVariableType] - of JSON
        if len(inner) > MAX_ENTRIES:
            self.note("metadata")
        if isinstance(value, list):
            return [self._value(entry, depth - 1) for entry in inner[:MAX_ENTRIES]]
        return {
            clean(key): self._value(inner[key], depth - 1) for key in sorted(inner)[:MAX_ENTRIES]
        }

    def _error(self, error: dict[str, Any]) -> None:
        if len(error.get("exceptions", ())) > _MAX_EXCEPTIONS:
            error["exceptions"] = error["exceptions"][:_MAX_EXCEPTIONS]
            self.note("error")
        for exception in error.get("exceptions", ()):
            self._exception(exception)
        if len(crumbs := error.get("breadcrumbs", ())) > MAX_BREADCRUMBS:
            error["breadcrumbs"] = crumbs[-MAX_BREADCRUMBS:]
            self.note("error")
        for crumb in error.get("breadcrumbs", ()):
            crumb["message"] = self.text("error", crumb.get("message", ""), _MAX_CRUMB)
            if "data" in crumb:
                crumb["data"] = self.metadata(crumb["data"])

    def _exception(self, exception: dict[str, Any]) -> None:
        exception["type"] = self.text("error", exception.get("type", ""), _MAX_NAME)
        exception["message"] = self.text("error", exception.get("message", ""), _MAX_MESSAGE)
        if len(frames := exception.get("frames", ())) > _MAX_FRAMES:
            half = _MAX_FRAMES // 2
            exception["frames"] = [*frames[:half], *frames[-half:]]
            self.note("error")
        for frame in exception.get("frames", ()):
            if "code" in frame:
                frame["code"] = clean(frame["code"][:_MAX_SOURCE_LINE])
            for field in ("pre", "post"):
                if field in frame:
                    frame[field] = [clean(line[:_MAX_SOURCE_LINE]) for line in frame[field]]


def _drop_source(event: Event) -> bool:
    lost = False
    for exception in event.get("error", {}).get("exceptions", ()):
        for frame in exception.get("frames", ()):
            for field in ("pre", "code", "post"):
                lost = frame.pop(field, None) is not None or lost
    return lost


def _drop_breadcrumbs(event: Event) -> bool:
    return event.get("error", {}).pop("breadcrumbs", None) is not None


def _drop_frames(event: Event) -> bool:
    lost = False
    for exception in event.get("error", {}).get("exceptions", ()):
        if len(frames := exception.get("frames", ())) > 10:  # noqa: PLR2004
            exception["frames"], lost = frames[:10], True
    return lost


def _cut_description(event: Event) -> bool:
    long = event.get("description", "")
    if len(long) <= 2000:  # noqa: PLR2004
        return False
    event["description"] = Limiter().text("description", long, 2000)
    return True


def _drop_causes(event: Event) -> bool:
    exceptions = event.get("error", {}).get("exceptions", ())
    if len(exceptions) < 2:  # noqa: PLR2004
        return False
    event["error"]["exceptions"] = exceptions[:1]
    return True


def _drop(field: str) -> Callable[[Event], bool]:
    return lambda event: event.pop(field, None) is not None


# Taken in turn while an event is too large: what is missed least goes first.
_SHRINK_STEPS: list[tuple[str, Callable[[Event], bool]]] = [
    ("error", _drop_source),
    ("error", _drop_breadcrumbs),
    ("error", _drop_frames),
    ("metadata", _drop("metadata")),
    ("description", _cut_description),
    ("error", _drop_causes),
    ("tags", _drop("tags")),
    ("links", _drop("links")),
]
