//go:build e2e

package e2e

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// hiddenHost is a name that nobody but the proxy of these tests can resolve.
const hiddenHost = "nightbell.test"

// A proxy takes CONNECT to hiddenHost, from whoever knows its password.
type proxy struct {
	*httptest.Server

	behind string

	mu    sync.Mutex
	asked []string // what to connect to, and the answer
}

// openProxy speaks TLS if it is given a certificate.
func openProxy(t *testing.T, behind string, certificates ...tls.Certificate) *proxy {
	t.Helper()
	p := &proxy{behind: behind}
	p.Server = httptest.NewUnstartedServer(http.HandlerFunc(p.connect))
	if len(certificates) > 0 {
		// HTTP/2 has no connection to take over.
		p.TLS = &tls.Config{Certificates: certificates, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		p.StartTLS()
	} else {
		p.Start()
	}
	t.Cleanup(p.Close)
	return p
}

// url holds a password that has to be escaped.
func (p *proxy) url() string {
	scheme, host, _ := strings.Cut(p.URL, "://")
	return scheme + "://ada:p%40ss@" + host
}

func (p *proxy) connect(w http.ResponseWriter, r *http.Request) {
	r.Header.Set("Authorization", r.Header.Get("Proxy-Authorization"))
	user, password, _ := r.BasicAuth()
	answer := http.StatusOK
	switch {
	case r.Method != http.MethodConnect || r.Host != hiddenHost+":443":
		answer = http.StatusForbidden
	case user != "ada" || password != "p@ss":
		answer = http.StatusProxyAuthRequired
	}
	p.mu.Lock()
	p.asked = append(p.asked, r.Method+" "+r.Host+" "+http.StatusText(answer))
	p.mu.Unlock()
	if answer != http.StatusOK {
		w.WriteHeader(answer)
		return
	}
	outer, buffered, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = outer.Close() }()
	inner, err := new(net.Dialer).DialContext(r.Context(), "tcp", p.behind)
	if err != nil {
		return
	}
	defer func() { _ = inner.Close() }()
	_, _ = io.WriteString(outer, "HTTP/1.1 200 Connection established\r\n\r\n")
	go func() {
		_, _ = io.Copy(inner, buffered)
		_ = inner.Close()
	}()
	_, _ = io.Copy(outer, inner)
}

func (p *proxy) seen() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string{}, p.asked...)
}

// authority makes a certificate for hiddenHost and 127.0.0.1, and the file of who signed it.
func authority(t *testing.T) (certificate tls.Certificate, caFile string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	ca := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature,
	}
	ca.Subject.CommonName = "An authority of our own"
	leaf := &x509.Certificate{
		SerialNumber: big.NewInt(2), NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		DNSNames: []string{hiddenHost}, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	leaf.Subject.CommonName = hiddenHost
	signedCA, errCA := x509.CreateCertificate(rand.Reader, ca, ca, key.Public(), key)
	signed, errLeaf := x509.CreateCertificate(rand.Reader, leaf, ca, key.Public(), key)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	errFile := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: signedCA}), 0o600)
	if err := errors.Join(errCA, errLeaf, errFile); err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{signed}, PrivateKey: key}, caFile
}

// tunnels: the environment names the way to a server that no name and no public authority leads to.
func (l language) tunnels(t *testing.T, w *sdkWorld) {
	t.Helper()
	certificate, caFile := authority(t)
	for _, c := range []struct {
		description, scenario string
		settings              func(p *proxy, direct string) []string
		delivers, tunneled    bool
		proxyOf               []tls.Certificate
	}{
		{"a call that somebody awaits", "trigger", func(p *proxy, _ string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "HTTPS_PROXY=" + p.url(), "NO_PROXY=other.test"}
		}, true, true, nil},
		{"what waits at the end", "exit", func(p *proxy, _ string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "https_proxy=" + p.url()}
		}, true, true, nil},
		{"a call by way of a proxy that speaks TLS", "trigger", func(p *proxy, _ string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "HTTPS_PROXY=" + p.url()}
		}, true, true, []tls.Certificate{certificate}},
		{"the end by way of a proxy that speaks TLS", "exit", func(p *proxy, _ string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "HTTPS_PROXY=" + p.url()}
		}, true, true, []tls.Certificate{certificate}},
		{"a proxy that speaks TLS, of an unknown authority", "exit", func(p *proxy, _ string) []string {
			return []string{"HTTPS_PROXY=" + p.url()}
		}, false, false, []tls.Certificate{certificate}},
		{"a host of NO_PROXY", "exit", func(p *proxy, _ string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "HTTPS_PROXY=" + p.url(), "NO_PROXY=other.test," + hiddenHost}
		}, false, false, nil},
		{"this machine", "exit", func(p *proxy, direct string) []string {
			return []string{"NIGHTBELL_CA_FILE=" + caFile, "HTTPS_PROXY=" + p.url(), "NIGHTBELL_BASE_URL=" + direct}
		}, true, false, nil},
		{"without the file of the authority", "exit", func(p *proxy, _ string) []string {
			return []string{"HTTPS_PROXY=" + p.url()}
		}, false, true, nil},
	} {
		t.Run(c.description, func(t *testing.T) {
			t.Parallel()
			serviceID, key := w.service(t)
			d := openDoor(t, w.server.url)
			secured := httptest.NewUnstartedServer(d)
			secured.TLS = &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12}
			secured.StartTLS()
			t.Cleanup(secured.Close)
			p := openProxy(t, secured.Listener.Addr().String(), c.proxyOf...)
			settings := append([]string{"NIGHTBELL_SERVICE_KEY=" + key, "NIGHTBELL_BASE_URL=https://" + hiddenHost}, c.settings(p, secured.URL)...)
			program := run(t, append(l.scenario, c.scenario), settings...)
			program.wait(t.Context())
			want := 0
			if c.delivers {
				want = 1
			}
			if found := w.incidents(t, serviceID); len(found) != want || len(d.events()) != want {
				t.Errorf("want %d incidents, there are %+v of %d events: %s", want, found, len(d.events()), program.complaints())
			}
			if asked := p.seen(); (len(asked) > 0) != c.tunneled || strings.Contains(strings.Join(asked, ""), http.StatusText(http.StatusForbidden)) {
				t.Errorf("asked of the proxy: %q", asked)
			}
		})
	}
}
