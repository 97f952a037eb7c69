// Program capture-error reports an error with its user, operation and tags.
package main

import (
	"context"
	"errors"
	"fmt"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

var errNoStock = errors.New("no stock")

func checkout(context.Context) error { return fmt.Errorf("checkout: %w", errNoStock) }

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		// #region capture
		ctx := nightbell.NewContext(context.Background(), nightbell.Scope{Operation: "checkout"})
		nightbell.SetUser(ctx, "user-42")
		nightbell.AddBreadcrumb(ctx, "cart opened", map[string]any{"items": 3})

		if err := checkout(ctx); err != nil {
			client.CaptureError(ctx, err, nightbell.WithTag("region", "eu"))
		}
		// #endregion
		return nil
	})
}
