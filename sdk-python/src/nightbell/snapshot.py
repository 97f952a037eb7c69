"""Copies of what the program gives, taken on its own thread."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

MAX_DEPTH = 6
MAX_ENTRIES = 64
MAX_INTEGER = 2**53 - 1
TOO_DEEP = "[too deep]"

# Their text is their value. The text of other objects may hold what nobody meant to send.
_TEXT_MODULES = {"datetime", "decimal", "fractions", "ipaddress", "pathlib", "uuid", "zoneinfo"}


def snapshot(metadata: Mapping[str, Any] | None) -> dict[str, Any]:
    """Copy metadata: the program may change it right afterwards.

    Only what JSON cannot say changes here; what is too much is cut later, where it is named.
    """
    return {str(key): _copy(value, MAX_DEPTH + 1) for key, value in (metadata or {}).items()}


def _copy(value: Any, depth: int) -> Any:
    given: Any = value  # which a test of its type does not change
    if value is None or value is True or value is False or type(value) is str:
        return value
    try:
        if isinstance(value, int):
            number = int(value)
            return number if -MAX_INTEGER <= number <= MAX_INTEGER else str(number)
        if isinstance(value, float):
            number = float(value)
            return number if number - number == 0 else None  # NaN and infinities are neither
        if isinstance(value, str):
            return str.__str__(value)
        if depth == 0:
            return TOO_DEEP
        if isinstance(value, dict):
            return {str(k): _copy(v, depth - 1) for k, v in _items(given)}
        if isinstance(value, list | tuple | set | frozenset):
            # One more than is sent, so that the cut is seen later.
            return [_copy(inner, depth - 1) for inner in _entries(given)]
        if isinstance(value, BaseException) or _module(given) in _TEXT_MODULES:
            return str(given)
    except Exception:  # noqa: BLE001 - a method of the program's value
        return f"[unreadable {type(given).__name__}]"
    return f"<{type(given).__name__}>"


def _items(value: Any) -> list[tuple[Any, Any]]:
    return list(value.items())


def _entries(value: Any) -> list[Any]:
    return list(value)[: MAX_ENTRIES + 1]


def _module(value: object) -> str:
    return type(value).__module__.partition(".")[0]


def texts(tags: Mapping[str, Any] | None) -> dict[str, str]:
    """Copy tags, which are texts."""
    return {str(key): str(value) for key, value in (tags or {}).items()}
