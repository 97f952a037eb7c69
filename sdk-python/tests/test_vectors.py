"""Every case of proto/vectors, which say what the SDKs do alike."""

import json
from typing import Any

import pytest
import vectors

import nightbell
from nightbell import Client, ConfigError, ValidationError, errors, ids, redact, retry
from nightbell.answer import Answer, Verdict, judge
from nightbell.config import Config, mask
from nightbell.fingerprint import fingerprint, fingerprint_text
from nightbell.heartbeat import ping_item
from nightbell.proxy import proxy_for
from nightbell.scope import Scope
from nightbell.snapshot import snapshot
from nightbell.testing import Wire
from nightbell.truncate import limit

FAMILIES = {
    "config",
    "errors",
    "fingerprint",
    "ids",
    "monitors",
    "payload",
    "proxy",
    "redaction",
    "retry",
    "surface",
    "truncation",
}


def each(family: str, part: str = "cases") -> Any:
    """Make a test of each case, named by it."""
    return pytest.mark.parametrize("case", vectors.cases(family, part), ids=vectors.name)


def known(case: dict[str, Any], *fields: str) -> None:
    """Fail when a case has a field that this runner does not know."""
    assert set(case) <= {"description", *fields}


def named(got: dict[str, Any], want: dict[str, Any]) -> None:
    """Compare what is named; null is absent."""
    assert {key: got.get(key) for key in want} == want


def test_families() -> None:
    """A family that nobody runs is noticed."""
    assert {path.stem for path in vectors.FOLDER.glob("*.json")} == FAMILIES


# --- proxy ------------------------------------------------------------------------


@each("proxy")
def test_proxy(case: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """The way to the server."""
    known(case, "base_url", "env", "proxy")
    for name in ("HTTPS_PROXY", "HTTP_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    for name, value in case["env"].items():
        monkeypatch.setenv(name, value)
    scheme, _, authority = case["base_url"].partition("://")
    assert proxy_for(scheme == "https", authority) == case["proxy"]


# --- config -----------------------------------------------------------------------

_MS: dict[str, str] = {"timeout_ms": "timeout", "flush_timeout_ms": "flush_timeout"}


def options(args: dict[str, Any]) -> dict[str, Any]:
    """Map arguments to those of Python: times are in seconds."""
    return {
        _MS.get(key, key): value / 1000 if key in _MS and value is not None else value
        for key, value in args.items()
    }


@each("config")
def test_config(case: dict[str, Any]) -> None:
    """Arguments and variables make this configuration."""
    known(case, "args", "env", "host_name", "expect", "warnings", "error")
    if "error" in case:
        with pytest.raises(ConfigError) as refused:
            Config(options(case["args"]), case["env"], case["host_name"])
        option = _MS.get(case["error"]["option"], case["error"]["option"])
        assert (refused.value.option, refused.value.code) == (option, case["error"]["code"])
        return
    config = Config(options(case["args"]), case["env"], case["host_name"])
    got = vars(config) | {ms: round(getattr(config, s) * 1000) for ms, s in _MS.items()}
    named(got, case["expect"])
    assert config.warnings == case["warnings"]


def test_options() -> None:
    """Each option of the table is one of ours, and each of the table's variables is read."""
    for option in vectors.load("config")["options"]:
        given: str = option["option"]
        name = _MS.get(given, given)
        text = {"integer": "1", "number": "0.5", "boolean": "yes", "url": "https://a.test"}
        value = text.get(option["type"], "word")
        for variable in option["env"]:
            config = Config({}, {variable: value}, None)
            assert getattr(config, name) not in (None, False), variable


@each("config", "masks")
def test_mask(case: dict[str, Any]) -> None:
    """A key in a log shows which one it is."""
    assert mask(case["key"]) == case["masked"]


# --- payload ----------------------------------------------------------------------


def client_of(case: dict[str, Any], wire: Wire) -> Client:
    """Make the client of a case, with its clock and id."""
    given = dict(case["config"])
    nameless = "server_name" in given and given["server_name"] is None
    key, service_key = given.pop("api_key", None), given.pop("service_key", None)
    client = Client(key, service_key, **options(given), transport=wire, debug=False)
    if nameless:
        client.config.server_name = None
    if "now" in case:
        now = vectors.moment(case["now"])
        client._pipeline.now = lambda: now
        client._pipeline.new_id = lambda: case["id"]
    return client


def capture_given(client: Client, given: dict[str, Any]) -> None:
    """Do what capture_error does once the stack was read."""
    pipeline = client._pipeline
    event = {
        "action": "trigger",
        "severity": "medium" if given.pop("handled", True) else "high",
        "error": {"exceptions": given.pop("exceptions")},
        **given,
    }
    client._complete(event)
    pipeline.enqueue_event(event)


def call(client: Client, case: dict[str, Any]) -> None:
    """Make the call of a case."""
    given = json.loads(json.dumps(case["input"]))
    kind = case["call"]
    if at := given.pop("occurred_at", None):
        given["occurred_at"] = vectors.moment(at)
    if kind == "trigger":
        client.trigger_incident(**given)
    elif kind == "acknowledge":
        client.acknowledge(**given)
    elif kind == "resolve":
        client.resolve(**given)
    elif kind == "capture_error":
        capture_given(client, given)
    elif kind == "change":
        client.record_change(**given)
    elif kind == "ping":
        client._pipeline.enqueue(ping_item(given.pop("name"), given))
    elif kind == "sample":
        client.record_sample(given["name"], given["value"], unit=given["unit"])
    else:
        pytest.fail(f"unknown call {kind}")


def scope_of(case: dict[str, Any]) -> Scope:
    """Make the scope of a case."""
    given = dict(case.get("scope", {}))
    crumbs = given.pop("breadcrumbs", [])
    made = Scope(**given)
    made.breadcrumbs = crumbs
    return made


@each("payload")
def test_payload(case: dict[str, Any]) -> None:
    """A call makes this request."""
    known(case, "call", "config", "now", "id", "scope", "input", "expect")
    wire = Wire()
    client = client_of(case, wire)
    with scope_of(case):
        call(client, case)
    client.close(2)
    [request] = wire.requests
    base = case["config"]["base_url"].rstrip("/")
    prefix = "/" + base.split("/", 3)[3] if base.count("/") > 2 else ""
    assert case["expect"]["method"] == "POST"
    assert prefix + request.path == case["expect"]["path"]
    named(request.headers, case["expect"]["headers"])
    assert request.body == case["expect"]["body"]


@each("payload", "refused")
def test_refused(case: dict[str, Any]) -> None:
    """Bad input is refused before anything is sent."""
    config = {"service_key": vectors.SERVICE_KEY, "base_url": "https://nightbell.acme.test"}
    wire = Wire()
    client = client_of({"config": config}, wire)
    if case["call"] == "change":  # that one never raises: its builder does
        from nightbell.event import change

        client.record_change = change  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ValidationError) as refused:
        call(client, case)
    client.close(0)
    named(refused.value.details[0], case["error"])
    assert wire.requests == []


# --- errors and retry -------------------------------------------------------------

_CLASSES = {
    errors.AuthError: "auth", errors.ValidationError: "validation", errors.ServerError: "server",
    errors.RateLimitError: "rate_limited", errors.ConnectionFailedError: "connection",
    errors.TimedOutError: "timeout", errors.ApiError: "api",
}  # fmt: skip


def answer_of(case: dict[str, Any]) -> Answer:
    """Make the answer of a case."""
    if "failure" in case:
        return Answer.lost(case["failure"], timed_out=case["failure"] == "timeout")
    body = case.get("body", b"")
    encoded = (
        body
        if isinstance(body, bytes)
        else body.encode()
        if isinstance(body, str)
        else json.dumps(body).encode()
    )
    return Answer(case["status"], case.get("headers", {}), encoded)


def tree_of(verdict: Verdict) -> dict[str, Any]:
    """Write a verdict in the words of the vectors."""
    got: dict[str, Any] = {"outcome": verdict.outcome, "pause": verdict.pause or None}
    if verdict.wish:
        got["retry_after_ms"] = round(verdict.wish * 1000)
    if verdict.error:
        got["error"] = _CLASSES[type(verdict.error)]
        for field in ("code", "message", "request_id", "details"):
            got[field] = getattr(verdict.error, field)
    return got


@each("errors")
def test_errors(case: dict[str, Any]) -> None:
    """An answer means this."""
    known(case, "request", "answer", "failure", "sent", "expect")
    answer = answer_of(case if "failure" in case else case["answer"])
    now = vectors.moment(vectors.load("errors")["now"])
    verdict = judge(case["request"], case.get("sent", ["x"]), answer, now)
    want = dict(case["expect"])
    for n, item in enumerate(want.pop("items", [])):
        assert verdict.items
        named({**tree_of(verdict.items[n]), "event_id": case["sent"][n]}, item)
    if "result" in want:
        assert verdict.result
        named(verdict.result._asdict(), want.pop("result"))
    named(tree_of(verdict), want)


@each("retry")
def test_retry(case: dict[str, Any]) -> None:
    """These answers and random values make these delays."""
    known(case, "mode", "timeout_ms", "max_retries", "answers", "random", "expect")
    delays: list[int] = []
    elapsed, outcome, n = 0.0, "", 0
    while not outcome:
        given = case["answers"][n]
        body = {"status": "created"} if given.get("status") == 201 else ""
        answer = answer_of({"body": body, **given})
        elapsed += given.get("takes_ms", 0) / 1000
        verdict = judge("event", ["x"], answer, vectors.moment(vectors.load("retry")["now"]))
        delay = None
        random = [*case["random"], 0][min(n, len(case["random"]))]
        if verdict.outcome != "retry":
            outcome = verdict.outcome
        elif case["mode"] == "foreground":
            delay = retry.foreground(
                n, verdict.wish, elapsed, random,
                max_retries=case["max_retries"], timeout=case["timeout_ms"] / 1000,
            )  # fmt: skip
            outcome = "queued" if delay is None else ""
        else:
            delay = retry.background(n, verdict.wish, elapsed, random)
            outcome = "gave_up" if delay is None else ""
        if delay is not None:
            delays.append(round(delay * 1000))
            elapsed += delay
        n += 1
    assert {"outcome": outcome, "attempts": n, "delays_ms": delays} == case["expect"]


# --- the rest ---------------------------------------------------------------------


def test_redaction_rules() -> None:
    """Our copy of the rules is the shared one."""
    rules = vectors.load("redaction")["rules"]
    assert rules == {
        "replacement": redact.REDACTED,
        "contains": redact.CONTAINS,
        "ends_with": redact.ENDS_WITH,
        "exact": redact.EXACT,
        "text": [
            {key: getattr(rule, key) for key in ("name", "pattern", "ignore_case", "replacement")}
            for rule in redact.TEXT_RULES
        ],
    }


@each("redaction")
def test_redaction(case: dict[str, Any]) -> None:
    """Secrets are taken out."""
    known(case, "kind", "value", "redact_keys", "expect")
    redactor = redact.Redactor(case.get("redact_keys", ()))
    apply = {"value": redactor.value, "text": redactor.text, "query": redactor.query}
    assert apply[case["kind"]](case["value"]) == case["expect"]


@each("truncation")
def test_truncation(case: dict[str, Any]) -> None:
    """An event fits its limits."""
    known(case, "event", "expect")
    event = vectors.large(case["event"])
    if "metadata" in event:
        event["metadata"] = snapshot(event["metadata"])
    assert json.loads(limit(event)) == vectors.large(case["expect"])


@each("fingerprint")
def test_fingerprint(case: dict[str, Any]) -> None:
    """Errors of one problem have one fingerprint."""
    known(case, "environment", "exceptions", "text", "expect")
    assert fingerprint_text(case["environment"], case["exceptions"]) == case["text"]
    assert fingerprint(case["environment"], case["exceptions"]) == case["expect"]


@each("ids")
def test_ids(case: dict[str, Any]) -> None:
    """Ids are these."""
    assert case["kind"] == "uuid7"
    known(case, "kind", "time_ms", "random", "expect")
    assert ids.uuid7(case["time_ms"], bytes.fromhex(case["random"])) == case["expect"]


def test_surface() -> None:
    """What we export is what the list says."""
    surface = vectors.load("surface")
    own = surface["only"]["python"]
    public = {name for name in dir(Client) if not name.startswith("_")}
    assert public == {*surface["client"], *own["client"]}
    assert sorted(nightbell.__all__) == own["package"]
