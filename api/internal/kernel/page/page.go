// Package page makes the cursors of long lists: the place after the last row of a
// page, as text that callers hand back unread.
//
// Lists are ordered by time and key, so that a place is a time and a key (keyset
// paging), and a page costs the same however deep it lies. Example:
//
//	next := page.Encode(orgID, last.TriggeredAt, last.ID)
//	...
//	at, id, err := page.Decode(orgID, request.Cursor)
//	// WHERE (triggered_at, id) < (@at, @id) ORDER BY triggered_at DESC, id DESC
package page

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// A cursor is 8 bytes of time, 16 of key and 8 that bind both to an organization.
const (
	keyAt   = 8
	tagAt   = keyAt + 16
	size    = tagAt + 8
	length  = (size*8 + 5) / 6 // in base64
	version = "nightbell page 1"
)

// ErrCursor refuses a cursor that is none of the list.
var ErrCursor = fault.InvalidField("cursor", fault.BadFormat, "This cursor does not belong to this list. Start again without a cursor.")

// Encode makes the cursor of a row of an organization: 43 characters that are safe
// in a URL. The time is kept to the microsecond, as PostgreSQL has it. A uuid.UUID
// can be passed for either key.
func Encode(orgID [16]byte, at time.Time, id [16]byte) string {
	place := make([]byte, 0, size)
	place = binary.BigEndian.AppendUint64(place, uint64(at.UnixMicro()))
	place = append(place, id[:]...)
	return base64.RawURLEncoding.EncodeToString(append(place, tag(orgID, place)...))
}

// Decode reads a cursor that Encode made for the same organization. Anything else is refused with the same fault, so
// that nobody learns whether a cursor was good elsewhere. A cursor is no permission: it says where to start in rows
// that the caller may see anyway.
func Decode(orgID [16]byte, text string) (at time.Time, id [16]byte, err error) {
	place, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(text) != length || len(place) != size || // line breaks in it would be ignored
		!bytes.Equal(place[tagAt:], tag(orgID, place[:tagAt])) {
		return time.Time{}, id, ErrCursor
	}
	copy(id[:], place[keyAt:tagAt])
	return time.UnixMicro(int64(binary.BigEndian.Uint64(place))).UTC(), id, nil
}

// tag ties a place to its organization. It is no secret and needs none: whoever
// forges one only chooses a place in a list of their own.
func tag(orgID [16]byte, place []byte) []byte {
	hash := sha256.New()
	hash.Write([]byte(version))
	hash.Write(orgID[:])
	hash.Write(place)
	return hash.Sum(nil)[:size-tagAt]
}
