package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// ErrVersion says that a newer build wrote what this one cannot read.
var ErrVersion = errors.New("unknown version")

// The formats of a data directory. Those of older builds are taken over.
const (
	FirstFormat = 1
	QueueFormat = 2 // with jobs and queues that the first builds misread
	TurnsFormat = 3 // each shard has a log of turns, and Pebble has none
	CopyFormat  = 4 // the same, but the logs are copies of those that a cluster keeps
)

// ShardRule is the number of the rule by which a tube's name chooses its shard. The rule
// itself is in package router. Without a number, the whole name chooses; by rule 2,
// storage.Home of it does.
const ShardRule = 2

// Manifest is the one file that says which part of a data directory counts. It is
// replaced as a whole, so that a reader finds either the old or the new one.
type Manifest struct {
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
	// Cluster is the name of the cluster to which the logs belong; a server by itself does not
	// open the directory.
	Cluster string `json:"cluster,omitempty"`

	Summed bool `json:"-"` // it was read with its checksum
}

// Old says whether an older build wrote the directory.
func (m Manifest) Old() bool { return m.Format == FirstFormat || m.Format == QueueFormat }

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
	if want := fmt.Sprintf(sumField, crc32.Checksum(text[:at], Castagnoli)); string(text[at:]) != want {
		return false, errors.New("its checksum is wrong")
	}
	return true, nil
}

// DecodeManifest reads the text of a manifest. path is the file's, for errors.
func DecodeManifest(path string, text []byte) (m Manifest, err error) {
	m.Summed, err = checkSum(text)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("storage: %s: %w: %v", path, storage.ErrCorrupt, err)
	}
	if m.Format < FirstFormat || m.Format > CopyFormat {
		return m, fmt.Errorf("storage: %s: %w: the data has format %d, this build reads formats %d to %d",
			path, ErrVersion, m.Format, FirstFormat, CopyFormat)
	}
	if (m.Format == CopyFormat) != (m.Cluster != "") {
		return m, fmt.Errorf("storage: %s: %w: format %d, cluster %q", path, storage.ErrCorrupt, m.Format, m.Cluster)
	}
	if m.Generation < 1 || CheckShards(m.Shards) != nil {
		return m, fmt.Errorf("storage: %s: %w: generation %d, %d shards", path, storage.ErrCorrupt, m.Generation, m.Shards)
	}
	return m, nil
}

// Encode is the text of a manifest, with its checksum. One without a format gets this build's.
func (m Manifest) Encode() ([]byte, error) {
	switch {
	case m.Cluster != "":
		m.Format = CopyFormat
	case m.Format == 0 || m.Format == CopyFormat:
		m.Format = TurnsFormat
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	return fmt.Appendf(text, sumField, crc32.Checksum(text, Castagnoli)), nil
}

// maxShards bounds what a manifest is believed to say.
const maxShards = 4096

func CheckShards(n int) error {
	if n < 1 || n > maxShards {
		return fmt.Errorf("storage: %d shards: must be from 1 to %d", n, maxShards)
	}
	return nil
}
