package pgtest

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// Plan is a step of a plan, as EXPLAIN writes it.
type Plan map[string]any

// Querier is a transaction or a connection.
type Querier interface {
	QueryRow(ctx context.Context, sql string, arguments ...any) pgx.Row
}

// Explain carries a statement out and gives its plan, with what each step read.
func Explain(ctx context.Context, on Querier, sql string, arguments ...any) (Plan, error) {
	var text []byte
	if err := on.QueryRow(ctx, "EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT JSON) "+sql, arguments...).Scan(&text); err != nil {
		return nil, err
	}
	var plans []struct{ Plan Plan }
	if err := json.Unmarshal(text, &plans); err != nil {
		return nil, fmt.Errorf("read a plan: %w", err)
	}
	return plans[0].Plan, nil
}

// Number is a property of the step, 0 where it has none of that name.
func (p Plan) Number(name string) float64 {
	number, _ := p[name].(float64)
	return number
}

// Blocks is how many the step and all below it read, from memory or disk.
func (p Plan) Blocks() float64 { return p.Number("Shared Hit Blocks") + p.Number("Shared Read Blocks") }

// Of is how many rows of a table, or of its partitions, a plan reads, with those that no condition let through.
func (p Plan) Of(table string) (read float64, sequential bool) {
	if name, _ := p["Relation Name"].(string); name == table || strings.HasPrefix(name, table+"_") {
		read = (p.Number("Actual Rows") + p.Number("Rows Removed by Filter")) * p.Number("Actual Loops")
		sequential = p["Node Type"] == "Seq Scan"
	}
	below, _ := p["Plans"].([]any)
	for _, one := range below {
		rows, whole := Plan(one.(map[string]any)).Of(table)
		read, sequential = read+rows, sequential || whole
	}
	return read, sequential
}
