package org

import (
	"archive/zip"
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// TestZonesComeFromTheBinary runs itself again on a host whose Berlin is in New York.
func TestZonesComeFromTheBinary(t *testing.T) {
	if os.Getenv("ZONEINFO") == "" {
		host := t.TempDir()
		if err := os.Mkdir(filepath.Join(host, "Europe"), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(host, "Europe", "Berlin"), newYork(t), 0o600); err != nil {
			t.Fatal(err)
		}
		again := exec.Command(os.Args[0], "-test.run=^TestZonesComeFromTheBinary$") // the host's zones are read once in a process
		again.Env = append(os.Environ(), "ZONEINFO="+host)
		if said, err := again.CombinedOutput(); err != nil {
			t.Errorf("%v\n%s", err, said)
		}
		return
	}
	summer := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	ours, err := Zone("timezone", "Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	if got := summer.In(ours).Hour(); got != 14 {
		t.Errorf("noon UTC is %d o'clock in Berlin", got)
	}
	hosts, err := time.LoadLocation("Europe/Berlin")
	if err != nil || summer.In(hosts).Hour() != 8 {
		t.Errorf("the host's Berlin is not in New York, so nothing was tried: %v", err)
	}
}

func newYork(t *testing.T) []byte {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(zoneArchive), int64(len(zoneArchive)))
	if err != nil {
		t.Fatal(err)
	}
	file, err := archive.Open("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestEveryZoneOfTheBinaryLoads(t *testing.T) {
	t.Parallel()
	if count := len(zones()); count < 500 {
		t.Errorf("there are %d zones", count)
	}
	for name, load := range zones() {
		if zone, err := load(); err != nil || zone.String() != name {
			t.Errorf("%q is the zone %s: %v", name, zone, err)
		}
	}
}
