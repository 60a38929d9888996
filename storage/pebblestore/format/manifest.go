package format

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"

	"beanfield/storage"
)

// ErrVersion says that another build wrote what this one cannot read.
var ErrVersion = errors.New("unknown version")

// The formats of a data directory. No release wrote formats 1 and 2.
const (
	AloneFormat = 3 // of a server by itself
	CopyFormat  = 4 // the logs are copies of those that a cluster keeps
)

// shardRule is the number of the rule by which a tube's name chooses its shard: storage.Home of it does. The
// rule itself is in package router.
const shardRule = 2

// Manifest is the one file that says which part of a data directory counts. It is
// replaced as a whole, so that a reader finds either the old or the new one.
type Manifest struct {
	Format     int `json:"format"`
	Generation int `json:"generation"`
	Shards     int `json:"shards"`
	Rule       int `json:"rule"` // by which jobs are on their shards
	// Creating is set until the first generation is complete: a start that
	// finds it set starts over, because nothing was acknowledged yet.
	Creating bool `json:"creating,omitempty"`
	// Filling is set until an intake has ended: no store opens the directory.
	Filling bool `json:"filling,omitempty"`
	// Cluster is the name of the cluster to which the logs belong; a server by itself does not
	// open the directory.
	Cluster string `json:"cluster,omitempty"`
}

// The checksum is the last field: the CRC-32C of all the text before it.
const sumField = `,
  "sum": "%08x"
}
`

// checkSum says whether the text of a manifest has a checksum, and the right one. Of another format, it may have none.
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
	summed, err := checkSum(text)
	if err == nil {
		err = json.Unmarshal(text, &m)
	}
	if err != nil {
		return m, fmt.Errorf("storage: %s: %w: %v", path, storage.ErrCorrupt, err)
	}
	if m.Format != AloneFormat && m.Format != CopyFormat || m.Rule != shardRule {
		return m, fmt.Errorf("storage: %s: %w: the data has format %d and rule %d, this build reads formats %d and "+
			"%d and rule %d",
			path, ErrVersion, m.Format, m.Rule, AloneFormat, CopyFormat, shardRule)
	}
	if !summed {
		return m, fmt.Errorf("storage: %s: %w: it has no checksum", path, storage.ErrCorrupt)
	}
	if (m.Format == CopyFormat) != (m.Cluster != "") {
		return m, fmt.Errorf("storage: %s: %w: format %d, cluster %q", path, storage.ErrCorrupt, m.Format, m.Cluster)
	}
	if m.Generation < 1 || CheckShards(m.Shards) != nil {
		return m, fmt.Errorf("storage: %s: %w: generation %d, %d shards", path, storage.ErrCorrupt, m.Generation,
			m.Shards)
	}
	return m, nil
}

// Encode is the text of a manifest in this build's format, with its checksum.
func (m Manifest) Encode() ([]byte, error) {
	m.Format, m.Rule = AloneFormat, shardRule
	if m.Cluster != "" {
		m.Format = CopyFormat
	}
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	text = bytes.TrimSuffix(text, []byte("\n}"))
	return fmt.Appendf(text, sumField, crc32.Checksum(text, Castagnoli)), nil
}

// Versions are the newest ones of what this build writes, by what it is.
func Versions() map[string]int {
	return map[string]int{"directory": AloneFormat, "directory-of-node": CopyFormat, "placing": shardRule,
		"jobs": optionsApartVersion, "queues": noteVersion}
}

// maxShards bounds what a manifest is believed to say.
const maxShards = 4096

func CheckShards(n int) error {
	if n < 1 || n > maxShards {
		return fmt.Errorf("storage: %d shards: must be from 1 to %d", n, maxShards)
	}
	return nil
}
