package nightbellgin_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gin-gonic/gin"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/internal/conformance"
	"github.com/nightbell/nightbell/sdk-go/nightbellgin"
)

func serve(t *testing.T, client *nightbell.Client) string {
	t.Helper()
	gin.SetMode(gin.TestMode)
	router := gin.New()
	router.Use(gin.RecoveryWithWriter(io.Discard))
	if client != nil {
		router.Use(nightbellgin.New(client))
	}
	failed := func(c *gin.Context) { _ = c.AbortWithError(http.StatusInternalServerError, conformance.ErrNoStock) }
	router.GET("/panic/:id", func(*gin.Context) { panic("no stock") })
	router.GET("/fail/:id", failed)
	router.GET("/missing/:id", func(c *gin.Context) { _ = c.AbortWithError(http.StatusNotFound, conformance.ErrNoStock) })
	router.GET("/captured/:id", func(c *gin.Context) {
		conformance.Capture(c.Request.Context(), client, c.Query("user"))
		c.JSON(http.StatusInternalServerError, gin.H{"message": "sorry"})
	})
	router.GET("/twice/:id", func(c *gin.Context) {
		client.CaptureError(c.Request.Context(), conformance.ErrNoStock)
		failed(c)
	})
	server := httptest.NewServer(router)
	t.Cleanup(server.Close)
	return server.URL
}

func TestConformance(t *testing.T) {
	conformance.Run(t, serve, "GET /panic/:id", "GET /captured/:id")
}
