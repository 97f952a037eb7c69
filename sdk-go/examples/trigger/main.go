// Program trigger opens an incident and prints its id.
package main

import (
	"context"
	"fmt"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

func main() {
	// #region setup
	// The keys and the address come from NIGHTBELL_SERVICE_KEY and NIGHTBELL_BASE_URL.
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	defer client.Close(context.Background()) // delivers what waits
	// #endregion
	client.Main(func() error {
		// #region trigger
		incident, err := client.TriggerIncident(context.Background(), nightbell.Incident{
			Title:       "Orders stopped",
			Severity:    nightbell.Critical,
			Description: "No order for ten minutes.",
			Tags:        map[string]string{"type": "business"},
			Metadata:    map[string]any{"orders_count": 0, "time_window": "10m"},
			DedupKey:    "orders-stopped",
		})
		if err != nil {
			return err
		}
		fmt.Println("incident", incident.ID)
		// #endregion
		return nil
	})
}
