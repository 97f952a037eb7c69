# pyright: basic
"""Print what one capture costs its caller in microseconds, beside walking the stack alone."""

import json
import statistics
import sys
import time
import traceback


def ours():
    import nightbell
    from nightbell.answer import Answer

    class Nowhere:
        def send(self, *_):
            return Answer(201, {}, b'{"status":"created"}')

        def close(self):
            pass

    client = nightbell.Client(
        None, "nbs_bench0000000000000000", base_url="http://127.0.0.1:9", environment="bench",
        debug=False, transport=Nowhere(),
    )  # fmt: skip
    return client.capture_error


def anchor():
    import sentry_sdk
    from sentry_sdk.transport import Transport

    class Nowhere(Transport):
        def capture_envelope(self, envelope):
            pass

    sentry_sdk.init(dsn="http://key@127.0.0.1:9/1", transport=Nowhere)
    return sentry_sdk.capture_exception


def deep(n, level=8):
    if level:
        return deep(n, level - 1)
    raise ValueError(f"fault {n}")


def cost(work):
    bursts = []
    for burst in range(20):
        errors = []
        for n in range(40):
            try:
                deep(f"{burst}.{n}")
            except ValueError as error:
                errors.append(error)
        start = time.perf_counter()
        for error in errors:
            work(error)
        bursts.append((time.perf_counter() - start) / 40 * 1e6)
        time.sleep(0.02)
    return statistics.median(bursts[4:])


capture = {"ours": ours, "anchor": anchor}[sys.argv[1]]()
reference = cost(lambda error: list(traceback.walk_tb(error.__traceback__)))
print(json.dumps({"us": cost(capture), "reference_us": reference}))
