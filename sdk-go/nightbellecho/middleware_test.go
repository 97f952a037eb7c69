package nightbellecho_test

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/internal/conformance"
	"github.com/nightbell/nightbell/sdk-go/nightbellecho"
)

func serve(t *testing.T, client *nightbell.Client) string {
	t.Helper()
	e := echo.New()
	e.Logger = slog.New(slog.DiscardHandler)
	e.Use(middleware.Recover())
	if client != nil {
		e.Use(nightbellecho.New(client))
	}
	e.GET("/panic/:id", func(*echo.Context) error { panic("no stock") })
	e.GET("/fail/:id", func(*echo.Context) error { return conformance.ErrNoStock })
	e.GET("/missing/:id", func(*echo.Context) error { return echo.NewHTTPError(http.StatusNotFound, "no such order") })
	e.GET("/captured/:id", func(c *echo.Context) error {
		conformance.Capture(c.Request().Context(), client, c.QueryParam("user"))
		return c.String(http.StatusInternalServerError, "sorry")
	})
	e.GET("/twice/:id", func(c *echo.Context) error {
		client.CaptureError(c.Request().Context(), conformance.ErrNoStock)
		return conformance.ErrNoStock
	})
	server := httptest.NewServer(e)
	t.Cleanup(server.Close)
	return server.URL
}

func TestConformance(t *testing.T) {
	conformance.Run(t, serve, "GET /panic/:id", "GET /captured/:id")
}
