"""Open an incident when an operation takes too long, while it still runs."""

import time

import nightbell

client = nightbell.init()


# #region performance
@client.performance("monthly-report")  # 5 seconds; threshold=30 changes that
def report() -> None:
    """Take long."""
    time.sleep(6)  # the work


report()
# #endregion
