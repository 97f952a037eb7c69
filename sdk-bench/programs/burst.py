# pyright: basic
"""Capture 1,000 errors in a loop, and end after a flush of 5 seconds."""

import sys

which, url = sys.argv[1:]
if which == "ours":
    import nightbell

    client = nightbell.Client(None, "nbs_bench0000000000000000", base_url=url, debug=False)
    for n in range(1000):
        client.capture_error(ValueError(f"fault {n}"))
    client.close(5)
else:
    import sentry_sdk

    sentry_sdk.init(dsn=url.replace("://", "://key@") + "/1")
    for n in range(1000):
        sentry_sdk.capture_exception(ValueError(f"fault {n}"))
    sentry_sdk.flush(5)
