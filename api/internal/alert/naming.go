package alert

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The ways a service may turn alerts into incidents.
const (
	// ByGroup makes one incident of a sender's group of alerts.
	ByGroup = "group"
	// ByAlert makes one incident of every alert.
	ByAlert = "alert"
)

// keyLimit keeps keys well below what a PostgreSQL index entry may hold (2,704 bytes).
const keyLimit = 512

// IncidentKey names what the incident of an alert is about, under a service's
// grouping. At most one incident per service and key is open. An alert without a
// group, and every unknown grouping, is on its own.
func IncidentKey(grouping string, r Received) string {
	if grouping == ByGroup && r.Group != "" {
		return BoundKey("group:" + r.Group)
	}
	return BoundKey("alert:" + r.Key)
}

// IncidentTitle is the title of an incident that this alert opens. It is never empty.
func IncidentTitle(grouping string, r Received) string {
	title := r.Title
	if grouping == ByGroup && r.Group != "" {
		title = cmp.Or(strings.TrimSpace(r.GroupTitle), title)
	}
	return cmp.Or(strings.TrimSpace(title), strings.TrimSpace(r.Key), "Untitled alert")
}

// IncidentDescription is the description of an incident that this alert opens. Where
// the title is the group's, it begins with the alert's own words, which would be
// nowhere in a page otherwise.
func IncidentDescription(grouping string, r Received) string {
	own := strings.TrimSpace(r.Title)
	if own == "" || own == IncidentTitle(grouping, r) || strings.HasPrefix(r.Description, own) {
		return r.Description
	}
	return strings.TrimSpace(own + "\n" + r.Description)
}

// BoundKey returns key as it is when an index can hold it, and otherwise its
// beginning followed by a digest of the whole: long keys stay apart and readable.
func BoundKey(key string) string {
	if len(key) <= keyLimit {
		return key
	}
	digest := sha256.Sum256([]byte(key))
	suffix := "…" + hex.EncodeToString(digest[:])
	return strings.ToValidUTF8(key[:keyLimit-len(suffix)], "") + suffix
}
