// Package nightbellecho reports what goes wrong in handlers of Echo 5:
//
//	e.Use(middleware.Recover(), nightbellecho.New(client))
package nightbellecho

import (
	"net/http"

	"github.com/labstack/echo/v5"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

// New gives each request a scope and reports panics, which go on to Echo's Recover,
// and errors of handlers, unless they mean a status below 500.
func New(client *nightbell.Client) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c *echo.Context) error {
			route := c.Path() // the context is used again after the request
			r := c.Request()
			ctx := nightbellhttp.NewContext(r.Context(), client, nightbellhttp.FactsOf(r), func() string { return route })
			c.SetRequest(r.WithContext(ctx))
			defer func() { nightbellhttp.Report(ctx, client, recover()) }()
			err := next(c)
			if status := echo.StatusCode(err); err != nil && (status == 0 || status >= http.StatusInternalServerError) {
				client.CaptureError(ctx, err)
			}
			return err
		}
	}
}
