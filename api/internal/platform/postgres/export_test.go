package postgres

import (
	"context"
	"log/slog"
	"maps"
	"slices"
)

// Pools are all of them.
func Pools() []Pool { return slices.Sorted(maps.Keys(pools)) }

// Replace replaces the pools as a failover does.
func (db *DB) Replace(ctx context.Context) error { return db.replace(ctx, nil) }

// Admit asks a fence that has seen the timelines, each of a cluster, about the last one.
func Admit(cluster []string, timelines []uint32) (err error) {
	var f fence
	for i, timeline := range timelines {
		err = f.admit(identity{cluster: cluster[i], timeline: timeline, writable: true})
	}
	return err
}

// Watched is a Watch whose servers say what a test has them say.
type Watched struct{ *watch }

// Watched makes one; no server is asked.
func (db *DB) Watched() Watched { return Watched{db.newWatch(slog.New(slog.DiscardHandler))} }

// Says has the server of that place in the connection string say who it is, and gives
// whether that replaced the pools.
func (w Watched) Says(ctx context.Context, place int, timeline uint32, writable bool, err error) (replaced bool) {
	before := w.db.current.Load()
	w.hear(ctx, report{w.lookouts[place], identity{cluster: "c", timeline: timeline, writable: writable}, err})
	return w.db.current.Load() != before
}
