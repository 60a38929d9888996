package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Founding is what a directory says with which a cluster is to begin: that the logs of its shards have
// a base, the jobs in it. Numbers are in hexadecimal digits, because JSON's are not exact.
type Founding struct {
	Cluster string `json:"cluster"`
	Shards  int    `json:"shards"`
	Origins []Base `json:"origins"`
}

// Base is where one shard's log begins.
type Base struct {
	Origin string `json:"origin"`
	Base   string `json:"base"`
}

// FoundingName is the file with it, in Options.Dir.
const FoundingName = "founding.json"

// beginning is how a cluster begins whose streams are not there. A node that founds it makes them at
// once. Any other one waits until all nodes have said that they do not found it: otherwise it would begin empty, and
// the founder's jobs would be left out.
type beginning struct {
	node    *Node
	wait    *delay
	founds  *Founding
	allowed bool
}

func (n *Node) beginning() (*beginning, error) {
	b := &beginning{node: n}
	path := filepath.Join(n.o.Dir, FoundingName)
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		return b, nil
	}
	if err == nil {
		b.founds = new(Founding)
		err = json.Unmarshal(text, b.founds)
	}
	if err != nil {
		return nil, fmt.Errorf("cluster: %s: %w", path, err)
	}
	if f := b.founds; f.Cluster != n.o.Name || f.Shards < 1 || f.Shards != len(f.Origins) {
		return nil, fmt.Errorf("%w: %s tells of cluster %q with %d shards and %d logs; this is cluster %q", ErrRefused,
			path, f.Cluster, f.Shards, len(f.Origins), n.o.Name)
	}
	return b, nil
}

// shard returns when this node may make the streams of a shard, and says how its log begins.
func (b *beginning) shard(ctx context.Context, i int) (origin, base uint64, err error) {
	if b.founds != nil {
		origin, err = strconv.ParseUint(b.founds.Origins[i].Origin, 16, 64)
		if err == nil {
			base, err = strconv.ParseUint(b.founds.Origins[i].Base, 16, 64)
		}
		if err != nil {
			return 0, 0, fmt.Errorf("cluster: %s: %w", FoundingName, err)
		}
		return origin, base, nil
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
