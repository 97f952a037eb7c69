# ruff: noqa: F401
# pyright: reportUnusedImport=false
"""Loads what a delivery needs, mostly on the worker's thread.

A fork copies a module that another thread has half loaded, and nobody finishes it in the
child. So a fork waits until the worker has loaded.
"""

from __future__ import annotations

import threading

TYPE_CHECKING = False
if TYPE_CHECKING:
    from logging import Logger

_LONGEST_WAIT = 1.0  # seconds that a fork waits
_loading = threading.Lock()
_held: list[bool] = []


def load() -> None:
    """Load it. Only the first call of a process takes time."""
    with _loading:
        import encodings.idna  # by which every address is looked up
        import hashlib
        import http.client
        import linecache
        import random
        import zlib

        from nightbell import answer, fingerprint, proxy, redact, transport, truncate


def logger() -> Logger:
    """Give the logger of a program that named none. Its module takes 5 ms."""
    with _loading:
        import logging

        return logging.getLogger("nightbell")


def before_fork() -> None:
    """Wait until no thread loads."""
    _held.append(_loading.acquire(timeout=_LONGEST_WAIT))


def after_fork() -> None:
    """Go on, in the parent and in the child."""
    if _held.pop():
        _loading.release()
