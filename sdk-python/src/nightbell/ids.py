"""Ids that sort by time."""

from __future__ import annotations

import os
import time


def new_id() -> str:
    """Make a UUIDv7."""
    return uuid7(int(time.time() * 1000), os.urandom(10))


def uuid7(time_ms: int, random: bytes) -> str:
    """Make a UUIDv7 from a time and ten random bytes."""
    number = int.from_bytes(time_ms.to_bytes(6, "big") + random, "big")
    number = number & ~(0xF << 76) | 0x7 << 76
    number = number & ~(0x3 << 62) | 0x2 << 62
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"
