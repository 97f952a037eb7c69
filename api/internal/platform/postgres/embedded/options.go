package embedded

import (
	"io/fs"
	"log/slog"
)

// Options say where the server lives.
type Options struct {
	// DataDir holds everything that is kept. It is created when absent; the
	// account that the server runs as must be able to enter it.
	DataDir string
	// Logger receives the server's own log. Nil discards it.
	Logger *slog.Logger
	// Archive is a folder with a packed PostgreSQL. Nil means the one inside
	// the binary, if any.
	Archive fs.FS
	// ProgramsDir is where the archive is unpacked. Empty means DataDir/postgres;
	// another folder can be shared by several servers.
	ProgramsDir string
	// CopyOf is the data directory of a cleanly stopped server, copied instead
	// of making an empty one. Tests start faster with it.
	CopyOf string
	// OwnAccount makes the account nightbell when started as root and there is none, so that no
	// other service of this machine shares the server's account.
	OwnAccount bool
	// Settings replace server settings, as in {"fsync": "off"} for tests.
	Settings map[string]string
}

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.New(slog.DiscardHandler)
	}
	return o.Logger
}
