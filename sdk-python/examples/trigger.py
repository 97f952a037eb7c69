"""Report an incident and wait for its id."""

# #region setup
import nightbell

client = nightbell.init()  # NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL
# #endregion

# #region trigger
result = client.trigger_incident(
    "Orders stopped",
    "critical",
    description="No order for 10 minutes.",
    tags={"type": "business", "metric": "orders"},
    metadata={"orders_count": 3, "threshold": 10, "time_window": "1h"},
    dedup_key="orders-stopped",
)
print(result.id)
# #endregion
