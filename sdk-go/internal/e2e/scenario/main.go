// Program scenario does one thing that a program does with Nightbell, and ends in one of
// the ways in which programs end. The tests of api/e2e run it against the real server, beside
// sdk-node/test/scenario.mjs and sdk-python/tests/scenario.py, which have the same names.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	nightbell "github.com/nightbell/nightbell/sdk-go"
)

var errNoStock = errors.New("no stock")

func main() {
	client, err := nightbell.New(nightbell.Config{})
	if err != nil {
		panic(err)
	}
	ctx := context.Background()
	capture := func() { client.CaptureError(ctx, errNoStock) }
	switch os.Args[1] {
	case "trigger": // prints the id of the incident, also when it is the second call with one id
		for range 2 {
			incident, err := client.TriggerIncident(ctx, nightbell.Incident{
				ID: "0192d3a5-6a80-7000-8000-000000000001", Title: "Orders stopped", Severity: nightbell.Critical,
				Tags: map[string]string{"type": "business"}, Metadata: map[string]any{"orders_count": 0},
			})
			if err != nil {
				panic(err)
			}
			fmt.Println(incident.ID)
		}
		client.Exit(0)
	case "capture": // one error at one place three times, each sent by itself
		for range 3 {
			fail(client, errors.New("no stock"))
			if _, err := client.Flush(ctx); err != nil {
				panic(err)
			}
		}
		client.Exit(0)
	case "exit":
		capture()
		now()
		client.Exit(3)
	case "end":
		client.Main(func() error {
			capture()
			now()
			return nil
		})
	case "signal": // the test sends SIGTERM
		client.HandleSignals()
		capture()
		now()
		time.Sleep(time.Hour)
	case "uncaught":
		client.Main(func() error {
			now()
			panic(errNoStock)
		})
	case "background": // a panic in a goroutine
		client.Go(ctx, func(context.Context) {
			now()
			panic(errNoStock)
		})
		time.Sleep(time.Hour)
	case "crash": // a panic in a goroutine that nobody watches; the next start reports it
		go func() {
			now()
			panic(errNoStock)
		}()
		time.Sleep(time.Hour)
	case "stay": // until its input ends
		capture()
		now()
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		now()
		client.Exit(0)
	case "restart": // the next start of a program: it delivers what the last one left
		_, _ = bufio.NewReader(os.Stdin).ReadString('\n')
		now()
		client.Exit(0)
	default:
		panic("no scenario " + os.Args[1])
	}
}

// fail captures at one place.
func fail(client *nightbell.Client, err error) { client.CaptureError(context.Background(), err) }

// now tells the test that the program is about to end.
func now() { fmt.Println("now") }
