// Program example serves with Gin on port 8080 and reports what goes wrong.
package main

import (
	"cmp"
	"fmt"
	"net/http"
	"os"

	"github.com/gin-gonic/gin"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbellgin"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.HandleSignals()
	client.Main(func() error {
		// #region middleware
		router := gin.New()
		router.Use(gin.Recovery(), nightbellgin.New(client))

		router.GET("/orders/:id", func(c *gin.Context) {
			nightbell.SetUser(c.Request.Context(), c.GetHeader("X-User"))
			if err := load(c.Param("id")); err != nil {
				_ = c.AbortWithError(http.StatusInternalServerError, err) // is reported
			}
		})
		// #endregion
		return router.Run("127.0.0.1:" + cmp.Or(os.Getenv("PORT"), "8080"))
	})
}

func load(id string) error { return fmt.Errorf("order %s: the database is away", id) }
