package org

import (
	"archive/zip"
	"bytes"
	_ "embed"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/nightbell/nightbell/api/internal/kernel/fault"
)

// ZoneData is the release of the IANA time zone database that the binary carries.
const ZoneData = "2025c"

// zoneArchive is lib/time/zoneinfo.zip of the Go release; ZoneData is in update.bash beside it.
//
//go:embed zoneinfo.zip
var zoneArchive []byte

// Zone returns the IANA time zone of that name ("Europe/Paris", "UTC"; empty means UTC), or the refusal of the field.
// It reads zoneArchive: time.LoadLocation would ask ZONEINFO and the host's files first, so that replicas on different
// images could page different people.
func Zone(field, name string) (*time.Location, error) {
	if name == "" || name == "UTC" {
		return time.UTC, nil
	}
	if load, ok := zones()[name]; ok && name != "Factory" { // the zone of a machine that nobody has set up
		return load()
	}
	return nil, fault.InvalidField(field, fault.BadFormat, `There is no time zone of this name. Use an IANA name such as "Europe/Paris" or "UTC".`)
}

// zones reads the archive's list of names once, and each zone when it is first asked for.
var zones = sync.OnceValue(func() map[string]func() (*time.Location, error) {
	archive, err := zip.NewReader(bytes.NewReader(zoneArchive), int64(len(zoneArchive)))
	if err != nil {
		panic("org: the embedded zoneinfo.zip cannot be read: " + err.Error())
	}
	list := make(map[string]func() (*time.Location, error), len(archive.File))
	for _, file := range archive.File {
		if !strings.HasSuffix(file.Name, "/") {
			list[file.Name] = sync.OnceValues(func() (*time.Location, error) { return loadZone(file) })
		}
	}
	return list
})

func loadZone(file *zip.File) (*time.Location, error) {
	opened, err := file.Open()
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	data, err := io.ReadAll(opened)
	if err != nil {
		return nil, err
	}
	return time.LoadLocationFromTZData(file.Name, data)
}
