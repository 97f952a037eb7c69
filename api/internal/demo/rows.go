package demo

import (
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"
)

// rows collects what will be written, so that each table takes one statement.
type rows struct{ tables []*table }

type table struct {
	name, columns string
	rows          [][]any
}

// add appends a row. Tables are written in the order of their first rows, so rows
// that others point at come first. All rows of a table name the same columns.
func (r *rows) add(name, columns string, values ...any) {
	for _, known := range r.tables {
		if known.name == name && known.columns == columns {
			known.rows = append(known.rows, values)
			return
		}
	}
	r.tables = append(r.tables, &table{name, columns, [][]any{values}})
}

// queue adds the statements to a pipelined batch.
func (r *rows) queue(batch *pgx.Batch) {
	for _, t := range r.tables {
		sql, values := t.insert()
		batch.Queue(sql, values...)
	}
}

func (t *table) insert() (sql string, values []any) {
	var text strings.Builder
	fmt.Fprintf(&text, "INSERT INTO %s (%s) VALUES ", t.name, t.columns)
	for i, row := range t.rows {
		separator := "("
		if i > 0 {
			text.WriteString(", ")
		}
		for _, value := range row {
			values = append(values, value)
			fmt.Fprintf(&text, "%s$%d", separator, len(values))
			separator = ", "
		}
		text.WriteString(")")
	}
	return text.String(), values
}
