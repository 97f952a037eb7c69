package nightbell

import (
	"crypto/rand"
	"encoding/hex"
	"time"
)

// newID is a UUIDv7: it sorts by time and never repeats.
func newID() string {
	var random [10]byte
	_, _ = rand.Read(random[:]) // it never fails
	return uuid7(time.Now(), random)
}

func uuid7(at time.Time, random [10]byte) string {
	var b [16]byte
	ms := uint64(max(at.UnixMilli(), 0))
	for i := range 6 {
		b[i] = byte(ms >> (40 - 8*i))
	}
	copy(b[6:], random[:])
	return format(b, 7)
}

func format(b [16]byte, version byte) string {
	b[6] = version<<4 | b[6]&0x0f
	b[8] = 0x80 | b[8]&0x3f
	var s [36]byte
	hex.Encode(s[0:], b[0:4])
	hex.Encode(s[9:], b[4:6])
	hex.Encode(s[14:], b[6:8])
	hex.Encode(s[19:], b[8:10])
	hex.Encode(s[24:], b[10:16])
	s[8], s[13], s[18], s[23] = '-', '-', '-', '-'
	return string(s[:])
}
