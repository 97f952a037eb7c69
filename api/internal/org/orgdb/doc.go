// Package orgdb stores organizations, members and teams. The queries are the .sql
// files; the Go beside them is generated from these (make generate-sql).
package orgdb
