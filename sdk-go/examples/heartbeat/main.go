// Program heartbeat says every minute that it lives, until it is told to end.
package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		// #region heartbeat
		heartbeat, err := client.Heartbeat("orders-worker", time.Minute, nightbell.Grace(30*time.Second))
		if err != nil {
			return err
		}
		defer heartbeat.Stop() // says that this is no failure
		// #endregion
		<-ctx.Done()
		return nil
	})
}
