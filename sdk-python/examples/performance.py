"""Open an incident when an operation takes too long, while it still runs."""

import time

import nightbell

client = nightbell.init()


# #region performance
@client.performance("report", threshold=0.05, severity="high")  # in seconds; 5 by itself
def make_report() -> None:
    """Take long."""
    time.sleep(0.1)


make_report()
# #endregion
