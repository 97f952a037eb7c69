#region doctor
bin/nightbell doctor
#endregion
#region serve
bin/nightbell serve --listen 127.0.0.1:9000 --data-dir /var/lib/nightbell
#endregion
#region explain
export NIGHTBELL_URL=http://127.0.0.1:8480
NIGHTBELL_API_KEY=your-api-key bin/nightbell explain --service "Checkout API" --severity critical --at 2026-11-28T03:00:00Z
#endregion
#region own-database
DATABASE_URL=postgres://nightbell@db1.internal,db2.internal/nightbell bin/nightbell serve
#endregion
#region migrate
DATABASE_URL=postgres://nightbell@db1.internal,db2.internal/nightbell bin/nightbell migrate up
#endregion
#region password-link
DATABASE_URL=postgres://nightbell@db1.internal,db2.internal/nightbell bin/nightbell password-link mara@example.com
#endregion
#region health
bin/nightbell healthcheck --listen 127.0.0.1:9000
#endregion
