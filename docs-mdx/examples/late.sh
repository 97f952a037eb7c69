#!/bin/sh
# An event that was kept back: when it happened, and what the clock here shows now.
set -eu
# #region late
curl -fsS "$NIGHTBELL_BASE_URL/v1/events" \
  -H "Authorization: Bearer $NIGHTBELL_SERVICE_KEY" \
  -H 'Content-Type: application/json' \
  -H 'Idempotency-Key: orders-stopped-2026-11-22' \
  -H "Nightbell-Sent-At: $(date -u +%Y-%m-%dT%H:%M:%SZ)" \
  -d '{"title": "Orders stopped", "severity": "critical", "dedup_key": "orders", "occurred_at": "2026-11-22T03:00:00Z"}'
# #endregion
