// Command go declares an incident by the client that oapi-codegen makes of the OpenAPI document.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
)

func main() {
	if err := declare(context.Background(), os.Getenv("NIGHTBELL_URL"), os.Getenv("NIGHTBELL_API_KEY")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func declare(ctx context.Context, url, key string) error {
	client, err := NewClientWithResponses(url, WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}
	answer, err := client.IncidentsCreateWithResponse(ctx, nil, CreateIncidentRequest{Title: "Declared in Go", Severity: new(CreateIncidentRequestSeverityHigh)})
	if err != nil {
		return err
	}
	if answer.JSON201 == nil {
		return fmt.Errorf("%s: %s", answer.Status(), answer.Body)
	}
	fmt.Println(answer.JSON201.Incident.Title, answer.JSON201.Incident.Status)
	return nil
}
