package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"beanfield/storage/turns"
)

// Founding is what a directory says with which a cluster is to begin: that the logs of its shards have
// a base, the jobs in it. Numbers are in hexadecimal digits, because JSON's are not exact.
type Founding struct {
	Cluster string `json:"cluster"`
	Shards  int    `json:"shards"`
	Origins []Base `json:"origins"`

	// Of a cluster that has been there before, with another number of shards.
	Generation int     `json:"generation,omitempty"` // of the streams that it is to begin with
	From       *Former `json:"from,omitempty"`
}

// Base is where one shard's log begins.
type Base struct {
	Origin string `json:"origin"`
	Base   string `json:"base"`
}

// BaseOf is a place before the first record.
func BaseOf(p turns.Place) Base {
	return Base{fmt.Sprintf("%016x", p.Origin), fmt.Sprintf("%016x", p.Hash)}
}

// FoundingName is the file with it, in Options.Dir.
const FoundingName = "founding.json"

// beginning is how a cluster begins whose streams are not there. A node that founds it makes them at
// once. Any other one waits until all nodes have said that they do not found it: otherwise it would begin empty, and
// the founder's jobs would be left out.
type beginning struct {
	node    *Node
	wait    *delay
	allowed bool

	mu     sync.Mutex
	founds *Founding // nil: nothing
	bound  bool      // the operator cannot take a reshard back any more
}

func (n *Node) beginning() (b *beginning, err error) {
	b = &beginning{node: n}
	if b.founds, b.bound, err = readFounding(n.o.Dir, n.o.Name); err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", n.o.Dir, err)
	}
	return b, nil
}

// readFounding reads the file in a node's directory, if there is one. It is not bound if it is ReshardName.
func readFounding(dir, cluster string) (f *Founding, bound bool, err error) {
	name := ReshardName
	text, err := os.ReadFile(filepath.Join(dir, name))
	if errors.Is(err, os.ErrNotExist) {
		name, bound = FoundingName, true
		text, err = os.ReadFile(filepath.Join(dir, name))
	}
	if errors.Is(err, os.ErrNotExist) {
		return nil, true, nil
	}
	if err == nil {
		f = new(Founding)
		err = json.Unmarshal(text, f)
	}
	if err != nil {
		return nil, false, fmt.Errorf("%s: %w", name, err)
	}
	if f.Cluster != cluster || f.Shards < 1 || f.Shards != len(f.Origins) ||
		slices.ContainsFunc(f.Places(), func(p turns.Place) bool { return p.Origin == 0 || p.Hash == 0 }) {
		return nil, false, fmt.Errorf("%w: %s tells of cluster %q with %d shards and %d logs; this is cluster %q",
			ErrRefused, name, f.Cluster, f.Shards, len(f.Origins), cluster)
	}
	return f, bound, nil
}

// paper is what this node founds the cluster with; nil if it does not.
func (b *beginning) paper() *Founding {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.founds
}

// says is what others are told: whether this node founds the cluster, and with what, if that is anew.
func (b *beginning) says() (r reply) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.Founds = b.founds != nil; r.Founds && b.founds.From != nil {
		r.Paper, r.Bound = b.founds, b.bound
	}
	return r
}

// shard returns when this node may make the streams of a shard, and says how its log begins.
func (b *beginning) shard(ctx context.Context, i int) (origin, base uint64, err error) {
	if f := b.paper(); f != nil {
		if f.From != nil && !b.mayMake(f, i) {
			return 0, 0, errors.New("cluster: another node is about to found it anew")
		}
		p := f.Places()[i]
		return p.Origin, p.Hash, nil
	}
	if b.allowed {
		return 0, 0, nil
	}
	for {
		founder, silent := b.askAll(ctx)
		switch {
		case ctx.Err() != nil:
			return 0, 0, ctx.Err()
		case founder == "" && len(silent) == 0:
			b.allowed = true
			return 0, 0, nil
		case founder != "":
			return 0, 0, fmt.Errorf("cluster: %s is about to found it", founder) // and is looked for again
		}
		b.wait.because(errors.New("a new cluster begins when all nodes are there; missing: " +
			strings.Join(silent, ", ")))
		_ = pause(ctx, foundingLimit/2) // who does not listen yet is known at once
	}
}

// founding is what nodes ask each other before the streams of a cluster are made, and how long they wait.
const (
	founding      = "founding"
	foundingLimit = 600 * time.Millisecond
)

// askAll asks all nodes whether they found the cluster.
func (b *beginning) askAll(ctx context.Context) (founder string, silent []string) {
	names := b.node.names()
	for i, r := range b.node.askNodes(ctx, names, foundingLimit, question{About: founding}) {
		switch {
		case r.Error != "":
			silent = append(silent, names[i])
		case r.Founds:
			founder = names[i]
		}
	}
	return founder, silent
}
