// Program chi serves with Chi on port 8080 and reports what goes wrong.
package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.HandleSignals()
	client.Main(func() error {
		// #region middleware
		router := chi.NewRouter()
		router.Use(middleware.Recoverer, nightbellhttp.Middleware(client))

		router.Get("/orders/{id}", func(w http.ResponseWriter, r *http.Request) {
			nightbell.SetUser(r.Context(), r.Header.Get("X-User"))
			if err := load(chi.URLParam(r, "id")); err != nil {
				client.CaptureError(r.Context(), err)
				http.Error(w, "sorry", http.StatusInternalServerError)
			}
		})
		// #endregion
		server := &http.Server{Addr: "127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8080"), Handler: router, ReadHeaderTimeout: 5 * time.Second}
		return server.ListenAndServe()
	})
}

func load(id string) error { return fmt.Errorf("order %s: the database is away", id) }
