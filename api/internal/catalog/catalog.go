// Package catalog is the list of what a team runs: services, who owns them, what
// they depend on, how they are, and the keys by which senders reach them.
package catalog

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"

	"github.com/google/uuid"
)

// Grouping says how a service turns alerts into incidents.
type Grouping string

// The groupings of a service.
const (
	ByGroup Grouping = "group" // one incident per group of the sender
	ByAlert Grouping = "alert" // one incident per alert
)

// Health is how a service is, derived from its open incidents by incident.HealthOf.
type Health string

// The healths, from good to bad.
const (
	Healthy  Health = "healthy"
	Degraded Health = "degraded"
	Down     Health = "down"
)

// Route is where the alerts of a service key go.
type Route struct {
	OrgID       uuid.UUID
	ServiceID   uuid.UUID
	ServiceName string
	// PolicyID is the service's escalation policy, or else the organization's default.
	PolicyID uuid.UUID
	Grouping Grouping
}

// keyPrefix makes service keys easy to recognise, for people and secret scanners.
const keyPrefix = "nbs_"

// NewKey makes a service key of 192 random bits.
func NewKey() string {
	random := make([]byte, 24)
	_, _ = rand.Read(random) // never fails (crypto/rand)
	return keyPrefix + base64.RawURLEncoding.EncodeToString(random)
}

// HashKey is what is stored and looked up. A fast hash is enough for a key with
// this much randomness.
func HashKey(key string) []byte {
	sum := sha256.Sum256([]byte(key))
	return sum[:]
}

// KeyPlace is what the sealed copy of a service's key is bound to.
func KeyPlace(orgID, serviceID uuid.UUID) string {
	return "service_key/" + orgID.String() + "/" + serviceID.String()
}
