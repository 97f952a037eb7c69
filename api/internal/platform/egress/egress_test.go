package egress

import (
	"context"
	"crypto/x509"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

var addresses = []struct {
	ip   string
	open bool
}{
	// Public, also right beside a closed region.
	{"1.1.1.1", true},
	{"8.8.8.8", true},
	{"93.184.216.34", true},
	{"9.255.255.255", true},
	{"11.0.0.0", true},
	{"100.63.255.255", true},
	{"100.128.0.0", true},
	{"126.255.255.255", true},
	{"128.0.0.0", true},
	{"169.253.255.255", true},
	{"172.15.255.255", true},
	{"172.32.0.0", true},
	{"192.167.255.255", true},
	{"192.169.0.0", true},
	{"198.17.255.255", true},
	{"198.20.0.0", true},
	{"223.255.255.255", true},
	{"2606:4700::1111", true},
	{"2a00:1450:4001::8a", true},
	{"2001:200::1", true},
	{"2001:4860:4860::8888", true},
	// This computer.
	{"0.0.0.0", false},
	{"0.1.2.3", false},
	{"127.0.0.1", false},
	{"127.255.255.254", false},
	{"::", false},
	{"::1", false},
	// Private networks and carrier-grade NAT.
	{"10.0.0.0", false},
	{"10.255.255.255", false},
	{"172.16.0.1", false},
	{"172.31.255.255", false},
	{"192.168.0.1", false},
	{"192.168.255.255", false},
	{"100.64.0.0", false},
	{"100.127.255.255", false},
	{"fc00::1", false},
	{"fdff::1", false},
	{"fec0::1", false},
	// Link-local.
	{"169.254.0.1", false},
	{"fe80::1", false},
	{"fe80::1%eth0", false},
	{"febf::1", false},
	// Protocols, tests, documentation, the future.
	{"192.0.0.1", false},
	{"192.0.0.170", false},
	{"192.0.2.1", false},
	{"198.18.0.1", false},
	{"198.19.255.255", false},
	{"198.51.100.1", false},
	{"203.0.113.1", false},
	{"240.0.0.1", false},
	{"255.255.255.255", false},
	{"100::1", false},
	{"2001:2::1", false},
	{"2001:10::1", false},
	{"2001:20::1", false},
	{"2001:db8::1", false},
	{"3fff::1", false},
	{"5f00::1", false},
	{"4000::1", false},
	{"8000::1", false},
	// Multicast.
	{"224.0.0.1", false},
	{"239.255.255.255", false},
	{"ff02::1", false},
	// IPv4 in IPv6: mapped, compatible, translated, NAT64, 6to4, Teredo.
	{"::ffff:127.0.0.1", false},
	{"::ffff:10.0.0.1", false},
	{"::ffff:169.254.169.254", false},
	{"::ffff:8.8.8.8", true},
	{"::127.0.0.1", false},
	{"::ffff:0:127.0.0.1", false},
	{"64:ff9b::7f00:1", false},
	{"64:ff9b::808:808", false},
	{"64:ff9b:1::1", false},
	{"2002:7f00:1::", false},
	{"2002:808:808::", false},
	{"2001::1", false},
	{"192.88.99.1", false},
	// Metadata.
	{"169.254.169.254", false},
	{"169.254.170.2", false},
	{"169.254.170.23", false},
	{"100.100.100.200", false},
	{"168.63.129.16", false},
	{"192.0.0.192", false},
	{"fd00:ec2::254", false},
	{"fd00:ec2::23", false},
	{"fd20:ce::254", false},
}

// TestAddresses asks about each address as a literal and as what a name leads to.
func TestAddresses(t *testing.T) {
	if len(addresses) < 60 {
		t.Fatalf("%d addresses", len(addresses))
	}
	for _, c := range addresses {
		ip := netip.MustParseAddr(c.ip)
		client := New(Options{Resolver: resolver(t, func() []netip.Addr { return []netip.Addr{ip.WithZone("").Unmap()} })})
		if err := client.guard.check(ip, 443, true); (err == nil) != c.open {
			t.Errorf("%s: %v", c.ip, err)
		}
		literal := ip.String()
		if ip.Is6() {
			literal = "[" + strings.Replace(literal, "%", "%25", 1) + "]"
		}
		if err := client.CheckURL("https://" + literal + "/hook"); (err == nil) != c.open {
			t.Errorf("CheckURL of %s: %v", c.ip, err)
		}
		if c.open {
			continue // a test does not knock at strangers' doors
		}
		got := get(t, client, "https://hooks.example.test./hook")
		if !errors.As(got, new(*Refusal)) || strings.Contains(got.Error(), c.ip+" ") {
			t.Errorf("a name for %s: %v", c.ip, got)
		}
	}
}

// get sends a request and gives its error.
func get(t *testing.T, client *Client, address string) error {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err == nil {
		_ = response.Body.Close()
	}
	return err
}

func TestCheckURL(t *testing.T) {
	loopback := []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	for _, c := range []struct {
		address string
		strict  bool // accepted with nothing allowed
		lenient bool // accepted with loopback allowed
	}{
		{"https://hooks.example.com/services/T0/B0/x?y=z", true, true},
		{"https://hooks.example.com:443/", true, true},
		{"https://HOOKS.example.com.:8443", true, true},
		{"https://xn--bcher-kva.example/", true, true},
		{"https://hooks.example.com:9000/", false, true},
		{"http://hooks.example.com/", false, true},
		{"http://localhost:8080/", false, true},
		{"https://localhost/", false, true},
		{"http://api.localhost/", false, true},
		{"http://127.0.0.1:9/", false, true},
		{"http://[::1]/", false, false},
		{"http://10.0.0.1/", false, false},
		{"http://8.8.8.8/", false, false},
		{"https://169.254.169.254/latest/meta-data", false, false},
		{"https://user:secret@example.com/", false, false},
		{"https://user@example.com/", false, false},
		{"https://example.com:0/", false, false},
		{"https://example.com:99999/", false, false},
		{"https://2130706433/", false, false},
		{"https://0x7f000001/", false, false},
		{"https://0x7f.1/", false, false},
		{"https://0177.0.0.1/", false, false},
		{"https://127.1/", false, false},
		{"https://127.0.0.1.1/", false, false},
		{"https://１２７.0.0.1/", false, false},
		{"https://exa mple.com/", false, false},
		{"https://example..com/", false, false},
		{"https://[fe80::1%25eth0]/", false, false},
		{"ftp://example.com/", false, false},
		{"file:///etc/passwd", false, false},
		{"gopher://127.0.0.1/", false, false},
		{"https:example.com", false, false},
		{"//example.com/", false, false},
		{"example.com", false, false},
		{"https://", false, false},
		{"", false, false},
		{"https://example.com/" + strings.Repeat("x", maxURL), false, false},
	} {
		for _, client := range []*Client{New(Options{}), New(Options{Allow: loopback})} {
			want := c.strict
			if len(client.guard.allow) > 0 {
				want = c.lenient
			}
			err := client.CheckURL(c.address)
			if (err == nil) != want {
				t.Errorf("%.60s, %v allowed: %v", c.address, client.guard.allow, err)
			}
			if err != nil && (!fault.Is(err, fault.Unprocessable) || !strings.HasSuffix(err.Error(), ".") || strings.Contains(err.Error(), "secret")) {
				t.Errorf("%.60s: not a sentence: %v", c.address, err)
			}
		}
	}
}

func TestMetadataIsNeverReached(t *testing.T) {
	everything := []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}
	client := New(Options{Allow: everything})
	for _, ip := range append([]netip.Addr{
		netip.MustParseAddr("64:ff9b::a9fe:a9fe"), netip.MustParseAddr("2002:a9fe:a9fe::1"), netip.MustParseAddr("::ffff:169.254.169.254"),
	}, metadata...) {
		if client.guard.check(ip, 443, true) == nil || client.guard.check(ip, 80, false) == nil {
			t.Errorf("%s was let through", ip)
		}
	}
	if err := client.guard.check(netip.MustParseAddr("10.1.2.3"), 8080, false); err != nil {
		t.Errorf("what is allowed should be reached: %v", err)
	}
}

// TestRebinding flips a name from an allowed address to a forbidden one between
// two look-ups, and answers with both at once.
func TestRebinding(t *testing.T) {
	var hits atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		hits.Add(1)
		w.Header().Set("Connection", "close")
	}))
	defer server.Close()
	good, bad := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("127.0.0.2")
	answers := []netip.Addr{good}
	client := New(Options{
		Allow:    []netip.Prefix{netip.PrefixFrom(good, 32)},
		Resolver: resolver(t, func() []netip.Addr { return answers }),
	})
	address := strings.Replace(server.URL, "127.0.0.1", "rebind.example.test.", 1)
	if err := get(t, client, address); err != nil {
		t.Fatalf("first: %v", err)
	}
	answers = []netip.Addr{bad}
	if err := get(t, client, address); !errors.As(err, new(*Refusal)) {
		t.Errorf("after the flip: %v", err)
	}
	answers = []netip.Addr{bad, good}
	if err := get(t, client, address); err != nil {
		t.Errorf("a forbidden and an allowed address: %v", err)
	}
	if hits.Load() != 2 {
		t.Errorf("%d requests arrived", hits.Load())
	}
}

func TestRedirectsAreNotFollowed(t *testing.T) {
	var inside atomic.Int64
	target := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { inside.Add(1) }))
	defer target.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, location := range []string{target.URL, "http://169.254.169.254/", "/elsewhere", "javascript:alert(1)"} {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", location)
				w.WriteHeader(status)
			}))
			client := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
			if err := get(t, client, server.URL); !errors.As(err, new(*Refusal)) || strings.Contains(err.Error(), location) {
				t.Errorf("%d to %s: %v", status, location, err)
			}
			server.Close()
		}
	}
	if inside.Load() != 0 {
		t.Errorf("%d redirects were followed", inside.Load())
	}
}

func TestAnswersAreCapped(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
	}))
	defer server.Close()
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	client := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, RootCAs: roots})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if text, err := io.ReadAll(response.Body); err != nil || len(text) != defaultResponse {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

func TestErrorsDoNotContainTheAddress(t *testing.T) {
	over := make(chan struct{})
	silent := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer silent.Close()
	defer close(over)
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	client := New(Options{Allow: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, Timeout: 100 * time.Millisecond})
	for _, base := range []string{silent.URL, untrusted.URL, "http://127.0.0.1:1", "https://203.0.113.9"} {
		if err := get(t, client, base+"/services/T0/s3cret"); err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", base, err)
		}
	}
}

func TestLookupErrorsDoNotNameTheServer(t *testing.T) {
	client := New(Options{Resolver: resolver(t, func() []netip.Addr { return nil })})
	err := get(t, client, "https://nowhere.example.test./hook")
	var lookup *net.DNSError
	if !errors.As(err, &lookup) || lookup.Server != "" || strings.Contains(err.Error(), ":53") {
		t.Errorf("got %v", err)
	}
}

func TestNoProxy(t *testing.T) {
	client := New(Options{})
	for _, c := range []*http.Client{client.secure, client.plain} {
		if c.Transport.(*http.Transport).Proxy != nil {
			t.Error("a proxy would resolve names itself")
		}
	}
}

// resolver answers every question about a name from a function, over a pipe.
func resolver(t *testing.T, answer func() []netip.Addr) *net.Resolver {
	t.Helper()
	return &net.Resolver{
		PreferGo: true,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			ours, theirs := net.Pipe()
			go func() {
				defer ours.Close()
				_ = answerDNS(ours, answer())
			}()
			return theirs, nil
		},
	}
}

// answerDNS reads one question in the framing of DNS over TCP and answers it.
func answerDNS(conn io.ReadWriter, addrs []netip.Addr) error {
	var size uint16
	if err := binary.Read(conn, binary.BigEndian, &size); err != nil {
		return err
	}
	asked := make([]byte, size)
	if _, err := io.ReadFull(conn, asked); err != nil {
		return err
	}
	end := 12
	for asked[end] != 0 {
		end += int(asked[end]) + 1
	}
	end += 5 // the root label, type and class
	wantsIPv6 := binary.BigEndian.Uint16(asked[end-4:]) == 28
	var records []byte
	count := 0
	for _, addr := range addrs {
		if addr.Is6() != wantsIPv6 {
			continue
		}
		count++
		records = append(records, 0xc0, 12) // the name of the question
		records = append(records, asked[end-4:end]...)
		records = append(records, 0, 0, 0, 0) // no caching
		records = binary.BigEndian.AppendUint16(records, uint16(addr.BitLen()/8))
		records = append(records, addr.AsSlice()...)
	}
	reply := append([]byte{asked[0], asked[1], 0x81, 0x80, 0, 1, 0, byte(count), 0, 0, 0, 0}, asked[12:end]...)
	reply = append(reply, records...)
	_, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...))
	return err
}

func ExampleClient_CheckURL() {
	client := New(Options{})
	fmt.Println(client.CheckURL("http://hooks.example.com/"))
	fmt.Println(client.CheckURL("https://192.168.1.5/hook"))
	fmt.Println(client.CheckURL("https://hooks.example.com/path"))
	// Output:
	// The address must begin with https://. Plain http is possible only in networks that the operator allows with NIGHTBELL_EGRESS_ALLOW.
	// 192.168.1.5 is in a private network, which is not reached from here. Enter a public address, or let the operator allow it with NIGHTBELL_EGRESS_ALLOW.
	// <nil>
}
