// Program example serves with Fiber on port 8080 and reports what goes wrong.
package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/gofiber/fiber/v3"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellfiber"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.HandleSignals()
	client.Main(func() error {
		// #region middleware
		app := fiber.New()
		app.Use(nightbellfiber.New(client))

		app.Get("/orders/:id", func(c fiber.Ctx) error {
			nightbell.SetUser(c.Context(), c.Get("X-User"))
			return load(c.Params("id")) // an error is reported
		})
		// #endregion
		return app.Listen("127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8080"))
	})
}

func load(id string) error { return fmt.Errorf("order %s: the database is away", id) }
