"""Keeps what could not be delivered on disk until the next start."""

from __future__ import annotations

import json
import os

from nightbell.ids import new_id
from nightbell.queue import Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_MAX_BYTES = 8 << 20
_LIFE = 72 * 3600.0  # as long as the server remembers ids
_CLAIM_LIFE = 600.0
_SUFFIX = ".nightbell.jsonl"
_CLAIMED = ".claimed"


class Spool:
    """A folder that processes share.

    Each write makes a whole new file, so a crash leaves no half line. Events are redacted
    before they come here.
    """

    def __init__(self, folder: str) -> None:
        """Nothing is made before it is needed."""
        self.folder = folder

    def write(self, items: list[Item], now: float) -> list[Item]:
        """Keep items and return those that there is no room for; OSError if none can be."""
        os.makedirs(self.folder, mode=0o700, exist_ok=True)
        size = self._size()
        lines: list[bytes] = []
        refused: list[Item] = []
        for item in items:
            line = _line(item, now)
            if size + len(line) > _MAX_BYTES:
                refused.append(item)
                continue
            size += len(line)
            lines.append(line)
        if lines:
            name = os.path.join(self.folder, f"{int(now * 1000)}-{os.getpid()}-{new_id()}")
            file = os.open(name + ".tmp", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with open(file, "wb") as out:
                out.writelines(lines)
            os.rename(name + ".tmp", name + _SUFFIX)
        return refused

    def _size(self) -> int:
        with os.scandir(self.folder) as entries:
            return sum(entry.stat().st_size for entry in entries if _SUFFIX in entry.name)

    def claim(self, now: float) -> list[Item]:
        """Take over the files of earlier processes.

        A claim whose process died is taken over later; if both live, the ids keep what is
        sent twice from counting twice.
        """
        items: list[Item] = []
        try:
            names = sorted(os.listdir(self.folder))
        except OSError:
            return items
        for name in names:
            path = os.path.join(self.folder, name)
            try:
                if name.endswith(_SUFFIX):
                    os.rename(path, path + _CLAIMED)
                    path += _CLAIMED
                elif not name.endswith(_CLAIMED) or now - os.stat(path).st_mtime < _CLAIM_LIFE:
                    continue
                os.utime(path, (now, now))
                items += _read(path, now)
            except OSError:  # another process was first
                continue
        return items


def _line(item: Item, now: float) -> bytes:
    written = {
        "kind": item.kind, "id": item.id, "path": item.path, "weight": item.weight,
        "at": now, "body": json.loads(item.body or b"null"),
    }  # fmt: skip
    return json.dumps(written, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _read(path: str, now: float) -> list[Item]:
    items: list[Item] = []
    with open(path, "rb") as file:
        for line in file:
            item = _item(line, now)
            if item is not None:
                items.append(item)
    left = [len(items)]

    def done() -> None:
        left[0] -= 1
        if left[0] <= 0:
            remove(path)

    if not items:
        remove(path)
    for item in items:
        item.done = done
    return items


def _item(line: bytes, now: float) -> Item | None:
    from nightbell.truncate import encode  # noqa: PLC0415

    try:
        read: Any = json.loads(line)
        if now - read["at"] > _LIFE or not isinstance(read["body"], dict):
            return None
        item = Item(
            read["kind"],
            read["path"],
            id=read["id"],
            body=encode(read["body"]),
        )
        item.weight = read["weight"]
    except (ValueError, KeyError, TypeError):
        return None
    item.urgent = item.weight >= 4  # noqa: PLR2004 - critical
    return item


def remove(path: str) -> None:
    """Remove a file that may be gone."""
    try:
        os.unlink(path)
    except OSError:
        pass
