//go:build !race

package ingest

const memoryFactor = 1
