// Command bench measures the page path of the real binary, beside what the same machine
// can do at all in the same minute, so that its figures mean something on any machine.
//
//	NIGHTBELL_BIN=../bin/nightbell go run ./bench ingest   alerts in, committed
//	NIGHTBELL_BIN=../bin/nightbell go run ./bench page     webhook in to webhook out
//	NIGHTBELL_BIN=../bin/nightbell go run ./bench list     lists, memory, starts, idle
//	NIGHTBELL_BIN=../bin/nightbell go run ./bench oncall   who is on call, its problems, the sweep, heartbeats
//	NIGHTBELL_BIN=../bin/nightbell go run ./bench compare --before FILE   another binary beside it
//
// Each starts the binary on an empty data directory with its own PostgreSQL (fsync on),
// sets a workspace up through the public API, prints a table and writes JSON for the
// performance page. Load comes from a process of its own, so that the server's
// processor time can be told apart; it is read from /proc, so this runs on Linux only.
//
// Entry files: ingest.go, page.go, list.go, oncall.go, compare.go. The parts: server.go (the binary),
// workspace.go (its tenant), load.go (the driver), proc.go (processor time and memory), report.go (tables and JSON).
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/alecthomas/kong"
)

type commands struct {
	Ingest  ingestCommand  `cmd:"" help:"Measure how fast alerts are stored."`
	Page    pageCommand    `cmd:"" help:"Measure how soon people are paged."`
	List    listCommand    `cmd:"" help:"Measure lists, starts, memory and idling."`
	Oncall  oncallCommand  `cmd:"" help:"Measure who is on call, the sweep among many open incidents, and heartbeats."`
	Compare compareCommand `cmd:"" help:"Measure two binaries in turns, and say where the later one is slower."`
	Load    loadCommand    `cmd:"" hidden:"" help:"Drive load, as a process of its own."`
}

// setting is what every measurement takes.
type setting struct {
	Bin   string `env:"NIGHTBELL_BIN" required:"" type:"existingfile" help:"The binary to measure." placeholder:"FILE"`
	Out   string `default:"../docs-mdx/bench" help:"Folder for the JSON." placeholder:"DIR"`
	Quick bool   `help:"Few and short rounds, for development; no JSON is written."`
}

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	parser := kong.Parse(&commands{}, kong.Name("bench"), kong.UsageOnError())
	parser.BindTo(ctx, (*context.Context)(nil))
	if err := parser.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:gocritic // nothing is left to cancel
	}
}
