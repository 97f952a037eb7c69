// Package nightbellfiber reports what goes wrong in handlers of Fiber 3:
//
//	app.Use(nightbellfiber.New(client))
package nightbellfiber

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/gofiber/fiber/v3"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellhttp"
)

// New gives each request a scope, c.Context(), and reports errors of handlers, unless
// they mean a status below 500. Fiber recovers no panics, so a panic is reported and
// becomes an error, which Fiber's ErrorHandler answers.
func New(client *nightbell.Client) fiber.Handler {
	return func(c fiber.Ctx) (err error) {
		matched := &route{c: c}
		defer matched.over()
		// Fiber's strings are overwritten by the next request: copy them.
		path, query, _ := strings.Cut(strings.Clone(c.OriginalURL()), "?")
		facts := nightbellhttp.Facts{Method: strings.Clone(c.Method()), Path: path, Query: query, Traceparent: strings.Clone(c.Get("Traceparent"))}
		ctx := nightbellhttp.NewContext(c.Context(), client, facts, matched.pattern)
		c.SetContext(ctx)
		defer func() {
			if fault := recover(); fault != nil {
				client.CapturePanic(ctx, fault)
				err = fmt.Errorf("panic: %v", fault)
			}
		}()
		err = c.Next()
		var refused *fiber.Error
		if err != nil && (!errors.As(err, &refused) || refused.Code >= http.StatusInternalServerError) {
			client.CaptureError(ctx, err)
		}
		return err
	}
}

// route asks Fiber for the matched route as long as the request is Fiber's.
type route struct {
	mu sync.Mutex
	c  fiber.Ctx
}

func (r *route) pattern() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.c == nil || r.c.Route() == nil {
		return ""
	}
	return strings.Clone(r.c.Route().Path)
}

func (r *route) over() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c = nil
}
