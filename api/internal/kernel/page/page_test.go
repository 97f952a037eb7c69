package page

import (
	"strings"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var (
	ours   = [16]byte{1}
	theirs = [16]byte{2}
	row    = [16]byte{0xff, 0x80, 15: 7}
)

func TestRoundTrip(t *testing.T) {
	for _, at := range []time.Time{
		time.Date(2026, 11, 21, 8, 25, 38, 980858227, time.FixedZone("", 7200)),
		time.Unix(0, 0), time.Unix(-1, 0), time.Date(9999, 12, 31, 23, 59, 59, 999999000, time.UTC),
		{},
	} {
		text := Encode(ours, at, row)
		if len(text) != 43 || strings.ContainsAny(text, "+/=") {
			t.Errorf("%q is not fit for a URL", text)
		}
		gotAt, gotID, err := Decode(ours, text)
		if err != nil || gotID != row || !gotAt.Equal(at.Truncate(time.Microsecond)) || gotAt.Location() != time.UTC {
			t.Errorf("%s came back as %s, %x, %v", at, gotAt, gotID, err)
		}
	}
}

func TestForeignCursorsLookLikeGarbage(t *testing.T) {
	good := Encode(ours, time.Unix(1, 0), row)
	_, _, want := Decode(ours, "garbage")
	if !fault.Is(want, fault.Unprocessable) {
		t.Fatalf("got %v", want)
	}
	for name, text := range map[string]string{
		"empty":     "",
		"theirs":    Encode(theirs, time.Unix(1, 0), row),
		"padded":    good + "=",
		"short":     good[:42],
		"long":      good + "AAAA",
		"changed":   "B" + good[1:],
		"last bits": good[:42] + string(good[42]+1),
		"standard":  strings.Repeat("+", 43),
		"newline":   good[:20] + "\n" + good[20:],
		"huge":      strings.Repeat("A", 1<<20),
		"NUL":       strings.Repeat("\x00", 43),
	} {
		at, id, err := Decode(ours, text)
		if err == nil || err.Error() != want.Error() || !at.IsZero() || id != [16]byte{} {
			t.Errorf("%s: got %s, %x, %v", name, at, id, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(Encode(ours, time.Unix(1, 0), row))
	f.Add(Encode(theirs, time.Unix(1, 0), row))
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		if at, id, err := Decode(ours, text); err == nil && Encode(ours, at, id) != text {
			t.Errorf("%q has a twin", text)
		}
	})
}

func TestCutAsksEachRowOnceForItsKey(t *testing.T) {
	rows, asked := []string{"d", "b", "e", "a", "c"}, 0
	key := func(row string) string { asked++; return row }
	first, next, err := Cut(ours, "letters", rows, 2, "", key)
	if err != nil || strings.Join(first, "") != "ab" || next == nil || asked != len(rows) {
		t.Fatalf("%v, %v, asked %d times", first, err, asked)
	}
	second, next, err := Cut(ours, "letters", rows, 2, *next, key)
	if err != nil || strings.Join(second, "") != "cd" || next == nil {
		t.Fatalf("%v, %v", second, err)
	}
	if last, next, err := Cut(ours, "letters", rows, 2, *next, key); err != nil || strings.Join(last, "") != "e" || next != nil {
		t.Errorf("%v, %v, %v", last, next, err)
	}
}
