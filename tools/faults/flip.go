package main

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"

	"beanfield/tools/nodes"
)

// flipStream flips a bit in a file of the engine's streams.
func flipStream(ctx context.Context, c *campaign, n *nodes.Node) error {
	return c.flip(ctx, n, "cluster/engine", func(name string) bool { return strings.HasSuffix(name, ".blk") })
}

// flipStore flips a bit in a file of the node's store.
func flipStore(ctx context.Context, c *campaign, n *nodes.Node) error {
	return c.flip(ctx, n, ".", func(name string) bool { return strings.Contains(name, "gen-") })
}

// flip flips a bit in one of the files below a directory, while the node does not run.
func (c *campaign) flip(ctx context.Context, n *nodes.Node, below string, wanted func(name string) bool) error {
	n.Kill()
	what, err := flipBit(c.dice, filepath.Join(n.Data(), below), wanted)
	if err != nil {
		return err
	}
	c.say("    %s", what)
	last(ctx, c.seconds(0, 3))
	if err := n.Start(); err != nil {
		return err
	}
	return c.mend(ctx, n)
}

// flipBit flips one bit of all that the wanted files have, and says where.
func flipBit(dice *rand.Rand, below string, wanted func(name string) bool) (string, error) {
	type file struct {
		name string
		size int64
	}
	var files []file
	var sum int64
	err := filepath.WalkDir(below, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || !wanted(name) {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Size() > 0 {
			files = append(files, file{name, info.Size()})
			sum += info.Size()
		}
		return err
	})
	if err != nil || sum == 0 {
		return "no file has anything in it", err
	}
	at := dice.Int64N(sum)
	for _, f := range files {
		if at < f.size {
			return fmt.Sprintf("byte %d of %s, %d bytes long", at, f.name, f.size), flipAt(f.name, at, 1<<dice.IntN(8))
		}
		at -= f.size
	}
	return "", nil
}

func flipAt(name string, at int64, bit byte) error {
	f, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		return err
	}
	b[0] ^= bit
	_, err = f.WriteAt(b, at)
	return err
}
