package nightbellfiber_test

import (
	"net"
	"testing"

	"github.com/gofiber/fiber/v3"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/internal/conformance"
	"github.com/nightbell/nightbell/sdk-go/nightbellfiber"
)

func serve(t *testing.T, client *nightbell.Client) string {
	t.Helper()
	app := fiber.New()
	if client != nil {
		app.Use(nightbellfiber.New(client))
	}
	app.Get("/panic/:id", func(fiber.Ctx) error { panic("no stock") })
	app.Get("/fail/:id", func(fiber.Ctx) error { return conformance.ErrNoStock })
	app.Get("/missing/:id", func(fiber.Ctx) error { return fiber.NewError(fiber.StatusNotFound, "no such order") })
	app.Get("/captured/:id", func(c fiber.Ctx) error {
		conformance.Capture(c.Context(), client, fiber.Query[string](c, "user"))
		return c.Status(fiber.StatusInternalServerError).SendString("sorry")
	})
	app.Get("/twice/:id", func(c fiber.Ctx) error {
		client.CaptureError(c.Context(), conformance.ErrNoStock)
		return conformance.ErrNoStock
	})
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = app.Listener(listener, fiber.ListenConfig{DisableStartupMessage: true})
	}()
	t.Cleanup(func() {
		_ = app.Shutdown()
		<-ended
	})
	return "http://" + listener.Addr().String()
}

func TestConformance(t *testing.T) {
	conformance.Run(t, serve, "GET /panic/:id", "GET /captured/:id")
}
