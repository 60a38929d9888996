package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"

	"beanfield/storage/cluster/ownership"
)

const promisesName = "promises"

// promises is the file with what a node has promised to owners, and what else it must know after a
// restart. It is written as a whole, and synced, before a promise is told to anybody.
type promises struct {
	path    string
	cluster string
	origins []uint64
	last    ownership.Kept
}

// paper is what is in the file. A node whose file is gone, damaged or of other logs has promised
// nothing that it knows of: that is what the rules call blank.
type paper struct {
	Cluster string          `json:"cluster"`
	Origins []uint64        `json:"origins"`
	Kept    json.RawMessage `json:"kept"` // an ownership.Kept; another version may have more in it
	Sum     uint32          `json:"sum"`  // of all that, with 0 here
}

func openPromises(path, cluster string, replicas []*replica) (*promises, error) {
	p := &promises{path: path, cluster: cluster}
	for _, r := range replicas {
		p.origins = append(p.origins, r.shard.Origin())
	}
	return p, p.read()
}

func (p *promises) read() error {
	b, err := os.ReadFile(p.path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var is paper
	var kept ownership.Kept
	if json.Unmarshal(b, &is) == nil && is.Cluster == p.cluster && slices.Equal(is.Origins, p.origins) &&
		is.Sum == is.sum() &&
		json.Unmarshal(is.Kept, &kept) == nil {
		p.last = kept
	}
	return nil
}

func (a paper) sum() uint32 {
	a.Sum = 0
	b, _ := json.Marshal(a)
	return crc32.ChecksumIEEE(b)
}

// keep writes the file. When it returns without an error, no crash takes it back.
func (p *promises) keep(k ownership.Kept) (err error) {
	is := paper{Cluster: p.cluster, Origins: p.origins}
	if is.Kept, err = json.Marshal(k); err != nil {
		return err
	}
	is.Sum = is.sum()
	b, err := json.Marshal(is)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(p.path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	if err == nil {
		err = f.Sync()
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err == nil {
		err = os.Rename(p.path+".new", p.path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(p.path))
	}
	if err != nil {
		return fmt.Errorf("the node's promises cannot be kept: %w", err)
	}
	return nil
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
