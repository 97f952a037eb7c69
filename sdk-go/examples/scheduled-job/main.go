// Program scheduled-job says that a job runs and how it ended.
package main

import (
	"context"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

func backup(context.Context) error { return nil }

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		// #region job
		return client.Job(context.Background(), "nightly-backup", backup,
			nightbell.Cron("0 3 * * *", "Europe/Berlin"), nightbell.MaxRuntime(30*time.Minute))
		// #endregion
	})
}
