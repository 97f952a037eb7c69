// Package nightbell reports incidents, errors, changes and heartbeats of a Go
// program to Nightbell.
//
// Begin with [New]. [Client.TriggerIncident] waits for the id of the incident;
// [Client.EnqueueIncident], [Client.CaptureError] and everything else return at
// once: a bounded queue sends in batches and tries again under the same id, so that
// a lost answer never makes a second incident. [Client.Close] delivers what is left.
//
// Nothing here panics, blocks the program or ends it, and every method works on a
// nil *Client, where it does nothing.
//
// Files: client.go is the entry; event.go what is sent; queue.go, lane.go, retry.go
// and transport.go how it gets there; capture.go, monitor.go, heartbeat.go and
// job.go what makes events. proto/vectors says what the other languages do alike.
package nightbell

// Version of this SDK, as servers see it.
const Version = "0.1.0"
