package auth

import "testing"

func TestMayRegister(t *testing.T) {
	for _, c := range []struct {
		mode          RegistrationMode
		accountsExist bool
		may           bool
	}{
		{"", true, true},
		{RegistrationOpen, true, true},
		{RegistrationInvite, false, true},
		{RegistrationInvite, true, false},
		{RegistrationClosed, false, true},
		{RegistrationClosed, true, false},
		{"nonsense", true, false},
	} {
		if err := c.mode.MayRegister(c.accountsExist); (err == nil) != c.may {
			t.Errorf("%q, accounts exist %v: %v", c.mode, c.accountsExist, err)
		}
	}
}
