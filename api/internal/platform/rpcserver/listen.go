package rpcserver

import (
	"log/slog"
	"net/http"
	"time"
)

// NewHTTPServer limits what strangers can hold: 5 s for headers of at most 16 KiB, 60 s of idleness, 60 s to take an
// answer, 100 streams for each HTTP/2 connection. It speaks HTTP/1.1 and HTTP/2 without TLS, which gRPC needs. Whoever
// answers for longer, such as a live stream, moves its own deadlines with http.ResponseController.
func NewHTTPServer(handler http.Handler, logger *slog.Logger) *http.Server {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	protocols.SetUnencryptedHTTP2(true)
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		IdleTimeout:       60 * time.Second,
		WriteTimeout:      60 * time.Second,
		MaxHeaderBytes:    16 << 10,
		Protocols:         &protocols,
		HTTP2:             &http.HTTP2Config{MaxConcurrentStreams: 100},
		ErrorLog:          slog.NewLogLogger(logger.Handler(), slog.LevelDebug),
	}
}
