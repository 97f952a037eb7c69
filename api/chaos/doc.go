// Package chaos kills, freezes, starves and floods the real binary, and holds it to
// the promises of the page path. Around every scenario lie three append-only journals
// with one monotonic clock: what senders were told (acks), what the database holds,
// and what the providers received. The oracle (oracle_test.go) compares them after
// every scenario, by the invariants I1 to I10.
//
//	make chaos-short   the few that every change must pass
//	make chaos         all of them, at full length, with a table of figures at the end
//
// They have the build tag chaos and need NIGHTBELL_BIN, the binary to try,
// NIGHTBELL_FAILPOINTS_BIN, the same built with the tag failpoints, and
// NIGHTBELL_SHIFTED_BIN, the same with a wall clock that can be wrong (shift). Every
// randomised scenario prints its seed; NIGHTBELL_CHAOS_SEED repeats it.
//
// Entry files: kill_test.go for what happens to a program, failover_test.go for what
// happens to its database (pair_test.go runs a primary and its standby).
package chaos
