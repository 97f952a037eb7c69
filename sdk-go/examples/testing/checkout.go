// Package checkout is something that reports, and its test sees what.
package checkout

import (
	"context"
	"errors"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

var errRefused = errors.New("the card was refused")

// Pay always fails here, and says so.
func Pay(ctx context.Context, client *nightbell.Client) {
	client.CaptureError(ctx, errRefused, nightbell.WithOperation("checkout"))
}
