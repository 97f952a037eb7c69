"""The configuration: argument, then environment, then default."""

from __future__ import annotations

from nightbell.errors import ConfigError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging
    import os
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any, TypedDict

    from nightbell.transport import Transport

    class Options(TypedDict, total=False):
        """Every option of a client. None means: the environment, then the default."""

        base_url: str | None
        allow_insecure: bool
        environment: str | None
        timeout: float | None
        enable_auto_capture: bool | None
        debug: bool | None
        release: str | None
        server_name: str | None
        sample_rate: float | None
        max_queue: int | None
        flush_timeout: float | None
        spool_dir: str | os.PathLike[str] | None
        ca_file: str | os.PathLike[str] | None
        max_retries: int | None
        disabled: bool | None
        strict: bool
        redact_keys: Iterable[str]
        ignore_errors: Iterable[type[BaseException]]
        before_send: Callable[[dict[str, Any]], dict[str, Any] | None] | None
        logger: logging.Logger | None
        transport: Transport | None


# A reserved name, which never resolves: no key reaches a stranger.
DEFAULT_BASE_URL = "https://api.nightbell.example"

NAMES = [
    "api_key",
    "service_key",
    "base_url",
    "allow_insecure",
    "environment",
    "timeout",
    "enable_auto_capture",
    "debug",
    "release",
    "server_name",
    "sample_rate",
    "max_queue",
    "flush_timeout",
    "spool_dir",
    "ca_file",
    "max_retries",
    "disabled",
    "strict",
    "redact_keys",
    "ignore_errors",
    "before_send",
    "logger",
    "transport",
]

_RELEASE = (
    "NIGHTBELL_RELEASE",
    "GITHUB_SHA",
    "CI_COMMIT_SHA",
    "VERCEL_GIT_COMMIT_SHA",
    "RENDER_GIT_COMMIT",
    "HEROKU_SLUG_COMMIT",
)


class Config:
    """The effective configuration. Times are in seconds."""

    def __init__(
        self, args: Mapping[str, Any], env: Mapping[str, str], host_name: str | None
    ) -> None:
        """Read arguments and environment; ConfigError for what cannot be right."""
        _refuse_unknown(args)
        read = _Reader(args, env)
        self.api_key = read.key("api_key", "NIGHTBELL_API_KEY")
        self.service_key = read.key("service_key", "NIGHTBELL_SERVICE_KEY")
        given = read.text("base_url", "NIGHTBELL_BASE_URL")
        self.base_url = _base_url(given, insecure=bool(args.get("allow_insecure")))
        self.environment = (
            read.text("environment", "NIGHTBELL_ENVIRONMENT", "NODE_ENV", "APP_ENV", "GO_ENV")
            or "development"
        ).lower()
        production = self.environment == "production"
        self.timeout = read.seconds(
            "timeout", "NIGHTBELL_TIMEOUT_MS", 10.0 if production else 5.0, 0.001, 600.0
        )
        self.enable_auto_capture = read.boolean(
            "enable_auto_capture", "NIGHTBELL_AUTO_CAPTURE", fallback=production
        )
        development = self.environment == "development"
        self.debug = read.boolean("debug", "NIGHTBELL_DEBUG", fallback=development)
        self.release = read.text("release", *_RELEASE)
        self.server_name = read.text("server_name", "NIGHTBELL_SERVER_NAME") or host_name
        self.sample_rate = read.number("sample_rate", "NIGHTBELL_SAMPLE_RATE", 1.0, 0.0, 1.0)
        self.max_queue = read.integer("max_queue", "NIGHTBELL_MAX_QUEUE", 1000, 1, 100_000)
        self.flush_timeout = read.seconds(
            "flush_timeout", "NIGHTBELL_FLUSH_TIMEOUT_MS", 2.0, 0.0, 60.0
        )
        self.spool_dir = read.text("spool_dir", "NIGHTBELL_SPOOL_DIR")
        self.ca_file = read.text("ca_file", "NIGHTBELL_CA_FILE")
        self.max_retries = read.integer("max_retries", "NIGHTBELL_MAX_RETRIES", 3, 0, 10)
        self.disabled = read.boolean("disabled", "NIGHTBELL_DISABLED", fallback=False)
        self.redact_keys: tuple[str, ...] = tuple(args.get("redact_keys") or ())
        self.ignore_errors: tuple[type[BaseException], ...] = tuple(args.get("ignore_errors") or ())
        self.before_send: Callable[[dict[str, Any]], dict[str, Any] | None] | None = args.get(
            "before_send"
        )
        self.logger: logging.Logger | None = args.get("logger")
        self.transport: Transport | None = args.get("transport")

        self.warnings: list[str] = []
        self.enabled = not self.disabled and self.credential is not None
        if self.enabled and given is None:
            self.warnings.append("base_url_missing")
        elif not self.enabled and not self.disabled:
            if args.get("strict"):
                message = "give service_key or api_key, or set NIGHTBELL_SERVICE_KEY"
                raise ConfigError("service_key", "required", message)
            self.warnings.append("key_missing")

    @property
    def credential(self) -> str | None:
        """What authenticates: the API key if there is one."""
        return self.api_key or self.service_key


def check_ca_file(path: str | None) -> None:
    """Refuse a file that no connection could use, before the first one needs it."""
    if path is None:
        return
    try:
        with open(path, "rb") as file:
            found = b"-----BEGIN CERTIFICATE-----" in file.read()
    except OSError as failure:
        message = f"ca_file cannot be read: {failure}"
        raise ConfigError("ca_file", "bad_format", message) from None
    if not found:
        message = f"ca_file {path} holds no certificate in PEM form"
        raise ConfigError("ca_file", "bad_format", message)


def _refuse_unknown(args: Mapping[str, Any]) -> None:
    for name in args:
        if name not in NAMES:
            from difflib import get_close_matches  # noqa: PLC0415 - only for this message

            near = get_close_matches(name, NAMES, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            message = f"{name} is not an option of Nightbell{hint}"
            raise TypeError(message)


class _Reader:
    """Takes values from the arguments, else from the environment. Blank is not set."""

    def __init__(self, args: Mapping[str, Any], env: Mapping[str, str]) -> None:
        self.args = args
        self.env = env

    def text(self, option: str, *variables: str) -> str | None:
        arg = self.args.get(option)
        if arg is not None and (value := str(arg).strip()):
            return value
        for name in variables:
            if value := self.env.get(name, "").strip():
                return value
        return None

    def key(self, option: str, variable: str) -> str | None:
        key = self.text(option, variable)
        if key is not None and not all("!" <= c <= "~" for c in key):
            message = f"{option} contains a character that no key has; copy it again"
            raise ConfigError(option, "bad_format", message)
        return key

    def boolean(self, option: str, variable: str, *, fallback: bool) -> bool:
        text = self.text(option, variable)
        if text is None:
            return fallback
        if text.lower() in ("1", "true", "yes", "on"):
            return True
        if text.lower() in ("0", "false", "no", "off"):
            return False
        raise ConfigError(option, "bad_format", f"{option} must be true or false, not {text!r}")

    def number(
        self, option: str, variable: str, fallback: float, least: float, most: float
    ) -> float:
        text = self.text(option, variable)
        if text is None:
            return fallback
        try:
            value = float(text)
        except ValueError:
            message = f"{option} must be a number, not {text!r}"
            raise ConfigError(option, "bad_format", message) from None
        return _within(option, value, least, most)

    def integer(self, option: str, variable: str, fallback: int, least: int, most: int) -> int:
        text = self.text(option, variable)
        if text is None:
            return fallback
        try:
            value = int(text)
        except ValueError:
            message = f"{option} must be a whole number, not {text!r}"
            raise ConfigError(option, "bad_format", message) from None
        return int(_within(option, value, least, most))

    def seconds(
        self, option: str, variable: str, fallback: float, least: float, most: float
    ) -> float:
        """Arguments are in seconds, the variable is in milliseconds as for all languages."""
        if self.args.get(option) is not None:
            return self.number(option, variable, fallback, least, most)
        ms = self.integer(
            option, variable, int(fallback * 1000), int(least * 1000), int(most * 1000)
        )
        return ms / 1000


def _within(option: str, value: float, least: float, most: float) -> float:
    if not least <= value <= most:  # NaN is not
        message = f"{option} must be between {least:g} and {most:g}, not {value:g}"
        raise ConfigError(option, "out_of_range", message)
    return value


def _base_url(given: str | None, *, insecure: bool) -> str:
    if given is None:
        return DEFAULT_BASE_URL
    scheme, colon, rest = given.partition("://")
    authority = rest.split("/", 1)[0].split("?", 1)[0]
    host = host_of(authority)
    if not colon or scheme.lower() not in ("http", "https") or not host or given.split() != [given]:
        message = "base_url must be a whole address, such as https://nightbell.example.com"
        raise ConfigError("base_url", "bad_format", message)
    if "@" in authority or "?" in rest or "#" in rest:
        message = "base_url must have no user, query or fragment"
        raise ConfigError("base_url", "bad_format", message)
    if scheme.lower() == "http" and not insecure and not is_loopback(host):
        message = (
            "base_url must begin with https://, because anybody between could read the key;"
            " allow_insecure=True permits it"
        )
        raise ConfigError("base_url", "insecure", message)
    return given.rstrip("/")


def host_of(authority: str) -> str:
    """Take the host without port and brackets."""
    if authority.startswith("["):
        return authority[1:].partition("]")[0]
    return authority.partition(":")[0]


def is_loopback(host: str) -> bool:
    """Say whether a host is this machine."""
    if host.lower() in ("localhost", "::1"):
        return True
    parts = host.split(".")
    return len(parts) == 4 and parts[0] == "127" and all(p.isdigit() for p in parts)  # noqa: PLR2004


def mask(key: str) -> str:
    """Show which key it is without showing the key."""
    if len(key) < 16:  # noqa: PLR2004 - of a shorter one four characters are too many
        return "..."
    kind, underscore, _ = key.partition("_")
    return (kind + underscore if underscore and len(kind) < 8 else "") + "..." + key[-4:]  # noqa: PLR2004
