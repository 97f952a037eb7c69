# pyright: reportPrivateUsage=false
"""Delivers when the process ends, and reports what ended it.

Nothing here changes an exit code or an output: hooks call the hook that was there before,
and a signal ends the process as it would have without us.
"""

from __future__ import annotations

import atexit
import os
import sys
import threading
import weakref

from nightbell import loading

TYPE_CHECKING = False
if TYPE_CHECKING:
    import asyncio
    from types import FrameType
    from typing import Any

    from nightbell.reporter import Reporter

_clients: weakref.WeakSet[Reporter] = weakref.WeakSet()
_capturing: weakref.WeakSet[Reporter] = weakref.WeakSet()
_registered: list[bool] = []


def watch(client: Reporter) -> None:
    """Deliver what waits when the process ends, and begin again in a _forked child."""
    _clients.add(client)
    if not _registered:
        _registered.append(True)
        atexit.register(close_all)
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=loading.before_fork,
                after_in_parent=loading.after_fork,
                after_in_child=_after_fork,
            )
    _finish_with_multiprocessing()


def close_all() -> None:
    """Close every client. Together they have the longest of their flush timeouts."""
    try:
        _close_all()
    finally:
        _keep_interrupt()


def _keep_interrupt() -> None:
    """Let an interrupt that nobody caught still end the process as one.

    Python remembers it in a flag that any exec of a string takes back, and modules that we
    load here do that. An exec that is interrupted sets it again.
    """
    if issubclass(getattr(sys, "last_type", None) or Exception, KeyboardInterrupt) and not hasattr(
        sys, "ps1"
    ):
        try:
            exec("raise KeyboardInterrupt")  # noqa: S102
        except KeyboardInterrupt:
            pass


def _close_all() -> None:
    clients = list(_clients)
    if len(clients) == 1:
        clients[0]._close_quietly()
        return
    threads = [threading.Thread(target=client._close_quietly, daemon=True) for client in clients]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(5.0)
    except RuntimeError:  # no thread can start any more
        for client in clients:
            client._close_quietly()


def _after_fork() -> None:
    loading.after_fork()
    for client in list(_clients):
        client._forked()
    util: Any = sys.modules.get("multiprocessing.util")
    if util is not None:
        # The child's own start clears finalizers and then runs what is registered here.
        util.register_after_fork(_finish_forked, _finish_forked)


def _finish_forked(_: object) -> None:
    _finish_with_multiprocessing()


def _finish_with_multiprocessing() -> None:
    """Deliver at the end of a child of multiprocessing, which runs no atexit functions."""
    util: Any = sys.modules.get("multiprocessing.util")
    process: Any = sys.modules.get("multiprocessing.process")
    if util is not None and process is not None and process.parent_process() is not None:
        util.Finalize(None, close_all, exitpriority=0)


# --- what ended it ----------------------------------------------------------------


def capture_uncaught(client: Reporter) -> None:
    """Report uncaught exceptions of this process, and deliver when it is told to end."""
    if not _capturing:
        _chain_hooks()
    _capturing.add(client)
    handle_sigterm(client)


def stop_capturing(client: Reporter) -> None:
    """Report no more. The hooks stay, because others may have chained theirs to them."""
    _capturing.discard(client)


def _report(error: BaseException | None) -> None:
    if error is None or isinstance(error, SystemExit | KeyboardInterrupt | GeneratorExit):
        return
    for client in list(_capturing):
        client.capture_error(error, handled=False)


_chained: list[bool] = []


def _chain_hooks() -> None:
    if _chained:
        return
    _chained.append(True)
    previous, previous_thread = sys.excepthook, threading.excepthook
    previous_unraisable = sys.unraisablehook

    def excepthook(kind: Any, error: BaseException, traceback: Any) -> None:
        if error.__traceback__ is None:
            error.__traceback__ = traceback
        _report(error)
        previous(kind, error, traceback)

    def thread_excepthook(args: threading.ExceptHookArgs) -> None:
        _report(args.exc_value)
        previous_thread(args)

    def unraisablehook(args: Any) -> None:
        _report(args.exc_value)
        previous_unraisable(args)

    sys.excepthook = excepthook
    threading.excepthook = thread_excepthook
    sys.unraisablehook = unraisablehook


def watch_loop(client: Reporter, loop: asyncio.AbstractEventLoop) -> None:
    """Report exceptions that nobody retrieved from tasks of a loop."""
    previous = loop.get_exception_handler()

    def handler(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            client.capture_error(error, handled=False)
        if previous is None:
            loop.default_exception_handler(context)
        else:
            previous(loop, context)

    loop.set_exception_handler(handler)


def handle_sigterm(client: Reporter) -> None:
    """Deliver before SIGTERM ends the process, if nobody else handles it."""
    if threading.current_thread() is not threading.main_thread():
        return
    import signal  # noqa: PLC0415 - only to capture, and it makes enums

    if not hasattr(signal, "SIGTERM") or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return

    def handler(number: int, _: FrameType | None) -> None:
        # The interrupted code may hold the lock of the queue. Then let it go on first.
        if not client._lock_is_free():
            threading.Timer(0.01, os.kill, (os.getpid(), number)).start()
            return
        signal.signal(number, signal.SIG_DFL)
        close_all()
        os.kill(os.getpid(), number)

    signal.signal(signal.SIGTERM, handler)
