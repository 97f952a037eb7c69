package auth

import "github.com/nightbell/nightbell/api/internal/kernel/fault"

// RegistrationMode says who may make an account.
type RegistrationMode string

// The modes. An empty one is RegistrationOpen.
const (
	RegistrationOpen   RegistrationMode = "open"
	RegistrationInvite RegistrationMode = "invite" // whoever was invited
	RegistrationClosed RegistrationMode = "closed" // nobody
)

// MayAccept returns nil when somebody with an invitation may make an account, and the refusal otherwise.
func (m RegistrationMode) MayAccept() error {
	if m == RegistrationClosed {
		return m.MayRegister(true)
	}
	return nil
}

// MayRegister returns nil when somebody without an invitation may make an account, and the
// refusal otherwise. The first account of an installation is always allowed.
func (m RegistrationMode) MayRegister(accountsExist bool) error {
	switch {
	case !accountsExist, m == RegistrationOpen, m == "":
		return nil
	case m == RegistrationInvite:
		return fault.New(fault.Denied, "registration_by_invitation",
			"Registration is by invitation here. Ask an admin of your organization to invite you.")
	default:
		return fault.New(fault.Denied, "registration_closed",
			"Registration is closed here. Ask whoever runs this Nightbell for an account.")
	}
}
