//go:build e2e

package e2e

import (
	"fmt"
	"slices"
	"testing"
	"time"
)

// figures are measured times, printed as a table at the end. Nothing is asserted of
// them here: they depend on the machine and on what else it does.
type figures struct{ rows [][2]string }

func (f *figures) add(what string, took time.Duration) {
	f.rows = append(f.rows, [2]string{what, milliseconds(took)})
}

// addRange adds the middle of several times, and the extremes.
func (f *figures) addRange(what string, took []time.Duration) {
	slices.Sort(took)
	text := fmt.Sprintf("%s (%s to %s, %d tries)", milliseconds(took[len(took)/2]), milliseconds(took[0]), milliseconds(took[len(took)-1]), len(took))
	f.rows = append(f.rows, [2]string{what, text})
}

func (f *figures) print(t *testing.T) {
	t.Helper()
	fmt.Println()
	for _, row := range f.rows {
		fmt.Printf("  %-54s %s\n", row[0], row[1])
	}
	fmt.Println()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%d ms", d.Round(time.Millisecond).Milliseconds())
}
