package egress

import (
	"net/netip"
	"net/url"
	"strconv"
	"strings"
)

const maxURL = 2048

// CheckURL says whether an address can be used, as far as that can be seen without
// resolving its name. It returns nil or a *Refusal. Do checks again, and more.
func (c *Client) CheckURL(raw string) error {
	if len(raw) > maxURL {
		return refusef("The address is longer than %d characters. Enter a shorter one.", maxURL)
	}
	parsed, err := url.Parse(raw)
	if err != nil || parsed.Host == "" || parsed.Opaque != "" {
		return refusef("This is not a complete web address. Enter one such as https://hooks.example.com/path.")
	}
	return c.guard.checkURL(parsed)
}

func (g guard) checkURL(address *url.URL) error {
	switch {
	case address.Scheme != "https" && address.Scheme != "http":
		return refusef("Only https addresses can be reached. Enter one that begins with https://.")
	case address.Scheme == "http" && len(g.allow) == 0:
		return refusef("The address must begin with https://. Plain http is possible only in networks that the operator allows with %s.", allowVariable)
	case address.User != nil:
		return refusef("The address must not contain a user name or password. Remove the part before the @.")
	}
	port, err := portOf(address)
	if err != nil {
		return err
	}
	host := strings.TrimSuffix(strings.ToLower(address.Hostname()), ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		host = "127.0.0.1"
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		return g.checkLiteral(ip, port, address.Scheme == "https")
	}
	if !isName(host) {
		return refusef("%.100q is neither a host name nor an IP address. Enter one of them; names in other scripts in their xn-- form.", host)
	}
	if len(g.allow) == 0 {
		return checkPort(port)
	}
	return nil // whether this port or plain http is fine depends on where the name leads
}

func (g guard) checkLiteral(ip netip.Addr, port uint16, secure bool) error {
	if ip.Zone() != "" {
		return refusef("The address must not name a network interface. Remove the part after the %%.")
	}
	return g.check(ip, port, secure)
}

func portOf(address *url.URL) (uint16, error) {
	if address.Port() == "" {
		if address.Scheme == "http" {
			return 80, nil
		}
		return 443, nil
	}
	port, err := strconv.ParseUint(address.Port(), 10, 16)
	if err != nil || port == 0 {
		return 0, refusef("%.20q is not a port. Enter 443 or 8443, or leave it out.", address.Port())
	}
	return uint16(port), nil
}

// isName holds for what can only be a name. Some resolvers read 2130706433, 0x7f.1
// and 127.1 as addresses, so the last label must not begin with a digit.
func isName(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	labels := strings.Split(host, ".")
	for _, label := range labels {
		if label == "" || len(label) > 63 || strings.Trim(label, "abcdefghijklmnopqrstuvwxyz0123456789-_") != "" {
			return false
		}
	}
	last := labels[len(labels)-1]
	return last[0] < '0' || last[0] > '9'
}
