// Package nightbell will let a Go service send its own alerts and changes to
// Nightbell, and its name and version with them.
//
// Nothing is exported yet: this module holds the import path and its checks.
// Until the client is here, send alerts with any Alertmanager, or post JSON to
// the webhook URL that every service shows.
package nightbell
