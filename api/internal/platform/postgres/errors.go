package postgres

import (
	"context"
	"errors"
	"io"
	"net"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
)

// ErrBusy is returned when no connection of a pool became free in time.
var ErrBusy = errors.New("all database connections are in use")

// SQLSTATE codes that we tell apart (PostgreSQL manual, appendix A).
const (
	codeForeignKey           = "23503"
	codeNotAllowed           = "42501"
	codeUnique               = "23505"
	codeReadOnly             = "25006" // the primary has become a standby
	codeSerializationFailure = "40001"
	codeDeadlock             = "40P01"
	codeLockTimeout          = "55P03"
	codeDiskFull             = "53100"
	codeTooManyConnections   = "53300"
	codeQueryCanceled        = "57014" // statement_timeout
	codeAdminShutdown        = "57P01"
	codeCrashShutdown        = "57P02"
	codeCannotConnectNow     = "57P03"

	classConnection = "08"
	classResources  = "53" // too many connections, disk full, out of memory
)

// Code is the SQLSTATE that the server gave, or "" when the error is not the
// server's.
func Code(err error) string {
	if fromServer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fromServer.Code
	}
	return ""
}

// IsUnavailable reports whether the database could not do the work now, though
// the same work may succeed soon: the caller answers 503. A caller that gave up
// itself (context.Canceled) is not that.
func IsUnavailable(err error) bool {
	if err == nil || errors.Is(err, context.Canceled) {
		return false
	}
	if code := Code(err); code != "" {
		return isUnavailableCode(code)
	}
	return errors.Is(err, ErrBusy) || errors.Is(err, ErrNotReplicated) || isConnectionLoss(err)
}

// IsAway reports whether the database cannot be reached or takes no writes, whatever is
// asked of it. A statement that was too slow or met another transaction says nothing
// about the next one, and is not that.
func IsAway(err error) bool {
	return IsUnavailable(err) && !IsStatementTimeout(err) && !IsBlocked(err)
}

// IsStatementTimeout reports whether a statement took longer than its pool allows.
func IsStatementTimeout(err error) bool { return Code(err) == codeQueryCanceled }

// IsBlocked reports whether another transaction was in the way: of a lock within
// LockTimeout, or of any order of the two.
func IsBlocked(err error) bool { return IsLockTimeout(err) || isRepeatable(err) }

func isUnavailableCode(code string) bool {
	switch code {
	case codeReadOnly, codeQueryCanceled, codeAdminShutdown, codeCrashShutdown, codeCannotConnectNow,
		codeSerializationFailure, codeDeadlock, codeLockTimeout:
		return true
	}
	return strings.HasPrefix(code, classConnection) || strings.HasPrefix(code, classResources)
}

func isConnectionLoss(err error) bool {
	var connecting *pgconn.ConnectError
	var network *net.OpError
	return errors.As(err, &connecting) || errors.As(err, &network) || errors.Is(err, errReplaced) ||
		errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		errors.Is(err, context.DeadlineExceeded) || pgconn.Timeout(err)
}

// ConstraintName is the name of the constraint or unique index that a statement
// broke, or "" when it broke none.
func ConstraintName(err error) string {
	if fromServer, ok := errors.AsType[*pgconn.PgError](err); ok {
		return fromServer.ConstraintName
	}
	return ""
}

// IsUnique reports whether the statement would have made a second row with the
// same key; ConstraintName says which.
func IsUnique(err error) bool { return Code(err) == codeUnique }

// IsForeignKey reports whether the statement pointed at a row that is not there,
// or removed one that others point at.
func IsForeignKey(err error) bool { return Code(err) == codeForeignKey }

// IsLockTimeout reports whether a lock was not to be had within LockTimeout.
func IsLockTimeout(err error) bool { return Code(err) == codeLockTimeout }

// isRepeatable reports whether PostgreSQL undid the transaction for the sake of
// another one, so that running it again is right.
func isRepeatable(err error) bool {
	code := Code(err)
	return code == codeSerializationFailure || code == codeDeadlock
}

// IsRefusedData reports that the database will never take these values: data
// exceptions and broken constraints (SQLSTATE classes 22 and 23). Trying again
// cannot help.
func IsRefusedData(err error) bool {
	code := Code(err)
	return strings.HasPrefix(code, "22") || strings.HasPrefix(code, "23")
}
