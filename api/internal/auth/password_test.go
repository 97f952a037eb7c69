package auth

import (
	"strings"
	"testing"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

func TestCheckPassword(t *testing.T) {
	about := []string{"Dana Whitfield", "dana.whitfield@acme-rockets.example", "Acme Rockets"}
	for _, c := range []struct {
		password string
		ok       bool
	}{
		{"", false},
		{"short", false},
		{"elevenchars", false},
		{"correct horse battery staple", true},
		{"velvet-otter-lamp-42", true},
		{"kX9$vQ2m!pL7", true},
		{"7391064825917", true},
		{"7391#love#82640571", true},
		{"żółwięta łódź", true},   // 13 characters, 21 bytes
		{"велосипед гроза", true}, // 15 characters, 29 bytes
		{"гроза гром", false},     // 10 characters, though 19 bytes
		{strings.Repeat("qT7 ", 20), false},
		{longPassword(256), true},
		{longPassword(257), false},
		{longPassword(200) + strings.Repeat("x", 20), true}, // nothing is cut off at 72 bytes
		{"password\x00 and more text", true},
		{"bad \xff bytes are not text", false},
		// well known, as they are and dressed up
		{"1qaz2wsx3edc", false},
		{"QWERTY123456", false},
		{"password1234", false},
		{"P@ssw0rd2026!", false},
		{"Football2026!!", false},
		{"monkeydragon1", false},
		{"dragondragondragon", false},
		{"123456789012", false},
		{"abcdefghijklm", false},
		{"qwertyuiop[]", false},
		{"poiuytrewqlkj", false},
		{"aaaaaaaaaaaaa", false},
		{"abcabcabcabcabc", false},
		{"121212121212", false},
		// what an attacker knows
		{"nightbell2026!", false},
		{"Nightbell-oncall-1", false},
		{"danawhitfield1", false},
		{"Whitfield#2026", false},
		{"acmerockets2026", false},
		{"acme-rockets-1", false},
		{"Acme Rockets 1999", false},
		{"whitfield makes good lemon cake", true},
	} {
		err := CheckPassword(c.password, about...)
		if (err == nil) != c.ok {
			t.Errorf("%q: got %v, want ok=%v", c.password, err, c.ok)
		}
		if refusal, isFault := fault.Of(err); err != nil && (!isFault || refusal.Kind != fault.Unprocessable ||
			len(refusal.Fields) != 1 || refusal.Fields[0].Path != "password") {
			t.Errorf("%q: the refusal does not name the field: %v", c.password, err)
		}
	}
}

// longPassword is a password of n characters that no rule of a few words describes.
func longPassword(n int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		b.WriteByte("kTq8vZ3rLm9wXs2jHd5c"[i*i*7%20])
		b.WriteByte("!aPz@9dRf#7uYe%4tGb&"[(i*13+i*i)%20])
	}
	return b.String()[:n]
}

func TestTheListHoldsLongPasswords(t *testing.T) {
	long := 0
	for word := range wellKnown() {
		if len(word) >= MinPasswordLength {
			long++
		}
		if word != strings.ToLower(word) {
			t.Errorf("%q is not in lower case and would never be found", word)
		}
	}
	if total := len(wellKnown()); total < 2000 || long < 300 {
		t.Errorf("the list has %d passwords, %d of them long", total, long)
	}
}

func FuzzCheckPassword(f *testing.F) {
	f.Add("correct horse battery staple", "Dana")
	f.Add("\xff\x00", "@")
	f.Fuzz(func(t *testing.T, password, about string) {
		if err := CheckPassword(password, about); err != nil && !fault.Is(err, fault.Unprocessable) {
			t.Errorf("not a refusal: %v", err)
		}
	})
}
