package notify

import (
	"crypto/rand"
	"encoding/base64"
	netmail "net/mail"
	"net/url"
	"strings"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
	"github.com/nightbell/nightbell/api/internal/kernel/plaintext"
)

// Secret reports whether an address of this kind gives access by itself, so that it
// is sealed and only its hint is shown.
func (k Kind) Secret() bool { return k == Webhook || k == Slack }

// MostOfPerson is how many contact methods people may have when they add one for themselves.
const MostOfPerson = 20

// MostRulesOfPerson is how many notification rules people may have when one is added: each writes a page for
// each incident.
const MostRulesOfPerson = 50

// SigningSecretPrefix is how Standard Webhooks writes secrets.
const SigningSecretPrefix = "whsec_"

// NewSigningSecret makes 32 random bytes and their form for people.
func NewSigningSecret() (secret []byte, text string) {
	secret = make([]byte, 32)
	_, _ = rand.Read(secret) // never fails (crypto/rand)
	return secret, SigningSecretPrefix + base64.StdEncoding.EncodeToString(secret)
}

// CheckAddress cleans an address of this kind and gives the hint that is shown for
// it. The refusal names the field. Whether a URL may be called is the egress
// client's to say.
func CheckAddress(kind Kind, address string) (clean, hint string, err error) {
	address = strings.TrimSpace(address)
	if wrong := plaintext.Check(address); wrong != "" {
		return "", "", refuseAddress("The address " + wrong + ".")
	}
	if kind == Email {
		parsed, err := netmail.ParseAddress(address)
		if err != nil || parsed.Address != address || !strings.Contains(address, "@") {
			return "", "", refuseAddress("Enter an e-mail address, for example ada@example.com.")
		}
		return address, address, nil
	}
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" || strings.Contains(address, masked) {
		return "", "", refuseAddress("Enter the whole URL, for example https://hooks.example.com/nightbell.")
	}
	return address, urlHint(parsed), nil
}

// masked stands for the secret part of an address in its hint; no address holds it.
const masked = "…"

// urlHint shows whose webhook it is and nothing that calls it.
func urlHint(address *url.URL) string {
	hint := address.Scheme + "://" + address.Host
	if strings.Trim(address.Path, "/") != "" || address.RawQuery != "" {
		hint += "/" + masked
	}
	return hint
}

// MaskHint is what everybody of an organization is shown of a contact: of an e-mail address its first
// character and its domain. The whole is for the person and admins, among the contact methods.
func MaskHint(hint string) string {
	local, domain, isMail := strings.Cut(hint, "@")
	if !isMail || local == "" {
		return hint
	}
	return string([]rune(local)[:1]) + masked + "@" + domain
}

func refuseAddress(sentence string) error {
	return fault.InvalidField("address", fault.BadFormat, sentence)
}
