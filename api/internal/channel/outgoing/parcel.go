package outgoing

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/nightbell/nightbell/api/internal/notify"
)

// parcel is a request with a body whose way is watched.
type parcel struct {
	request *http.Request
	content *bytes.Reader
	// unwanted is set when the last look kept it back, gone before anything of it can leave.
	unwanted bool
	gone     atomic.Bool
}

// pack makes a parcel that takes the last look once there is a connection. One that is kept back is emptied, and ended:
// by HTTP/1 net/http holds the headers back for a body in memory and finds none, by HTTP/2 it asks the context first.
func pack(ctx context.Context, end context.CancelFunc, address string, body []byte) (*parcel, error) {
	p := &parcel{}
	watched := httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{
		GetConn: func(string) { p.gone.Store(false) }, // also where net/http tries again what an old connection took nothing of
		GotConn: func(httptrace.GotConnInfo) {
			if err := notify.LastLook(ctx); err != nil {
				p.unwanted = true
				_, _ = p.content.Seek(0, io.SeekEnd)
				end()
			}
		},
		WroteHeaders: func() { p.gone.Store(true) },
	})
	request, err := http.NewRequestWithContext(watched, http.MethodPost, address, nil)
	if err != nil {
		return nil, err
	}
	request.ContentLength = int64(len(body))
	request.GetBody = func() (io.ReadCloser, error) {
		p.content = bytes.NewReader(body)
		return io.NopCloser(p.content), nil
	}
	request.Body, err = request.GetBody()
	p.request = request
	return p, err
}
