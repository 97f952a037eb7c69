# What the quick reference tells its readers to type, in an empty folder beside a checkout of Nightbell.

#region get
git clone https://github.com/nightbell/nightbell && cd nightbell
make run
#endregion

#region environment
export NIGHTBELL_BASE_URL=http://127.0.0.1:8480
export NIGHTBELL_SERVICE_KEY=nbs_your-key
#endregion

#region node-install
make -C ../nightbell node-client
npm init -y && npm pkg set type=module
npm install ../nightbell/sdk-node
#endregion

#region node-run
node trigger.js
#endregion

#region python-install
python3 -m venv .venv
.venv/bin/pip install ../nightbell/sdk-python
#endregion

#region python-run
.venv/bin/python trigger.py
#endregion

#region go-install
go mod init example.com/orders
go mod edit -require=github.com/nightbell/nightbell/sdk-go@v0.0.0 -replace=github.com/nightbell/nightbell/sdk-go=../nightbell/sdk-go
#endregion

#region go-run
go run .
#endregion

#region java-run
java Trigger.java
#endregion

#region php-run
php trigger.php
#endregion

#region ruby-run
ruby trigger.rb
#endregion

#region alert
curl -fsS "$NIGHTBELL_BASE_URL/v1/webhooks/prometheus/$NIGHTBELL_SERVICE_KEY" -H 'Content-Type: application/json' -d '{
  "version": "4", "groupKey": "test", "status": "firing",
  "alerts": [{"status": "firing", "labels": {"alertname": "TestAlert", "severity": "warning"},
    "annotations": {"summary": "A test alert"}}]}'
#endregion

#region event
curl -fsS "$NIGHTBELL_BASE_URL/v1/events" -H "Authorization: Bearer $NIGHTBELL_SERVICE_KEY" -H 'Content-Type: application/json' -d '{
  "title": "Orders stopped", "severity": "critical", "dedup_key": "orders-stopped",
  "tags": {"type": "business"}, "metadata": {"orders_count": 3}}'
#endregion

#region ping
curl -fsS "$NIGHTBELL_BASE_URL/v1/heartbeats/nightly-backup/ping/$NIGHTBELL_SERVICE_KEY?every_seconds=86400&grace_seconds=3600"
#endregion

#region change
curl -fsS "$NIGHTBELL_BASE_URL/v1/changes" -H "Authorization: Bearer $NIGHTBELL_SERVICE_KEY" -H 'Content-Type: application/json' -d '{
  "summary": "Deploy 2026.11.3", "kind": "deployment", "version": "2026.11.3", "author": "ada"}'
#endregion
