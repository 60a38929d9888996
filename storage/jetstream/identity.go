package jetstream

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// EngineName is what the engine calls a node that is a member since a table of members; 0: since the cluster began.
// A node that was removed and is added again is another one to the engine (E12).
func EngineName(node string, since uint64) string {
	if since == 0 {
		return node
	}
	return node + "~" + strconv.FormatUint(since, 10)
}

// engine is this engine's name. One that is no member has a name that no other process has: the node that it is to be
// may be another machine still.
func (o *Options) engine() string {
	if o.Rests {
		return o.alias
	}
	return EngineName(o.Node, o.Since)
}

// nodeOf is the node of an engine's name. Those of a site's own engines stay what they are.
func nodeOf(engine string) string {
	if node, since, ok := strings.Cut(engine, "~"); ok {
		if _, err := strconv.ParseUint(since, 10, 64); err == nil {
			return node
		}
	}
	return engine
}

// peerID is what the engine makes of a name, and says of a peer whose name it has not heard since it started.
func peerID(engine string) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256([]byte(engine))
	b := sum[:8]
	for i := range b {
		b[i] = digits[b[i]%62]
	}
	return string(b)
}

// homes is how the directories of engines begin that were not there when the cluster began.
const homes = "since-"

// home is where the engine keeps its streams.
func (o *Options) home() string {
	if o.Since == 0 {
		return o.Dir
	}
	return filepath.Join(o.Dir, homes+strconv.FormatUint(o.Since, 10))
}

// settle finds out whether the directory knows of a later membership than the options, and deletes what is left of
// earlier ones: those engines have left their groups, and must never come back.
func (o *Options) settle() error {
	entries, err := os.ReadDir(o.Dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%w: %w", ErrOptions, err)
	}
	for _, e := range entries {
		if text, ok := strings.CutPrefix(e.Name(), homes); ok {
			if since, err := strconv.ParseUint(text, 10, 64); err == nil {
				o.Since = max(o.Since, since)
			}
		}
	}
	if o.Since == 0 {
		return nil
	}
	if err := made(o.home()); err != nil {
		return err
	}
	for _, e := range entries {
		if path := filepath.Join(o.Dir, e.Name()); path != o.home() {
			if err := os.RemoveAll(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// made makes a directory that is still there after the power fails: an engine that came back without it would be one
// that has forgotten what it has stored.
func made(home string) error {
	if err := os.MkdirAll(home, 0o700); err != nil {
		return err
	}
	parent, err := os.Open(filepath.Dir(home))
	if err != nil {
		return err
	}
	return errors.Join(parent.Sync(), parent.Close())
}
