package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"
)

// sink takes the pages that Nightbell sends.
type sink struct {
	url    string
	server *http.Server

	mu       sync.Mutex
	messages int
	// awaited are told when a message with their text arrives.
	awaited map[string]chan time.Time
}

func startSink(ctx context.Context) (*sink, error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &sink{url: "http://" + listener.Addr().String(), awaited: map[string]chan time.Time{}}
	s.server = &http.Server{Handler: http.HandlerFunc(s.take), ReadHeaderTimeout: time.Minute}
	go func() { _ = s.server.Serve(listener) }() // ends with stop
	return s, nil
}

func (s *sink) take(_ http.ResponseWriter, r *http.Request) {
	arrived := time.Now()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages++
	for text, tell := range s.awaited {
		if strings.Contains(string(body), text) {
			tell <- arrived
			delete(s.awaited, text)
		}
	}
}

// await gives a channel that hears when the first message with the text arrived.
func (s *sink) await(text string) <-chan time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	tell := make(chan time.Time, 1)
	s.awaited[text] = tell
	return tell
}

func (s *sink) stop() { _ = s.server.Close() }
