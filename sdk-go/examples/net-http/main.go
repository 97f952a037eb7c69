// Program net-http serves on port 8080 and reports panics and errors of its handlers.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		// #region middleware
		mux := http.NewServeMux()
		mux.HandleFunc("GET /orders/{id}", func(w http.ResponseWriter, r *http.Request) {
			nightbell.SetUser(r.Context(), r.Header.Get("X-User"))
			if err := load(r.PathValue("id")); err != nil {
				client.CaptureError(r.Context(), err)
				http.Error(w, "sorry", http.StatusInternalServerError)
			}
		})
		mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("no stock") })

		handler := nightbellhttp.Middleware(client)(mux)
		// #endregion
		return serve(handler)
	})
}

func load(id string) error { return fmt.Errorf("order %s: the database is away", id) }

// serve answers until the program is told to end.
func serve(handler http.Handler) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	server := &http.Server{Addr: "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8080"), Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		<-ctx.Done()
		_ = server.Shutdown(context.Background())
	}()
	if err := server.ListenAndServe(); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
