// Package nightbellgin reports what goes wrong in handlers of Gin:
//
//	router.Use(gin.Recovery(), nightbellgin.New(client))
package nightbellgin

import (
	"net/http"

	"github.com/gin-gonic/gin"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

// New gives each request a scope and reports panics, which go on to gin.Recovery, and
// the errors of a context (c.Error) that was answered with 500 or more.
func New(client *nightbell.Client) gin.HandlerFunc {
	return func(c *gin.Context) {
		route := c.FullPath() // the context is used again after the request
		ctx := nightbellhttp.NewContext(c.Request.Context(), client, nightbellhttp.FactsOf(c.Request), func() string { return route })
		c.Request = c.Request.WithContext(ctx)
		defer func() { nightbellhttp.Report(ctx, client, recover()) }()
		c.Next()
		if c.Writer.Status() < http.StatusInternalServerError {
			return
		}
		for _, fault := range c.Errors {
			client.CaptureError(ctx, fault.Err)
		}
	}
}
