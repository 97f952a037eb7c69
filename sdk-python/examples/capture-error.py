"""Report an error with what is known about the request."""

import nightbell

client = nightbell.init()


def checkout() -> None:
    """Fail."""
    message = "no stock"
    raise LookupError(message)


# #region capture
with client.context(user="user-42", operation="checkout"):
    try:
        checkout()
    except LookupError:
        client.capture_error(tags={"region": "eu"})
# #endregion
