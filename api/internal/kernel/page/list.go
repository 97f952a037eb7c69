package page

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"slices"

	"github.com/nightbell/nightbell/api/internal/kernel/id"
)

// tagSize is the size of what binds a mark to an organization and a list.
const tagSize = 8

// Mark makes the cursor of a row whose place in a list is a key of several texts, such as its name
// and its id. It is bound to the organization and the list.
func Mark(orgID [16]byte, list string, key ...string) string {
	place, _ := json.Marshal(key) // strings can always be written
	return base64.RawURLEncoding.EncodeToString(append(place, tag(orgID, append([]byte(list), place...))[:tagSize]...))
}

// Read gives the key of n texts that Mark made a cursor of, for the same organization and list;
// nil for no cursor. Anything else is refused with the fault of Decode.
func Read(orgID [16]byte, list, cursor string, n int) (key []string, err error) {
	if cursor == "" {
		return nil, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	if err != nil || len(raw) < tagSize {
		return nil, ErrCursor
	}
	place, bound := raw[:len(raw)-tagSize], raw[len(raw)-tagSize:]
	if !bytes.Equal(bound, tag(orgID, append([]byte(list), place...))) || json.Unmarshal(place, &key) != nil || len(key) != n {
		return nil, ErrCursor
	}
	return key, nil
}

// Next takes the row that was read beyond the limit, to learn that there are more, off a page, and
// gives the cursor of what follows; nil on the last page.
func Next[T any](rows []T, limit int, cursor func(last T) string) ([]T, *string) {
	if len(rows) <= limit {
		return rows, nil
	}
	return rows[:limit], new(cursor(rows[limit-1]))
}

// Cut gives a page of a short list that was read as a whole, in the order of its keys. No two rows
// have the same key, and a row keeps its own, so that rows that come and go move no other.
func Cut[T any](orgID [16]byte, list string, rows []T, limit int, cursor string, key func(T) string) ([]T, *string, error) {
	after, err := Read(orgID, list, cursor, 1)
	if err != nil {
		return nil, nil, err
	}
	type keyed struct {
		key string
		row T
	}
	var following []keyed
	for _, row := range rows {
		if place := (keyed{key(row), row}); after == nil || place.key > after[0] {
			following = append(following, place)
		}
	}
	slices.SortFunc(following, func(a, b keyed) int { return cmp.Compare(a.key, b.key) })
	following, next := Next(following, limit, func(last keyed) string { return Mark(orgID, list, last.key) })
	rows = make([]T, len(following))
	for i, place := range following {
		rows[i] = place.row
	}
	return rows, next, nil
}

// Place is a page of a list in the order of names: how many rows to read, and after which.
type Place struct {
	Limit     int
	AfterName *string
	AfterID   *[16]byte
}

// Most is one row more than the page has, which tells that there is another page.
func (p Place) Most() *int32 { return new(int32(p.Limit) + 1) }

// ByName reads a request for a page of a list in the order of lower-case names and ids. Without a
// limit it is Longest.
func ByName(orgID [16]byte, list string, limit int32, cursor string) (Place, error) {
	place := Place{Limit: cmp.Or(int(limit), Longest)}
	key, err := Read(orgID, list, cursor, 2)
	if err != nil || key == nil {
		return place, err
	}
	after, ok := id.Parse(key[1])
	if !ok {
		return place, ErrCursor
	}
	place.AfterName, place.AfterID = &key[0], (*[16]byte)(&after)
	return place, nil
}

// Longest is how many rows a page has at most.
const Longest = 1000
