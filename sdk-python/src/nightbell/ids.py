"""Ids that sort by time, and ids that every replica makes alike."""

from __future__ import annotations

import os
import time


def new_id() -> str:
    """Make a UUIDv7."""
    return uuid7(int(time.time() * 1000), os.urandom(10))


def uuid7(time_ms: int, random: bytes) -> str:
    """Make a UUIDv7 from a time and ten random bytes."""
    return _format(time_ms.to_bytes(6, "big") + random, 0x7)


def window_id(
    credential: str, environment: str, monitor: str, action: str, window_start_ms: int
) -> str:
    """Make the id of a monitor's window, the same in every replica."""
    from hashlib import sha256  # noqa: PLC0415 - loads OpenSSL, which an import need not

    key = sha256(credential.encode()).hexdigest()
    lines = ("nightbell-monitor/1", key, environment, monitor, action, str(window_start_ms))
    return _format(sha256("\n".join(lines).encode()).digest()[:16], 0x8)


def _format(sixteen: bytes, version: int) -> str:
    number = int.from_bytes(sixteen, "big")
    number = number & ~(0xF << 76) | version << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
