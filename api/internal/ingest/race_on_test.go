//go:build race

package ingest

// memoryFactor allows for what the race detector adds to every allocation.
const memoryFactor = 3
