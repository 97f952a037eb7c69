"""When to try again. Times are in seconds, rules know no clock."""

from __future__ import annotations

_FOREGROUND_WISH = 120.0  # nobody waits longer for a call
_BACKGROUND_WISH = 3600.0  # no server holds an event longer
_BACKGROUND_LIFE = 900.0  # from the first try to the last


def backoff(n: int, random: float) -> float:
    """Wait exponentially longer, with full jitter, in whole milliseconds."""
    return int(random * min(30_000, 500 * 2 ** min(n, 6))) / 1000


def foreground(  # noqa: PLR0913 - a rule over everything that counts
    n: int, wish: float, elapsed: float, random: float, *, max_retries: int, timeout: float
) -> float | None:
    """Say how long to wait before retry n (from 0); None: the background has it then."""
    if n >= max_retries or wish > _FOREGROUND_WISH:
        return None
    delay = max(backoff(n, random), wish)
    return delay if elapsed + delay <= 3 * timeout else None


def background(n: int, wish: float, elapsed: float, random: float) -> float | None:
    """Say how long to wait before retry n of what is queued; None ends it."""
    delay = max(backoff(n, random), min(wish, _BACKGROUND_WISH))
    return delay if elapsed + delay <= _BACKGROUND_LIFE else None


def chance() -> float:
    """Draw a number from 0 to 1."""
    import random  # noqa: PLC0415 - 2 ms, only when it is needed

    return random.random()  # noqa: S311 - it spreads load, and hides nothing
