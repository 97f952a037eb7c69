"""Test a program that reports to Nightbell."""

# #region testing
from nightbell.testing import TestClient

with TestClient() as client:
    client.enqueue_incident("Payment failed", "high")
    assert client.incidents[0].title == "Payment failed"
# #endregion
