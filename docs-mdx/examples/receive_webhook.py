"""Receives what a webhook subscription sends. NIGHTBELL_WEBHOOK_SECRET is what creating it answered."""

#region verify
import base64
import hashlib
import hmac
import json
import os
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

key = base64.b64decode(os.environ["NIGHTBELL_WEBHOOK_SECRET"].removeprefix("whsec_"))


def is_genuine(headers, body: bytes) -> bool:
    """Whether Nightbell sent this body, in the last five minutes."""
    sent = headers.get("webhook-timestamp", "0")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:
        return False
    text = f"{headers['webhook-id']}.{sent}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.digest(key, text, hashlib.sha256))
    # While a secret is being changed there are two, with a space between them.
    given = headers.get("webhook-signature", "").encode().split(b" ")
    return any(hmac.compare_digest(signature, expected) for signature in given)
#endregion


#region receive
seen = set()  # an event may come twice: a program that must not act twice keeps these


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))  # the signature is over these bytes
        genuine = is_genuine(self.headers, body)
        if genuine and self.headers["webhook-id"] not in seen:
            event = json.loads(body)
            incident = event["data"]["incident"] or {}  # none for what is about no incident
            print(event["type"], incident.get("title", ""), event["data"]["message"], flush=True)
            seen.add(self.headers["webhook-id"])
        self.send_response(204 if genuine else 401)
        self.end_headers()

    def log_message(self, *_):
        pass


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "8000"))), Receiver).serve_forever()
#endregion
