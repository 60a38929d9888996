package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
	"beanfield/tools/server"
)

// refusedWithin bounds a start that is refused, on a machine that has other work too.
const refusedWithin = 10 * time.Second

// ruin damages a file. A nil result removes it.
type ruin struct {
	what string
	do   func(dice *rand.Rand, text []byte) []byte
}

var ruins = []ruin{
	{"a bit is flipped", func(dice *rand.Rand, text []byte) []byte {
		text[dice.IntN(len(text))] ^= 1 << dice.IntN(8)
		return text
	}},
	{"512 bytes are zeroed", func(dice *rand.Rand, text []byte) []byte {
		at := dice.IntN(len(text)) &^ 511
		clear(text[at:min(len(text), at+512)])
		return text
	}},
	{"4096 bytes are zeroed", func(dice *rand.Rand, text []byte) []byte {
		at := dice.IntN(len(text)) &^ 4095
		clear(text[at:min(len(text), at+4096)])
		return text
	}},
	{"the end is cut off", func(dice *rand.Rand, text []byte) []byte { return text[:dice.IntN(len(text))] }},
	{"the end is zeroed", func(dice *rand.Rand, text []byte) []byte {
		clear(text[dice.IntN(len(text)):])
		return text
	}},
	{"it is removed", func(*rand.Rand, []byte) []byte { return nil }},
}

// ruined is a data directory, what it holds, and what came of damage to it.
type ruined struct {
	options
	dice    *rand.Rand
	data    string
	bodies  map[uint64][]byte // of the jobs that were acknowledged; nil for deleted ones
	refused int
	told    int // starts that answered for a job that it cannot be read
	whole   int // starts after which nothing was missing
	longest time.Duration
}

// damage leaves two directories, one by kill -9 and one in order, and damages copies of
// them: a start is refused, with the file's name, or nothing is missing.
func damage(ctx context.Context, o options) error {
	for _, s := range []syscall.Signal{syscall.SIGKILL, syscall.SIGTERM} {
		r := &ruined{options: o, dice: rand.New(rand.NewPCG(o.seed, uint64(s))), data: filepath.Join(o.dir, "left-by-"+
			s.String()),
			bodies: make(map[uint64][]byte)}
		if err := os.Mkdir(r.data, 0o755); err != nil {
			return err
		}
		if err := r.fill(ctx, s); err != nil {
			return err
		}
		for n := range o.places {
			if err := r.place(ctx, n); err != nil {
				return fmt.Errorf("seed %d, %s, place %d: %w", o.seed, s, n, err)
			}
		}
		fmt.Fprintf(o.out, "seed %d, after %s: %d places damaged, %d starts refused in at most %v, %d told of a job "+
			"that cannot be read, after %d nothing was missing\n",
			o.seed, s, o.places, r.refused, r.longest.Round(time.Millisecond), r.told, r.whole)
	}
	return nil
}

// fill has a server take jobs and ends it when all is answered.
func (r *ruined) fill(ctx context.Context, s syscall.Signal) error {
	how := r.launch(r.data)
	how.Command += " -config {config}"
	how.Config = "[storage]\nlog_size = '1MiB'\n" // short logs, so that there are tables too
	p, err := startServer(ctx, how)
	if err != nil {
		return err
	}
	defer p.End(s)
	c, err := dial(p.Addr)
	if err != nil {
		return err
	}
	defer c.HangUp()
	for round := range 60 {
		if err := r.round(c, round); err != nil {
			return fmt.Errorf("%w; the server said: %s", err, p.Said())
		}
	}
	return nil
}

// round puts some jobs into several tubes, and deletes and buries some.
func (r *ruined) round(c *client.Client, n int) error {
	var uses []string
	var bodies [][]byte
	for i := range 40 {
		size := 40 + r.dice.IntN(3000)
		if n%20 == 7 && i == 0 {
			size = 1<<20 + r.dice.IntN(1<<20) // it stands apart
		}
		bodies = append(bodies, marked.Body(uint64(n*100+i+1), size))
		uses = append(uses, fmt.Sprintf("use tube-%d", r.dice.IntN(9)))
	}
	for i, body := range bodies {
		replies, err := c.Exchange(uses[i], fmt.Sprintf("put 0 0 60 %d\r\n%s", len(body), body))
		if err != nil {
			return err
		}
		if replies[1].Word != "INSERTED" {
			return fmt.Errorf("a put is answered with %q", replies[1].Line)
		}
		r.bodies[replies[1].Number] = body
	}
	for id, body := range r.bodies {
		if body == nil || r.dice.IntN(12) > 0 {
			continue
		}
		reply, err := c.Askf("delete %d", id)
		if err != nil {
			return err
		}
		if reply.Word != "DELETED" {
			return fmt.Errorf("a delete is answered with %q", reply.Line)
		}
		r.bodies[id] = nil
	}
	return nil
}

// place damages one file of a copy and starts on it.
func (r *ruined) place(ctx context.Context, n int) error {
	data := filepath.Join(r.dir, "copy")
	if err := os.RemoveAll(data); err != nil {
		return err
	}
	if err := os.CopyFS(data, os.DirFS(r.data)); err != nil {
		return err
	}
	path, what, err := r.ruin(data, n)
	if err != nil {
		return err
	}
	what = path + ": " + what
	begun := time.Now()
	s, err := startServer(ctx, r.launch(data))
	took := time.Since(begun)
	switch {
	case err == nil:
		defer s.Kill()
		if err := r.check(s); err != nil {
			return fmt.Errorf("%s: %w; the server said: %s", what, err, s.Said())
		}
		return nil
	case !errors.Is(err, server.ErrNotStarted):
		return fmt.Errorf("%s: %w", what, err)
	case !strings.Contains(err.Error(), named(path)):
		return fmt.Errorf("%s: the refusal does not name it: %w", what, err)
	case took > refusedWithin:
		return fmt.Errorf("%s: the refusal took %v", what, took)
	}
	r.refused++
	r.longest = max(r.longest, took)
	return nil
}

// launch is how a server is started on a directory.
func (r *ruined) launch(data string) server.Launch {
	return server.Launch{Command: strings.Join(r.server, " ") + " -shards 2 -z 4194304 -b " + data, Data: r.dir}
}

// check asks for every job that was acknowledged, also the deleted ones. An answer that
// a job cannot be read is accepted.
func (r *ruined) check(l *server.Launched) error {
	c, err := dial(l.Addr)
	if err != nil {
		return err
	}
	defer c.HangUp()
	told := false
	for id, body := range r.bodies {
		got, err := c.Askf("peek %d", id)
		if err != nil {
			return err
		}
		switch {
		case got.Word == "INTERNAL_ERROR" && body != nil:
			told = true
		case body == nil && got.Word != "NOT_FOUND":
			return fmt.Errorf("job %d was deleted, and peek says %q", id, got.Line)
		case body != nil && (got.Word != "FOUND" || !bytes.Equal(got.Body, body)):
			return fmt.Errorf("job %d was acknowledged, and peek says %q", id, got.Line)
		}
	}
	if told {
		r.told++
	} else {
		r.whole++
	}
	return nil
}

// named is what a refusal must say about a file. A marker is an empty file, so for it
// this is the part of its name that says what it marks.
func named(path string) string {
	if strings.HasSuffix(path, ".turns") {
		return filepath.Dir(path) // a lost record may have been at the beginning of any of them
	}
	if dir, base := filepath.Split(path); strings.HasPrefix(base, "marker.") {
		return dir + strings.Join(strings.SplitN(base, ".", 3)[:2], ".")
	}
	return path
}

// ruin damages the file whose turn it is.
func (r *ruined) ruin(data string, n int) (path, what string, err error) {
	var paths []string
	err = filepath.WalkDir(data, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return "", "", err
	}
	path = paths[n%len(paths)]
	text, err := os.ReadFile(path)
	if err != nil {
		return "", "", err
	}
	way := ruins[r.dice.IntN(len(ruins))]
	if len(text) == 0 {
		way = ruins[len(ruins)-1]
	}
	if text = way.do(r.dice, text); text == nil {
		return path, way.what, os.Remove(path)
	}
	return path, way.what, os.WriteFile(path, text, 0o600)
}
