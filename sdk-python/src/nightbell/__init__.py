"""The Python client for Nightbell.

It will let a Python service send its own alerts and changes to Nightbell. Nothing is exported
yet: this package holds the name and its checks. Until the client is here, send alerts with any
Alertmanager, or post JSON to the webhook URL that every service shows.
"""

__all__: list[str] = []
