"""Say every minute that the program lives."""

import time

import nightbell

client = nightbell.init()

# #region heartbeat
client.heartbeat("orders-worker", every=60)
# #endregion
time.sleep(0.5)  # your program runs on
