// Program change records a deployment.
package main

import (
	nightbell "github.com/nightbell/nightbell/sdk-go"
)

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	client.Main(func() error {
		// #region change
		_, err := client.RecordChange(nightbell.Change{
			Summary: "Deploy 2026.11.3",
			Kind:    "deployment",
			Version: "2026.11.3",
			Author:  "ada",
		})
		// #endregion
		return err
	})
}
