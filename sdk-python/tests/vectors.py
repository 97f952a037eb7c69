"""Reads the shared vectors, and writes out their large values."""

import datetime as dt
import json
import math
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[2] / "proto" / "vectors"
SERVICE_KEY = "nbs_Z3xQm0vJ7cR2tY8wL5nKpD4s"


def load(family: str) -> dict[str, Any]:
    """Read a family."""
    with (FOLDER / f"{family}.json").open(encoding="utf-8") as file:
        return json.load(file)


def cases(family: str, part: str = "cases") -> list[Any]:
    """Read the cases of a family."""
    return load(family)[part]


def name(case: dict[str, Any]) -> str:
    """Name a test by its case."""
    return case["description"]


def moment(text: str) -> float:
    """Read a time."""
    return dt.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def large(value: Any) -> Any:
    """Write out the notation of the README for large values."""
    given: Any = value
    if isinstance(value, list):
        return [large(inner) for inner in given]
    if not isinstance(value, dict):
        return given
    if "$repeat" in given:
        return given["$repeat"] * given["times"] + given.get("then", "")
    if "$map" in given:
        m = given["$map"]
        return {f"{m['prefix']}{n}": m["value"] for n in range(m["from"], m["to"] + 1)}
    if "$list" in given:
        m = given["$list"]
        return [large(_numbered(m["item"], n)) for n in range(m["from"], m["to"] + 1)]
    if "$concat" in given:
        return [inner for part in given["$concat"] for inner in large(part)]
    if "$number" in given:
        text = given["$number"]
        return math.nan if text == "NaN" else math.inf if text == "Infinity" else int(text)
    return {key: large(inner) for key, inner in given.items()}


def _numbered(item: Any, n: int) -> Any:
    given: Any = item
    if isinstance(item, dict):
        return {key: _numbered(inner, n) for key, inner in given.items()}
    if isinstance(item, list):
        return [_numbered(inner, n) for inner in given]
    return item.replace("{i}", str(n)) if isinstance(item, str) else given
