package pebblestore

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"

	"beanfield/storage"
)

const (
	manifestName = "beanfield.json"
	manifestTemp = manifestName + ".tmp"
)

// The formats of a data directory. Those of older builds are taken over: see takeover.go.
const (
	firstFormat = 1
	queueFormat = 2 // with jobs and queues that the first builds misread
	turnsFormat = 3 // each shard has a log of turns, and Pebble has none
)

// shardRule is the number of the rule by which a tube's name chooses its shard. The rule
// itself is in package router. Without a number, the whole name chooses; by rule 2,
// storage.Home of it does.
const shardRule = 2

// manifest is the one file that says which part of a data directory counts. It is
// replaced as a whole, so that a reader finds either the old or the new one.
type manifest struct {
	Format     int `json:"format"`
	Generation int `json:"generation"`
	Shards     int `json:"shards"`
	// Rule is the number of the rule by which jobs are on their shards. A takeover
	// drops it, and so has an older build that moved jobs.
	Rule int `json:"rule,omitempty"`
	// Creating is set until the first generation is complete: a start that
	// finds it set starts over, because nothing was acknowledged yet.
	Creating bool `json:"creating,omitempty"`
	// Filling is set until an intake has ended: no store opens the directory.
	Filling bool `json:"filling,omitempty"`

	summed bool // it was read with its checksum
}

// old says whether an older build wrote the directory.
func (m manifest) old() bool { return m.Format == firstFormat || m.Format == queueFormat }

// The checksum is the last field: the CRC-32C of all the text before it. Manifests of
// older builds have none, and those ignore it.
const sumField = `,
  "sum": "%08x"
}
`

// checkSum says whether the text of a manifest has its checksum, and the right one.
func checkSum(text []byte) (summed bool, err error) {
	at := bytes.LastIndex(text, []byte(sumField[:len(`,
  "sum": "`)]))
	if at < 0 {
		return false, nil
	}
	if want := fmt.Sprintf(sumField, crc32.Checksum(text[:at], castagnoli)); string(text[at:]) != want {
		return false, errors.New("its checksum is wrong")
	}
	return true, nil
}

// readManifest returns the manifest and whether there is one.
func (d *directory) readManifest() (m manifest, ok bool, err error) {
	path := d.join(manifestName)
	f, err := d.fs.Open(path)
	if isNotExist(err) {
		return m, false, nil
	}
	if err != nil {
		return m, false, fmt.Errorf("storage: %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return m, false, fmt.Errorf("storage: %s: %w", path, err)
	}
	m.summed, err = checkSum(text)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, false, fmt.Errorf("storage: %s: %w: %v", path, storage.ErrCorrupt, err)
	}
	if m.Format < firstFormat || m.Format > turnsFormat {
		return m, false, fmt.Errorf("storage: %s: %w: the data has format %d, this build reads formats %d to %d",
			path, ErrVersion, m.Format, firstFormat, turnsFormat)
	}
	if m.Generation < 1 || checkShards(m.Shards) != nil {
		return m, false, fmt.Errorf("storage: %s: %w: generation %d, %d shards", path, storage.ErrCorrupt, m.Generation, m.Shards)
	}
	return m, true, nil
}

// usable returns the manifest of a directory that a store may open, and whether
// there is one. It touches nothing.
func (d *directory) usable() (m manifest, ok bool, err error) {
	written, err := d.inspect()
	if err != nil || !written {
		return m, false, err
	}
	m, ok, err = d.readManifest()
	if err == nil && m.Filling {
		err = dirError(d.path, ErrUnfinished, "an import or a salvage into it was cut short or is still running; "+
			"if none is running, repeat it or remove the directory")
	}
	return m, ok, err
}

// addSum gives the manifest of an older build its checksum.
func (s *store) addSum(m manifest) error {
	if m.summed {
		return nil
	}
	return s.dir.writeManifest(m)
}

// writeManifest replaces the manifest: a temporary file, its content forced to
// the disk, renamed over the old one, and the directory forced too.
func (d *directory) writeManifest(m manifest) error {
	if m.Format == 0 {
		m.Format = turnsFormat
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	temp := d.join(manifestTemp)
	f, err := d.fs.Create(temp, category)
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	_, err = f.Write(fmt.Appendf(text, sumField, crc32.Checksum(text, castagnoli)))
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return fmt.Errorf("storage: %s: %w", temp, err)
	}
	if err := d.fs.Rename(temp, d.join(manifestName)); err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	return syncDir(d.fs, d.path)
}

func isNotExist(err error) bool { return errors.Is(err, os.ErrNotExist) }
