"""Open an incident for fewer than 10 orders in the last hour."""

import time

import nightbell

client = nightbell.init()


def orders_of_last_hour() -> int:
    """Ask your database."""
    return 3


# #region low-order-volume
client.metric_monitor(
    "orders",
    every=300,
    query=orders_of_last_hour,
    below=10,
    incident={
        "title": "Low order volume",
        "severity": "high",
        "tags": {"type": "business", "metric": "orders"},
        "metadata": {"time_window": "1h"},
    },
)
# #endregion
time.sleep(0.5)  # your program runs on
