package catalogdb

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/nightbell/nightbell/api/internal/catalog"
	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/id"
	"github.com/nightbell/nightbell/api/internal/platform/postgres"
)

// Samples are readings of one name of a service. CallID is Nil for a call without an id.
type Samples struct {
	ServiceID, CallID uuid.UUID
	Hash              [sha256.Size]byte
	Name, Unit        string
	Points            []catalog.Point
}

// One statement, however many points: the call, unless it was made before, the name, unless there
// are too many, and the minutes in their order, so that no two calls deadlock. A count that is full stays so.
const keepSamplesSQL = `
WITH call AS (
    INSERT INTO sample_call AS c (org_id, service_id, id, request_hash, created_at)
    SELECT $1, $2, $3, $4, $5 WHERE $3::uuid IS NOT NULL
    ON CONFLICT (org_id, service_id, id) DO UPDATE SET created_at = c.created_at
    RETURNING xmax <> 0 AS replayed, c.request_hash <> $4 AS mismatch),
series AS (
    INSERT INTO sample_series AS s (org_id, service_id, name, unit, written_at)
    SELECT $1, $2, $6, $7, $5
    WHERE NOT EXISTS (SELECT FROM call WHERE replayed)
      AND (EXISTS (SELECT FROM sample_series WHERE org_id = $1 AND service_id = $2 AND name = $6)
           OR (SELECT count(*) FROM sample_series WHERE org_id = $1 AND service_id = $2) < $15
              AND (SELECT count(*) FROM sample_series WHERE org_id = $1) < $16)
    ON CONFLICT (org_id, service_id, name) DO UPDATE
        SET written_at = excluded.written_at, unit = coalesce(nullif(excluded.unit, ''), s.unit)
    RETURNING s.name),
kept AS (
    INSERT INTO sample AS m (org_id, service_id, name, at, sample_count, sum, min, max, last, last_at)
    SELECT $1, $2, series.name, minute.*
    FROM series, unnest($8::timestamptz[], $9::integer[], $10::float8[], $11::float8[], $12::float8[], $13::float8[], $14::timestamptz[]) AS minute
    ON CONFLICT (org_id, service_id, name, at) DO UPDATE
        SET sample_count = least(2147483647, m.sample_count::bigint + excluded.sample_count), sum = m.sum + excluded.sum,
            min = least(m.min, excluded.min), max = greatest(m.max, excluded.max),
            last = CASE WHEN excluded.last_at >= m.last_at THEN excluded.last ELSE m.last END,
            last_at = greatest(m.last_at, excluded.last_at))
SELECT coalesce((SELECT replayed FROM call), false), coalesce((SELECT mismatch FROM call), false), EXISTS (SELECT FROM series)`

// KeepSamples stores samples at now, and tells whether the call was made before (replayed), and
// whether it said something else then. Points that are too old or ahead are refused with
// invalid_fields, and so is a name too many; the transaction is then to be rolled back.
func KeepSamples(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, s Samples, now time.Time) (replayed, mismatch bool, err error) {
	if i := catalog.Timely(s.Points, now); i >= 0 {
		return false, false, fault.InvalidField(fmt.Sprintf("points[%d].at", i), fault.OutOfRange,
			"The time of a point must lie within the last seven days, and at most five minutes ahead.")
	}
	minutes := catalog.PerMinute(s.Points)
	n := len(minutes)
	at, counts, lastAt := make([]time.Time, n), make([]int32, n), make([]time.Time, n)
	sums, least, most, last := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
	for i, m := range minutes {
		at[i], counts[i], sums[i], least[i], most[i], last[i], lastAt[i] = m.At, m.Count, m.Sum, m.Min, m.Max, m.Last, m.LastAt
	}
	var room bool
	err = tx.QueryRow(ctx, keepSamplesSQL, orgID, s.ServiceID, postgres.Null(s.CallID), s.Hash[:], now, s.Name, s.Unit,
		at, counts, sums, least, most, last, lastAt, catalog.SampleNamesOfService, catalog.SampleNamesOfOrg).Scan(&replayed, &mismatch, &room)
	if err == nil && !replayed && !room {
		err = fault.InvalidField("name", fault.OutOfRange, fmt.Sprintf(
			"A service has samples of at most %d names, an organization of %d. Send points of the names that there are.",
			catalog.SampleNamesOfService, catalog.SampleNamesOfOrg))
	}
	return replayed, mismatch, err
}

// NamedRoute finds a service by its id or its name, or fails with pgx.ErrNoRows.
func NamedRoute(ctx context.Context, tx pgx.Tx, orgID uuid.UUID, service string) (catalog.Route, error) {
	route := catalog.Route{OrgID: orgID}
	serviceID, _ := id.Parse(service)
	err := tx.QueryRow(ctx, `SELECT id, name FROM service WHERE org_id = $1 AND deleted_at IS NULL AND (id = $2 OR lower(name) = lower($3))
		ORDER BY id = $2 DESC LIMIT 1`, orgID, serviceID, service).Scan(&route.ServiceID, &route.ServiceName)
	return route, err
}

// Series is the readings of one name, by the step.
type Series struct {
	Name, Unit string
	Points     []catalog.Minute
}

// SeriesOf gives the names of a service's samples, those that are wanted or all, without points.
func SeriesOf(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, names []string) ([]Series, error) {
	rows, err := tx.Query(ctx, `SELECT name, unit FROM sample_series
		WHERE org_id = $1 AND service_id = $2 AND (cardinality($3::text[]) = 0 OR name = ANY ($3)) ORDER BY name`, orgID, serviceID, append([]string{}, names...))
	if err != nil {
		return nil, err
	}
	return pgx.CollectRows(rows, func(row pgx.CollectableRow) (s Series, err error) {
		return s, row.Scan(&s.Name, &s.Unit)
	})
}

// ReadSamples fills in the points of a series, from since until before until, added up by the step.
func ReadSamples(ctx context.Context, tx pgx.Tx, orgID, serviceID uuid.UUID, series *Series, since, until time.Time, step time.Duration) error {
	rows, err := tx.Query(ctx, `
		SELECT date_bin($6::interval, at, 'epoch'), least(2147483647, sum(sample_count))::integer, sum(sum), min(min), max(max), (array_agg(last ORDER BY last_at DESC))[1], max(last_at)
		FROM sample WHERE org_id = $1 AND service_id = $2 AND name = $3 AND at >= $4 AND at < $5
		GROUP BY 1 ORDER BY 1`, orgID, serviceID, series.Name, since, until, step)
	if err != nil {
		return err
	}
	series.Points, err = pgx.CollectRows(rows, pgx.RowToStructByPos[catalog.Minute])
	return err
}
