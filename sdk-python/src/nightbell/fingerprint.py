"""Which errors are the same problem."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MOST = 8
_NAMELESS = ("<anonymous>", "<module>")
_WITH_DIGIT = re.compile("[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]*")


def fingerprint(environment: str, exceptions: list[dict[str, Any]]) -> str:
    """Make the 32 hex digits that name the problem."""
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, on the worker's thread

    text = fingerprint_text(environment, exceptions)
    return sha256(text.encode(errors="replace")).hexdigest()[:32]


def fingerprint_text(environment: str, exceptions: list[dict[str, Any]]) -> str:
    """Make the text that is hashed: neither messages nor lines, where there are frames."""
    lines = ["nightbell/1", f"environment {environment}"]
    lines += [f"type {exception['type']}" for exception in exceptions[:_MOST]]
    stacks: list[list[dict[str, Any]]] = [e["frames"] for e in exceptions if e.get("frames")]
    frames = stacks[-1] if stacks else []
    own = [frame for frame in frames if frame.get("in_app")] or frames
    # Outermost callers without a name do not count: Node.js loses them after an await.
    while len(own) > 1 and own[-1].get("function") in _NAMELESS:
        own = own[:-1]
    places: list[str] = []
    for frame in own:
        where = frame.get("module") or re.split(r"[\\/]", frame.get("file", ""))[-1]
        place = f"at {where}:{frame.get('function', '')}"
        if not places or places[-1] != place:
            places.append(place)
    if not places:
        message = exceptions[0].get("message", "") if exceptions else ""
        first = message.split("\n", 1)[0][:500]
        places.append("message " + _WITH_DIGIT.sub("#", first))
    return "\n".join(lines + places[:_MOST])
