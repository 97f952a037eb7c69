"""Takes secrets out of events before they are cut, sent or written to disk."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    Event = dict[str, Any]

REDACTED = "[redacted]"

# The rules are those of proto/vectors/redaction.json; a test compares them.
CONTAINS = [
    "password",
    "passwd",
    "passphrase",
    "secret",
    "credential",
    "authorization",
    "cookie",
    "apikey",
    "privatekey",
    "accesskey",
    "servicekey",
    "creditcard",
    "cardnumber",
    "sessionid",
]
ENDS_WITH = ["token"]
EXACT = ["auth", "cvc", "cvv", "jwt", "otp", "pin", "pwd", "session", "sid", "ssn"]


class TextRule:
    """Replaces what looks like a secret inside any text."""

    def __init__(
        self, name: str, pattern: str, replacement: str, hint: str, *, ignore_case: bool = False
    ) -> None:
        """Text without the hint cannot match, which is quicker to see than to search."""
        self.name = name
        self.pattern = pattern
        self.replacement = replacement
        self.hint = hint
        self.ignore_case = ignore_case
        self._sub: Callable[[str, str], str] | None = None

    def apply(self, text: str) -> str:
        """Replace every match. The pattern is compiled for the first text."""
        if self.hint not in text:
            return text
        if self._sub is None:
            flags = re.ASCII | (re.IGNORECASE if self.ignore_case else 0)
            self._sub = re.compile(self.pattern, flags).sub
        return self._sub(self.replacement.replace("$1", r"\1"), text)


TEXT_RULES = [
    TextRule(
        "private_key",
        r"-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*(-----END [A-Z ]*PRIVATE KEY-----)?",
        REDACTED,
        "-----BEGIN",
    ),
    TextRule("jwt", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*", REDACTED, "eyJ"),
    TextRule("nightbell_key", r"\bnb[a-z]_[A-Za-z0-9_-]{16,}", REDACTED, "nb"),
    TextRule(
        "authorization",
        r"\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{16,}",
        "$1 " + REDACTED,
        "",
        ignore_case=True,
    ),
    TextRule("url_credentials", r"://[^/\s:@]*:[^/\s@]+@", "://" + REDACTED + "@", "://"),
    TextRule(
        "assignment",
        r"\b([A-Za-z0-9_-]{0,40}(?:password|passwd|secret|token|api_?key|access_?key))"
        r"""=[^\s&"',;]+""",
        "$1=" + REDACTED,
        "=",
        ignore_case=True,
    ),
]

_BARE = re.compile("[^a-z0-9]")


def bare_key(key: str) -> str:
    """Take case and punctuation away: X-Api-Key and apiKey are one."""
    return _BARE.sub("", key.lower())


class Redactor:
    """The rules, and the names of keys that the application adds."""

    def __init__(self, redact_keys: Iterable[str] = ()) -> None:
        """Keys of the application count wherever a key contains them."""
        self._contains = CONTAINS + [bare for key in redact_keys if (bare := bare_key(key))]

    def secret_key(self, key: str) -> bool:
        """Whether what stands under this key is a secret."""
        bare = bare_key(key)
        return (
            bare in EXACT
            or any(part in bare for part in self._contains)
            or any(bare.endswith(part) for part in ENDS_WITH)
        )

    def text(self, text: str) -> str:
        """Replace what looks like a secret wherever it stands."""
        for rule in TEXT_RULES:
            text = rule.apply(text)
        return text

    def value(self, value: Any) -> Any:
        """Make a redacted copy of a tree of maps, lists and strings."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, dict):
            return self.tree(value)  # pyright: ignore[reportUnknownArgumentType]
        if isinstance(value, list):
            return [self.value(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
        return value

    def tree(self, tree: dict[str, Any]) -> dict[str, Any]:
        """Redact a map. Yes, no and nothing are no secrets."""
        return {
            key: REDACTED
            if value is not None
            and value is not True
            and value is not False
            and value != ""
            and self.secret_key(key)
            else self.value(value)
            for key, value in tree.items()
        }

    def query(self, query: str) -> str:
        """Redact the values of a URL's query and leave its spelling as it is."""
        from urllib.parse import unquote_plus  # noqa: PLC0415 - only when a request failed

        parts = query.split("&")
        for n, part in enumerate(parts):
            key, _, value = part.partition("=")
            if value and self.secret_key(unquote_plus(key)):
                parts[n] = f"{key}={REDACTED}"
        return "&".join(parts)

    def event(self, event: Event) -> None:
        """Redact text that people wrote, never an id or a name of the code."""
        for field in ("title", "description", "summary"):
            if field in event:
                event[field] = self.text(event[field])
        for field in ("tags", "metadata"):
            if field in event:
                event[field] = self.tree(event[field])
        if "links" in event:
            event["links"] = [
                {key: self.text(value) for key, value in link.items()} for link in event["links"]
            ]
        if "error" in event:
            self._error(event["error"])

    def _error(self, error: dict[str, Any]) -> None:
        for exception in error.get("exceptions", ()):
            exception["message"] = self.text(exception.get("message", ""))
            for frame in exception.get("frames", ()):
                if "code" in frame:
                    frame["code"] = self.text(frame["code"])
                for field in ("pre", "post"):
                    if field in frame:
                        frame[field] = [self.text(line) for line in frame[field]]
        if "breadcrumbs" in error:
            error["breadcrumbs"] = [self._breadcrumb(crumb) for crumb in error["breadcrumbs"]]

    def _breadcrumb(self, crumb: dict[str, Any]) -> dict[str, Any]:
        redacted = {**crumb, "message": self.text(crumb.get("message", ""))}
        if "data" in crumb:
            redacted["data"] = self.tree(crumb["data"])
        return redacted
