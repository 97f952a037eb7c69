"""Open an incident when fewer than 2 % of a day's visitors order."""

import time

import nightbell

client = nightbell.init()


def orders_and_visitors_of_last_day() -> tuple[int, int]:
    """Ask your database."""
    return 10, 1000


# #region conversion-rate
client.ratio_monitor(
    "conversion",
    every=600,
    query=orders_and_visitors_of_last_day,
    below=0.02,
    min_total=100,
    incident={"title": "Conversion below 2%", "metadata": {"time_window": "24h"}},
)
# #endregion
time.sleep(0.5)  # your program runs on
