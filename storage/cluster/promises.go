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
	path string
	is   paper
	last ownership.Kept
	// other says that the file is of other logs, those that a reshard has taken the place of
	other bool
}

// paper is what is in the file. A node whose file is gone, damaged or of other logs has promised
// nothing that it knows of: that is what the rules call blank.
type paper struct {
	Cluster    string          `json:"cluster"`
	Origins    []uint64        `json:"origins"`
	Kept       json.RawMessage `json:"kept"`                 // an ownership.Kept; another version may have more in it
	Generation int             `json:"generation,omitempty"` // of the streams
	Ended      *Ended          `json:"ended,omitempty"`
	Sum        uint32          `json:"sum"` // of all that, with 0 here
}

// Ended is what a node knows of the last time that it owned the shards: all that was acknowledged in these epochs, or
// in older ones, has numbers up to these (doc.go).
type Ended struct {
	Epochs  []uint64 `json:"epochs"`
	Numbers []uint64 `json:"numbers"`
	Nodes   []string `json:"nodes"` // that voted
}

// openPromises reads what a node has promised. Since says as whom it will, if there is nothing.
func openPromises(dir string, is paper, since uint64) (*promises, error) {
	p := &promises{path: filepath.Join(dir, promisesName), is: is, last: ownership.Kept{Since: since}}
	was, err := readPaper(dir)
	switch {
	case err != nil || was == nil || was.Cluster != is.Cluster:
		return p, err
	case !slices.Equal(was.Origins, is.Origins):
		p.other = true
	default:
		if json.Unmarshal(was.Kept, &p.last) != nil {
			p.last = ownership.Kept{Since: since}
		}
		p.is.Ended = was.Ended
	}
	return p, nil
}

// readPaper reads the file in a node's directory; nil if there is none, or a damaged one.
func readPaper(dir string) (*paper, error) {
	b, err := os.ReadFile(filepath.Join(dir, promisesName))
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	is := new(paper)
	if err != nil || json.Unmarshal(b, is) != nil || is.Sum != is.sum() {
		return nil, err
	}
	return is, nil
}

// since is the decision about the members that had let in who made these promises.
func (a *paper) since() uint64 {
	var k ownership.Kept
	_ = json.Unmarshal(a.Kept, &k)
	return k.Since
}

// dropPromises removes the file unless it is of who was let in by this decision.
func dropPromises(dir string, since uint64) error {
	is, err := readPaper(dir)
	if err != nil || is == nil || is.since() == since {
		return err
	}
	return os.Remove(filepath.Join(dir, promisesName))
}

func (a paper) sum() uint32 {
	a.Sum = 0
	b, _ := json.Marshal(a)
	return crc32.ChecksumIEEE(b)
}

// keep writes the file. When it returns without an error, no crash takes it back.
func (p *promises) keep(k ownership.Kept) (err error) {
	is := p.is
	if is.Kept, err = json.Marshal(k); err != nil {
		return err
	}
	is.Sum = is.sum()
	b, err := json.Marshal(is)
	if err == nil {
		err = writeWhole(p.path, b)
	}
	if err != nil {
		return fmt.Errorf("the node's promises cannot be kept: %w", err)
	}
	p.last = k
	return nil
}

// end keeps that the node has owned the shards, and does not any more. Nobody else may call keep.
func (p *promises) end(e *Ended) error {
	p.is.Ended = e
	return p.keep(p.last)
}

// writeWhole writes a file in the place of the one of that name. When it returns without an error, no crash takes that
// back.
func writeWhole(path string, b []byte) error {
	f, err := os.OpenFile(path+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	if _, err = f.Write(b); err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err == nil {
		err = syncDir(filepath.Dir(path))
	}
	return err
}

func syncDir(path string) error {
	d, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }()
	return d.Sync()
}
