"""Declares an incident by the client that openapi-python-client makes of the OpenAPI document."""

import os

from nightbell_client import AuthenticatedClient
from nightbell_client.api.incident import incidents_create
from nightbell_client.models import CreateIncidentRequest, CreateIncidentRequestSeverity, CreateIncidentResponse

client = AuthenticatedClient(base_url=os.environ["NIGHTBELL_URL"], token=os.environ["NIGHTBELL_API_KEY"])
answer = incidents_create.sync(
    client=client,
    body=CreateIncidentRequest(title="Declared in Python", severity=CreateIncidentRequestSeverity.HIGH),
)
if not isinstance(answer, CreateIncidentResponse):
    raise SystemExit(f"unexpected: {answer}")
print(answer.incident.title, answer.incident.status)
