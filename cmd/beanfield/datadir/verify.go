package datadir

import (
	"errors"
	"fmt"
	"io"
	"os"

	"beanfield/cmd/beanfield/listing"
	"beanfield/storage"
	"beanfield/storage/pebblestore/repair"
)

// Verify reads all that is in a data directory which no server uses, and changes nothing
// there. It prints the tubes, or lines of JSON, and returns an error if anything cannot be
// read.
func Verify(dir string, out io.Writer, asJSON bool) (err error) {
	if _, err := os.Stat(dir); err != nil {
		return err
	}
	if err := complete(dir); err != nil {
		return err
	}
	held, err := hold(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, held.Close()) }()
	l := listing.New(out, asJSON)
	found, err := repair.Salvage(dir, nil,
		func(j *storage.Job, _ []byte) error { l.Add(j); return nil },
		func(*storage.Queue) error { return nil })
	if err != nil {
		return err
	}
	if err := l.Tubes(); err != nil {
		return err
	}
	for _, d := range found.Damaged {
		if err := l.Line(damagedLine{"damaged", d}, "damaged: %s", d); err != nil {
			return err
		}
	}
	total := checkedLine{"total", found.Files, len(found.Damaged), found.MaxID, l.All}
	if err := l.Line(total, "read %d files, highest id %d", found.Files, found.MaxID); err != nil {
		return err
	}
	if n := len(found.Damaged); n > 0 {
		return fmt.Errorf("%s is damaged: %d parts of it cannot be read", dir, n)
	}
	return nil
}

type damagedLine struct {
	Type string `json:"type"`
	What string `json:"what"`
}

// checkedLine ends a check as JSON.
type checkedLine struct {
	Type    string `json:"type"`
	Files   int    `json:"files"`
	Damaged int    `json:"damaged"`
	LastID  uint64 `json:"last_id"`
	listing.Count
}
