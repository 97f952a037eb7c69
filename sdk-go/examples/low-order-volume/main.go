// Program low-order-volume opens an incident when fewer than ten orders came in the last hour.
package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

// ordersSince stands for a query of your database.
func ordersSince(context.Context, time.Time) (float64, error) { return 3, nil }

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		// #region low-order-volume
		_, err := client.MetricMonitor(nightbell.Metric{
			Name:  "orders",
			Every: 5 * time.Minute,
			Query: func(ctx context.Context) (float64, error) {
				return ordersSince(ctx, time.Now().Add(-time.Hour))
			},
			Below: nightbell.Set(10.0),
			Incident: nightbell.Incident{
				Title:    "Low order volume",
				Severity: nightbell.High,
				Tags:     map[string]string{"type": "business", "metric": "orders"},
				Metadata: map[string]any{"time_window": "1h"},
			},
		})
		if err != nil {
			return err
		}
		// #endregion
		<-ctx.Done()
		return nil
	})
}
