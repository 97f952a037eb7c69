"""What an answer of the server means."""

from __future__ import annotations

import json

from nightbell import errors
from nightbell.results import IncidentResult

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

    Kind: TypeAlias = Literal["event", "batch", "change", "sample", "ping"]
    Outcome: TypeAlias = Literal["delivered", "retry", "rejected", "split", "disabled"]

_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_VALIDATION = {400, 413, 415, 422}


class Answer:
    """What came back. Header names are lower case. Without an answer the status is 0."""

    __slots__ = ("body", "failure", "headers", "status", "timed_out")

    def __init__(
        self,
        status: int,
        headers: dict[str, str] | None = None,
        body: bytes = b"",
        *,
        failure: str | None = None,
        timed_out: bool = False,
    ) -> None:
        """Keep what came back."""
        self.status = status
        self.headers = headers or {}
        self.body = body
        self.failure = failure
        self.timed_out = timed_out

    @classmethod
    def lost(cls, failure: str, *, timed_out: bool = False) -> Answer:
        """Stand for no answer: what the server did is unknown."""
        return cls(0, failure=failure, timed_out=timed_out)

    def json(self) -> Any:
        """Read the body, None if it is not JSON."""
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Verdict:
    """The meaning of an answer."""

    __slots__ = ("error", "items", "outcome", "pause", "result", "wish")

    def __init__(self, outcome: Outcome, error: errors.ApiError | None = None) -> None:
        """Begin with what is always known."""
        self.outcome: Outcome = outcome
        self.error = error
        self.pause = False  # the key was refused: rest before sending more
        self.wish = 0.0  # how long the server asks to wait
        self.result: IncidentResult | None = None
        self.items: list[Verdict] | None = None  # of a batch, in the order sent


def judge(kind: Kind, ids: list[str], answer: Answer, now: float) -> Verdict:
    """Read an answer."""
    if answer.failure is not None:
        wrong = errors.TimedOutError if answer.timed_out else errors.ConnectionFailedError
        return Verdict("retry", wrong(answer.failure))
    wish = _wish(answer.headers, now)
    if 200 <= answer.status < 300:  # noqa: PLR2004
        return _success(kind, ids, answer)
    error = _refusal(answer, wish)
    verdict = Verdict(_outcome(answer.status, error.code), error)
    verdict.wish = wish
    verdict.pause = isinstance(error, errors.AuthError)
    if answer.status == 413 and kind == "batch" and len(ids) > 1:  # noqa: PLR2004
        verdict.outcome = "split"
    wanted = answer.headers.get("x-should-retry")
    if wanted in ("true", "false"):
        verdict.outcome = "retry" if wanted == "true" else "rejected"
    if answer.status == 410 or answer.headers.get("nightbell-disable") == "1":  # noqa: PLR2004
        verdict.outcome = "disabled"
    return verdict


def _success(kind: Kind, ids: list[str], answer: Answer) -> Verdict:
    """Believe a 2xx only if Nightbell wrote it: the page of a proxy is no delivery."""
    verdict = Verdict("delivered")
    if kind not in ("event", "batch"):
        return verdict
    body = answer.json()
    if kind == "event" and isinstance(body, dict) and _text(body, "status"):
        verdict.result = _result(body)
        return verdict
    if kind == "batch" and isinstance(body, dict) and isinstance(body.get("results"), list):  # pyright: ignore[reportUnknownMemberType]
        verdict.items = _items(body, ids)
        return verdict
    message = "the answer is not from Nightbell; is the base URL right?"
    return Verdict("retry", errors.ServerError(message, status=answer.status))


def _result(body: Any) -> IncidentResult:
    number = body.get("incident_number")
    return IncidentResult(
        id=_text(body, "id"),
        status=_text(body, "status") or "",
        event_id=_text(body, "event_id"),
        dedup_key=_text(body, "dedup_key"),
        incident_number=number if isinstance(number, int) else None,
        url=_text(body, "url"),
    )


def _items(body: Any, ids: list[str]) -> list[Verdict]:
    """Find the result of each event that was sent; without one it is sent again."""
    results: dict[Any, Any] = {}
    for result in body["results"]:
        if isinstance(result, dict):
            results[result.get("event_id")] = result  # pyright: ignore[reportUnknownMemberType]
    return [_item(results.get(event_id)) for event_id in ids]


def _item(result: Any) -> Verdict:
    if result is None:
        return Verdict("retry", errors.ServerError("the answer does not name this event"))
    error = result.get("error")
    if not isinstance(error, dict):
        verdict = Verdict("delivered")
        verdict.result = _result(result)
        return verdict
    code = _text(error, "code")
    again = error.get("retryable") is True  # pyright: ignore[reportUnknownMemberType]
    kind = errors.ServerError if again else errors.ValidationError
    refused = kind(_text(error, "message") or "refused", code=code, details=_details(error))
    return Verdict("retry" if again else "rejected", refused)


def _refusal(answer: Answer, wish: float) -> errors.ApiError:
    body = answer.json()
    if not isinstance(body, dict):
        body = {}
    return _class(answer.status)(
        _text(body, "message") or f"the server answered {answer.status}",
        status=answer.status,
        code=_text(body, "code"),
        request_id=_text(body, "request_id"),
        details=_details(body),
        retry_after=wish or None,
    )


def _class(status: int) -> type[errors.ApiError]:
    if status in (401, 403):
        return errors.AuthError
    if status in _VALIDATION:
        return errors.ValidationError
    if status == 429:  # noqa: PLR2004
        return errors.RateLimitError
    if status >= 500 or status in _AGAIN:  # noqa: PLR2004
        return errors.ServerError
    return errors.ApiError


def _outcome(status: int, code: str | None) -> Outcome:
    if status in _AGAIN or (status == 409 and code == "idempotency_in_progress"):  # noqa: PLR2004
        return "retry"
    return "rejected"


def _wish(headers: dict[str, str], now: float) -> float:
    """Read how long the server asks to wait, 0 without a wish that can be read."""
    ms = headers.get("retry-after-ms", "")
    if ms.isascii() and ms.isdigit():
        return int(ms[:15]) / 1000
    text = headers.get("retry-after", "")
    if text.isascii() and text.isdigit():
        return float(text[:12])
    if text[:3].isalpha():
        from email.utils import parsedate_to_datetime  # noqa: PLC0415 - only for a date

        try:
            return max(parsedate_to_datetime(text).timestamp() - now, 0.0)
        except (TypeError, ValueError, OverflowError):
            pass
    return 0.0


def _text(body: Any, key: str) -> str | None:
    value = body.get(key)
    return value if isinstance(value, str) and value else None


def _details(body: Any) -> list[dict[str, Any]]:
    details = body.get("details")
    return [d for d in details if isinstance(d, dict)] if isinstance(details, list) else []  # pyright: ignore[reportUnknownVariableType]
