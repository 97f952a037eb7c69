//go:build chaos

package chaos

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// door is one address that leads to a server, and later to another, as that of a proxy
// or a service does.
type door struct {
	net.Listener

	to atomic.Value
}

func newDoor(t *testing.T, to string) *door {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &door{Listener: listener}
	d.leadTo(to)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go d.pass(conn)
		}
	}()
	return d
}

func (d *door) address() string { return d.Addr().String() }

func (d *door) leadTo(address string) { d.to.Store(address) }

func (d *door) pass(from net.Conn) {
	defer from.Close()
	to, err := net.DialTimeout("tcp", d.to.Load().(string), time.Second)
	if err != nil {
		return
	}
	defer to.Close()
	go func() {
		_, _ = io.Copy(to, from)
		to.Close()
	}()
	_, _ = io.Copy(from, to)
}
