// Program performance opens an incident while an operation takes longer than five seconds.
package main

import (
	"context"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		report(context.Background(), client)
		return nil
	})
}

// #region performance
func report(ctx context.Context, client *nightbell.Client) {
	// Five seconds by default; nightbell.Threshold(30*time.Second) changes that.
	defer client.Performance(ctx, "monthly-report").End()

	time.Sleep(6 * time.Second) // the work
}

// #endregion
