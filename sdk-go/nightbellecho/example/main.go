// Program example serves with Echo on port 8080 and reports what goes wrong.
package main

import (
	"cmp"
	"fmt"
	"os"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellecho"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		// #region middleware
		e := echo.New()
		e.Use(middleware.Recover(), nightbellecho.New(client))

		e.GET("/orders/:id", func(c *echo.Context) error {
			nightbell.SetUser(c.Request().Context(), c.Request().Header.Get("X-User"))
			return load(c.Param("id")) // an error is reported
		})
		// #endregion
		return e.Start("127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8080"))
	})
}

func load(id string) error { return fmt.Errorf("order %s: the database is away", id) }
