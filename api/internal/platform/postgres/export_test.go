package postgres

import "context"

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
