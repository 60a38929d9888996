package figures

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/nodes"
)

// stores puts jobs and deletes the oldest ones, so that there are always as many, and says each round how
// large each node's store is.
func stores(ctx context.Context, o Options) error {
	if o.Jobs == 0 {
		return errNoJobs
	}
	s, err := o.open(ctx, nodes.Default...)
	if err != nil {
		return err
	}
	defer s.Close()
	s.wide = true
	if _, err := s.well(ctx, o.Calm); err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, time.Duration(o.Times)*o.Lasts)
	defer cancel()
	var put atomic.Int64
	var says sync.WaitGroup
	says.Go(func() {
		for n := range o.Times {
			select {
			case <-limited.Done():
				return
			case <-time.After(o.Lasts):
			}
			o.say("%d: %d jobs were put, and all but the newest %d deleted: %s", n+1, put.Load(), o.Jobs, s.sizes())
		}
	})
	_, err = s.queue(limited, o, &put)
	cancel()
	says.Wait()
	if err != nil {
		return err
	}
	time.Sleep(settles)
	o.say("in the end, after %d jobs: %s", put.Load(), s.sizes())
	return s.Stop()
}

// queue has each connection put jobs and delete its oldest ones.
func (s *site) queue(ctx context.Context, o Options, put *atomic.Int64) (int64, error) {
	begun := time.Now()
	var mu sync.Mutex
	all := map[*client.Client][]uint64{}
	return s.batches(ctx, 1<<40, func(c *client.Client) error {
		if before := put.Add(inFlight) - inFlight; o.Rate > 0 {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(time.Until(begun.Add(time.Duration(before) * time.Second / time.Duration(o.Rate)))):
			}
		}
		mu.Lock()
		ids := all[c]
		mu.Unlock()
		if err := s.batch(c, o.Body, func(r client.Reply) { ids = append(ids, r.Number) }); err != nil {
			return err
		}
		if len(ids) > o.Jobs/connections {
			if err := remove(c, ids[:inFlight]); err != nil {
				return err
			}
			ids = ids[inFlight:]
		}
		mu.Lock()
		all[c] = ids
		mu.Unlock()
		return nil
	})
}

// remove deletes jobs.
func remove(c *client.Client, ids []uint64) error {
	var commands strings.Builder
	for _, id := range ids {
		fmt.Fprintf(&commands, "delete %d\r\n", id)
	}
	return answers(c, commands.String(), "DELETED", nil)
}

// sizes are those of all nodes' tables, and of their engines' files.
func (s *site) sizes() string {
	var list []string
	for _, n := range s.Nodes {
		var tables, engine int64
		_ = filepath.WalkDir(n.Data(), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return nil // it is gone
			}
			info, err := d.Info()
			switch {
			case err != nil:
			case strings.HasSuffix(path, ".sst"):
				tables += info.Size()
			case strings.Contains(path, "/cluster/engine/"):
				engine += info.Size()
			}
			return nil
		})
		list = append(list, fmt.Sprintf("node %s %.1f MB of tables, %.1f MB of the engine", n.Name, float64(tables)/1e6, float64(engine)/1e6))
	}
	return strings.Join(list, "; ")
}
