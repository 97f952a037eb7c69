// Program conversion-rate opens an incident when fewer than 2 % of the visitors of a day bought something.
package main

import (
	"context"
	"os/signal"
	"syscall"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

// sales stands for a query of your database.
func sales(context.Context, time.Duration) (orders, visitors float64, err error) {
	return 15, 1000, nil
}

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
		defer stop()
		// #region conversion-rate
		_, err := client.RatioMonitor(nightbell.Ratio{
			Name:  "conversion",
			Every: 10 * time.Minute,
			Query: func(ctx context.Context) (hits, total float64, err error) {
				return sales(ctx, 24*time.Hour)
			},
			Below:    nightbell.Set(0.02),
			MinTotal: 100, // fewer visitors say nothing
			Incident: nightbell.Incident{Title: "Conversion below 2%", Severity: nightbell.High},
		})
		if err != nil {
			return err
		}
		// #endregion
		<-ctx.Done()
		return nil
	})
}
