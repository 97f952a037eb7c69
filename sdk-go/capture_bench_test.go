package nightbell_test

import (
	"errors"
	"runtime"
	"testing"

	nightbell "github.com/nightbell/nightbell/sdk-go"
	"github.com/nightbell/nightbell/sdk-go/nightbelltest"
)

// What a capture costs its caller, beside what reading the stack alone costs.
func BenchmarkCaptureError(b *testing.B) {
	client, err := nightbell.New(nightbell.Config{ServiceKey: "nbs_test000000000000000000", BaseURL: "https://nightbell.test", Transport: &nightbelltest.Wire{}, Debug: nightbell.Set(false)})
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _ = client.Close(b.Context()) }()
	fault := errors.New("no stock")
	b.ReportAllocs()
	for b.Loop() {
		client.CaptureError(b.Context(), fault)
	}
}

func BenchmarkCallers(b *testing.B) {
	var stack [48]uintptr
	for b.Loop() {
		runtime.Callers(1, stack[:])
	}
}
