package egress

import (
	"fmt"
	"net/netip"
	"slices"
	"syscall"
)

// controlFunc is net.Dialer.Control: it sees every address before it is connected to.
type controlFunc func(network, address string, conn syscall.RawConn) error

// guard decides which addresses may be reached.
type guard struct {
	allow []netip.Prefix
}

func newGuard(allow []netip.Prefix) guard {
	own := make([]netip.Prefix, 0, len(allow))
	for _, prefix := range allow {
		if prefix.IsValid() {
			own = append(own, prefix.Masked())
		}
	}
	return guard{allow: own}
}

// region is a part of the address space that is not the public internet.
type region struct {
	prefix netip.Prefix
	what   string
}

// closed is written out, because the predicates of package net let a dozen of these
// through: carrier-grade NAT, NAT64, 6to4, Teredo, 0.0.0.0/8, 240.0.0.0/4 and more.
var closed = regions(map[string][]string{
	"on this computer": {"0.0.0.0/8", "127.0.0.0/8", "::/127"},
	"in a private network": {
		"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", // the last: carrier-grade NAT
		"fc00::/7", "fec0::/10",
	},
	"in a link-local network": {"169.254.0.0/16", "fe80::/10"},
	"reserved for protocols, tests or documentation": {
		"192.0.0.0/24", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24", "240.0.0.0/4",
		"100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16",
	},
	"a multicast address": {"224.0.0.0/4", "ff00::/8"},
	// Each of these can stand for any IPv4 address, also a private one.
	"a translated IPv4 address": {
		"::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48",
		"2002::/16", "2001::/32", "192.88.99.0/24",
	},
})

// global is all of IPv6 that is routed on the internet.
var global = netip.MustParsePrefix("2000::/3")

// metadata are the addresses where clouds hand out credentials to whoever asks.
// They are never reached, whatever is allowed.
var metadata = []netip.Addr{
	netip.MustParseAddr("169.254.169.254"), // AWS, Google, Azure, Oracle, DigitalOcean
	netip.MustParseAddr("169.254.170.2"),   // AWS ECS
	netip.MustParseAddr("169.254.170.23"),  // AWS EKS
	netip.MustParseAddr("fd00:ec2::254"),   // AWS
	netip.MustParseAddr("fd00:ec2::23"),    // AWS EKS
	netip.MustParseAddr("fd20:ce::254"),    // Google
	netip.MustParseAddr("100.100.100.200"), // Alibaba
	netip.MustParseAddr("168.63.129.16"),   // Azure, though it looks public
	netip.MustParseAddr("192.0.0.192"),     // Oracle
}

func regions(table map[string][]string) []region {
	var all []region
	for what, prefixes := range table {
		for _, prefix := range prefixes {
			all = append(all, region{netip.MustParsePrefix(prefix), what})
		}
	}
	// The narrowest first, so that a sentence names what an address is most precisely.
	slices.SortFunc(all, func(a, b region) int { return b.prefix.Bits() - a.prefix.Bits() })
	return all
}

// controlSecure checks connections that will speak TLS.
func (g guard) controlSecure(_, address string, _ syscall.RawConn) error {
	return g.control(address, true)
}

// controlPlain checks connections for plain http.
func (g guard) controlPlain(_, address string, _ syscall.RawConn) error {
	return g.control(address, false)
}

// control refuses with one sentence for all reasons: where a name leads inside the
// operator's network is nothing a tenant should learn.
func (g guard) control(address string, secure bool) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || g.check(to.Addr(), to.Port(), secure) != nil {
		return &Refusal{Unreachable}
	}
	return nil
}

// check decides on one resolved address. It returns a *Refusal or nil.
func (g guard) check(ip netip.Addr, port uint16, secure bool) error {
	ip = ip.WithZone("").Unmap()
	switch {
	case isMetadata(ip):
		return refusef("%s is a cloud metadata address, which is never reached. Enter another address.", ip)
	case g.allows(ip):
		return nil
	case !secure:
		return refusef("%s can only be reached by https. Use https://, or let the operator allow its network with %s.", ip, allowVariable)
	}
	if what := closedAs(ip); what != "" {
		return refusef("%s is %s, which is not reached from here. Enter a public address, or let the operator allow it with %s.",
			ip, what, allowVariable)
	}
	return checkPort(port)
}

// Unreachable is said of a host name that does not exist and of one that leads into a closed
// network alike: which of them it is would tell a tenant what names the inner network knows.
const Unreachable = "This host name leads to no address that is reached from here. " +
	"Enter a public https address on port 443 or 8443, or let the operator allow its network with " + allowVariable + "."

// allowVariable is the setting that fills Options.Allow.
const allowVariable = "NIGHTBELL_EGRESS_ALLOW"

func checkPort(port uint16) error {
	if port == 443 || port == 8443 {
		return nil
	}
	return refusef("Port %d cannot be reached; 443 and 8443 can. Use one of them, or let the operator allow the network with %s.",
		port, allowVariable)
}

func (g guard) allows(ip netip.Addr) bool {
	return slices.ContainsFunc(g.allow, func(prefix netip.Prefix) bool { return prefix.Contains(ip) })
}

// closedAs names the region an address is in; it is empty for a public address.
func closedAs(ip netip.Addr) string {
	for _, r := range closed {
		if r.prefix.Contains(ip) {
			return r.what
		}
	}
	if ip.Is6() && !global.Contains(ip) {
		return "not a public IPv6 address"
	}
	return ""
}

// isMetadata also sees metadata addresses inside translated ones, should an
// operator have allowed a translating network.
func isMetadata(ip netip.Addr) bool {
	if slices.Contains(metadata, ip) {
		return true
	}
	if !ip.Is6() {
		return false
	}
	bytes := ip.As16()
	last, sixToFour := netip.AddrFrom4([4]byte(bytes[12:16])), netip.AddrFrom4([4]byte(bytes[2:6]))
	return slices.Contains(metadata, last) || (bytes[0] == 0x20 && bytes[1] == 0x02 && slices.Contains(metadata, sixToFour))
}

func refusef(format string, args ...any) *Refusal {
	return &Refusal{fmt.Sprintf(format, args...)}
}
