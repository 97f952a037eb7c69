package nightbell

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"
)

const (
	maxSpoolBytes = 8 << 20
	spoolLife     = 72 * time.Hour // as long as the server remembers ids
	claimLife     = 10 * time.Minute
	spoolSuffix   = ".nightbell.jsonl"
	claimSuffix   = ".claimed"
)

// spool keeps what could not be delivered on disk until the next start. Each write
// makes a whole new file, so a crash leaves no half line and processes share the
// folder. Events are redacted before they come here.
type spool struct{ dir string }

// spoolLine is one line of a file.
type spoolLine struct {
	Kind   kind            `json:"kind"`
	ID     string          `json:"id"`
	Path   string          `json:"path"`
	Weight int             `json:"weight"`
	At     time.Time       `json:"at"`
	Body   json.RawMessage `json:"body"`
}

// spoolFile is removed when nothing of it is left to deliver.
type spoolFile struct {
	path string
	left atomic.Int64
}

func (f *spoolFile) done() {
	if f != nil && f.left.Add(-1) == 0 {
		_ = os.Remove(f.path)
	}
}

// write keeps items and returns those that it has no room for.
func (s spool) write(items []*item, now time.Time) (refused []*item, err error) {
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return items, err
	}
	size := s.size()
	var b bytes.Buffer
	for n, i := range items {
		line, err := json.Marshal(spoolLine{i.kind, i.id, i.path, i.weight, i.queuedAt, i.body})
		if err != nil || size+int64(b.Len()+len(line)) > maxSpoolBytes {
			refused = append(refused, items[n])
			continue
		}
		b.Write(append(line, '\n'))
	}
	if b.Len() == 0 {
		return refused, nil
	}
	name := filepath.Join(s.dir, fmt.Sprintf("%d-%d-%s", now.UnixMilli(), os.Getpid(), newID()))
	if err := os.WriteFile(name+".tmp", b.Bytes(), 0o600); err != nil {
		return items, err
	}
	if err := os.Rename(name+".tmp", name+spoolSuffix); err != nil {
		return items, err
	}
	return refused, nil
}

func (s spool) size() int64 {
	entries, _ := os.ReadDir(s.dir)
	var sum int64
	for _, entry := range entries {
		if info, err := entry.Info(); err == nil && strings.Contains(entry.Name(), spoolSuffix) {
			sum += info.Size()
		}
	}
	return sum
}

// claim takes over the files of earlier processes. A claim whose process died is
// taken over later; if both live, the ids keep what is sent twice from counting twice.
func (s spool) claim(now time.Time) []*item {
	entries, _ := os.ReadDir(s.dir)
	var items []*item
	for _, entry := range entries {
		name := filepath.Join(s.dir, entry.Name())
		info, err := entry.Info()
		switch {
		case err != nil || !info.Mode().IsRegular():
			continue
		case strings.HasSuffix(name, spoolSuffix):
			claimed := name + claimSuffix
			if os.Rename(name, claimed) != nil { // another process was first
				continue
			}
			name = claimed
		case strings.HasSuffix(name, spoolSuffix+claimSuffix) && now.Sub(info.ModTime()) > claimLife:
		default:
			continue
		}
		_ = os.Chtimes(name, now, now)
		items = append(items, readSpool(name, now)...)
	}
	return items
}

func readSpool(path string, now time.Time) []*item {
	file, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer func() { _ = file.Close() }()
	source := &spoolFile{path: path}
	var items []*item
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 2*maxEvent)
	for lines.Scan() {
		var line spoolLine
		if json.Unmarshal(lines.Bytes(), &line) != nil || len(line.Body) == 0 || now.Sub(line.At) > spoolLife {
			continue
		}
		items = append(items, &item{
			kind: line.Kind, id: line.ID, path: line.Path, weight: line.Weight,
			urgent: line.Weight >= Critical.weight(), body: line.Body, size: len(line.Body), queuedAt: line.At, spooled: source,
		})
	}
	source.left.Store(int64(len(items)) + 1)
	source.done()
	return items
}
