"""Turns exceptions into what is sent."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FrameType, TracebackType
    from typing import Any, TypeAlias

    # Code, line and module of each frame, innermost first. It keeps no frame alive, and
    # with it no local variable.
    Stack: TypeAlias = list[tuple[CodeType, int, str | None]]

_MAX_CHAIN = 8
_MAX_STACK = 250
_SOURCE_LINES = 5

# The attribute that marks an exception as reported, so that a handler and the
# middleware around it report it once.
_MARK = "__nightbell__"

_STANDARD_LIBRARY = os.path.dirname(os.__file__)
_INSTALLED = sys.prefix + os.sep + "lib"
_HERE = os.path.dirname(__file__)


def first_time(error: BaseException, client: int) -> bool:
    """Say whether this client sees an exception for the first time, and mark it."""
    try:
        if error.__dict__.get(_MARK) == client:
            return False
        setattr(error, _MARK, client)
    except Exception:  # noqa: BLE001, S110 - an exception with slots: report it twice rather than never
        pass
    return True


def chain_of(error: BaseException) -> list[BaseException]:
    """List an exception and its causes as Python would print them, and those of a group."""
    chain: list[BaseException] = []
    waiting = [error]
    while waiting and len(chain) < _MAX_CHAIN:
        current = waiting.pop(0)
        if any(current is known for known in chain):
            continue
        chain.append(current)
        inner = getattr(current, "exceptions", None)
        if isinstance(inner, tuple):  # an ExceptionGroup, which Python 3.10 does not have
            waiting += [e for e in inner if isinstance(e, BaseException)]  # pyright: ignore[reportUnknownVariableType]
        cause = current.__cause__
        if cause is None and not current.__suppress_context__:
            cause = current.__context__
        if cause is not None:
            waiting.append(cause)
    return chain


def describe(error: BaseException) -> dict[str, Any]:
    """Name an exception. Its own text may fail."""
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - a method of the program's
        message = "[unreadable message]"
    return {"type": type(error).__name__, "message": message}


def stack_of(error: BaseException, caller: FrameType | None = None) -> Stack:
    """Take the stack of an exception; of its caller if it was never raised."""
    stack: Stack = []
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        frame = traceback.tb_frame
        stack.append((frame.f_code, traceback.tb_lineno, frame.f_globals.get("__name__")))
        traceback = traceback.tb_next
    if len(stack) > _MAX_STACK:  # of a recursion both ends count
        stack = stack[: _MAX_STACK // 2] + stack[-_MAX_STACK // 2 :]
    stack.reverse()
    while caller is not None and not error.__traceback__ and len(stack) < _MAX_STACK:
        if os.path.dirname(caller.f_code.co_filename) != _HERE:
            stack.append((caller.f_code, caller.f_lineno, caller.f_globals.get("__name__")))
        caller = caller.f_back
    return stack


def merge_key(chain: list[BaseException], stacks: list[Stack], event: dict[str, Any]) -> int:
    """Make a key that is equal for an error that happens again: same place, text and user."""
    user = event.get("user")
    return hash(
        (
            tuple((id(code), line) for stack in stacks for code, line, _ in stack),
            tuple(
                (type(e), exception["message"])
                for e, exception in zip(chain, event["error"]["exceptions"], strict=True)
            ),
            user["id"] if user else None,
            event.get("operation"),
            event.get("severity"),
            event.get("dedup_key"),
        )
    )


def frames_of(stack: Stack) -> list[dict[str, Any]]:
    """Make frames with source lines, on the worker's thread."""
    return [_frame(code, line, module) for code, line, module in stack]


def _frame(code: CodeType, line: int, module: str | None) -> dict[str, Any]:
    in_app = _in_app(code.co_filename)
    frame: dict[str, Any] = {
        "file": code.co_filename,
        "function": getattr(code, "co_qualname", code.co_name),  # since Python 3.11
        "line": line,
        "in_app": in_app,
    }
    if module:
        frame["module"] = module
    if in_app:
        frame.update(_source(code.co_filename, line))
    return frame


def _in_app(file: str) -> bool:
    return not (
        file.startswith(("<", _STANDARD_LIBRARY, _INSTALLED))
        or "site-packages" in file
        or "dist-packages" in file
        or os.path.dirname(file) == _HERE
    )


def _source(file: str, line: int) -> dict[str, Any]:
    import linecache  # noqa: PLC0415 - on the worker's thread

    lines = linecache.getlines(file)
    if not 0 < line <= len(lines):
        return {}
    found: dict[str, Any] = {"code": lines[line - 1].rstrip("\n")}
    if pre := [text.rstrip("\n") for text in lines[max(line - 1 - _SOURCE_LINES, 0) : line - 1]]:
        found["pre"] = pre
    if post := [text.rstrip("\n") for text in lines[line : line + _SOURCE_LINES]]:
        found["post"] = post
    return found
