"""Report an error with what is known about the request."""

import nightbell

client = nightbell.init()


def pay(order: str) -> None:
    """Fail."""
    message = f"no answer for {order}"
    raise TimeoutError(message)


# #region capture
with client.context(user="u1", operation="checkout"):
    try:
        pay("o-17")
    except TimeoutError:
        client.capture_error(tags={"region": "eu"})
# #endregion
