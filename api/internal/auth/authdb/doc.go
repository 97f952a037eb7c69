// Package authdb stores accounts, sessions, known devices, API keys and the audit
// log. The queries are the .sql files; the Go beside them is generated from these
// (make generate-sql). Accounts, sessions and devices belong to no organization
// and can be written as nightbell_system only.
package authdb
