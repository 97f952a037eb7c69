package egress

import "testing"

// TestInnerNamesAreNotToldApart: a name that leads inside is refused in the words that are said
// of a name that does not exist (outgoing.explain).
func TestInnerNamesAreNotToldApart(t *testing.T) {
	for _, address := range []string{"10.0.0.1:443", "127.0.0.1:443", "169.254.169.254:443", "[fd00::1]:443", "192.168.1.1:5432"} {
		if err := (guard{}).control(address, true); err == nil || err.Error() != Unreachable {
			t.Errorf("%s: %v", address, err)
		}
	}
}
