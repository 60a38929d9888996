package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/cluster/transfer"
	"beanfield/storage/turns"
)

const (
	// rebuildPoll is how often it is looked whether a checkpoint can be made.
	rebuildPoll  = ownership.BeatEach
	rebuildAgain = 3 * time.Second
	tellEach     = time.Second // how much of it has come
)

// rebuild has a shard's copy begin anew, from another node's checkpoint. Meanwhile nothing of it counts.
// The loop calls it.
func (r *replica) rebuild(why string) {
	if r.retired.Swap(true) {
		return
	}
	r.problem = fmt.Sprintf("shard %d waits for a checkpoint of another node: %s", r.i, why)
	r.node.o.Logger.Warn("a checkpoint of another node is needed", "shard", r.i, "why", why)
	r.report()
	r.why = why
	r.node.begun.Go(r.rebuilder)
}

// rebuilder is the goroutine that does it. It ends when that is done.
func (r *replica) rebuilder() {
	n := r.node
	ctx := n.ctx
	r.close()
	for again := rebuildPoll; ; {
		if pause(ctx, again) != nil {
			return
		}
		if again = rebuildPoll; !r.mayReplace(ctx) {
			continue
		}
		n.one.Lock() // at a time: each takes space and the network
		err := r.fetch(ctx)
		n.one.Unlock()
		if err == nil {
			break
		}
		again = rebuildAgain
		n.o.Logger.Warn("a checkpoint could not be fetched", "shard", r.i, "error", err)
		inUse := false
		_ = n.ask(func(time.Duration) {
			if inUse = r.unreadable != nil; inUse { // it is better than none, and nobody shall wait for it
				r.notBefore = time.Now().Add(againEach)
				r.resume()
				return
			}
			r.problem = fmt.Sprintf("shard %d waits for a checkpoint of another node: %s (%v)", r.i, r.why, err)
		})
		if inUse {
			return
		}
	}
	n.do(func(time.Duration) {
		r.failed.Store(nil)
		if n.election.Copy(r.i).Remark = ""; r.replaces {
			r.notBefore = time.Now().Add(refetchEach) // if the new one is damaged, too
		}
		r.resume()
	})
}

// resume has the copy that there is be used.
func (r *replica) resume() {
	r.problem, r.replaces = "", false
	r.retired.Store(false)
	if err := r.drive(); err != nil {
		r.broken(err)
	}
}

// mayReplace tells whether a checkpoint may be made now: no server uses the store, and the owner counts
// this node's copy, and nothing of it as durable (P8). A node that was given up joins again.
func (r *replica) mayReplace(ctx context.Context) (ok bool) {
	n, givenUp := r.node, false
	_ = n.ask(func(time.Duration) {
		givenUp = n.election.GivenUp(n.o.Node)
		ok = !givenUp && !n.election.InTerm() && n.election.CountsNothing(r.i)
	})
	if givenUp {
		_ = n.Join(ctx, n.o.Node) // it is asked again
	}
	return ok
}

// fetch gets a checkpoint and has it take the place of the store.
func (r *replica) fetch(ctx context.Context) error {
	n := r.node
	var source string
	if err := n.ask(func(time.Duration) { source, _ = n.election.Source(r.i) }); err != nil {
		return err
	}
	if source == "" {
		return errors.New("no other node has a copy that could be had")
	}
	into := filepath.Join(n.o.Dir, "incoming", strconv.Itoa(r.i))
	if err := errors.Join(os.RemoveAll(into), os.RemoveAll(transfer.Partial(into)), os.MkdirAll(filepath.Dir(into),
		0o700)); err != nil {
		return err
	}
	var place turns.Place
	begun := time.Now()
	o := transfer.Options{Accept: r.roomFor, Told: r.getting(source)}
	note, bytes, err := transfer.Fetch(ctx, n.bulk, n.subject("ship."+source), strconv.Itoa(r.i), into, o)
	if err == nil {
		err = json.Unmarshal(note, &place)
	}
	if err != nil {
		return fmt.Errorf("node %s: %w", source, err)
	}
	if place.Origin != r.shard.Origin() {
		return fmt.Errorf("node %s has sent a checkpoint of another log", source)
	}
	if err := r.replace(into); err != nil {
		return err
	}
	n.o.Logger.Info("a checkpoint of another node has taken the place of a copy", "shard", r.i, "from", source,
		"number", place.Number, "bytes", bytes, "after", time.Since(begun))
	return nil
}

// getting has it told once in a while how much of a checkpoint has come.
func (r *replica) getting(source string) func(done, total int64) {
	var told time.Time
	return func(done, total int64) {
		if time.Since(told) < tellEach {
			return
		}
		told = time.Now()
		r.node.do(func(time.Duration) {
			if r.retired.Load() {
				r.problem = fmt.Sprintf("shard %d gets a checkpoint of node %s, %.1f of %.1f MB: %s", r.i, source,
					float64(done)/1e6, float64(total)/1e6, r.why)
			}
		})
	}
}

// replace has a checkpoint take the place of the store.
func (r *replica) replace(dir string) error {
	n, replaces, setAside := r.node, false, false
	err := n.ask(func(time.Duration) {
		replaces, setAside = r.replaces, r.unreadable != nil
		r.unreadable = nil // what it may still hear is of the new one
		n.epochs = nil     // which may lack what was acknowledged here
	})
	if err != nil {
		return err
	}
	r.swap.Lock()
	defer r.swap.Unlock()
	if err = n.copies.Replace(r.i, dir, setAside); err != nil {
		n.fail(fmt.Errorf("%w: %w", ErrFailed, err)) // nobody knows what there is now
	} else if replaces {
		_ = os.WriteFile(r.lastReplaced(), []byte(time.Now().String()), 0o600) // else it is forgotten at the next start
	}
	return err
}

// serveCheckpoints has this node make checkpoints for others.
func (n *Node) serveCheckpoints() (err error) {
	out := filepath.Join(n.o.Dir, "outgoing")
	if err := errors.Join(os.RemoveAll(out), os.MkdirAll(out, 0o700)); err != nil {
		return err
	}
	checkpoint := func(_ context.Context, key string) (dir string, note []byte, remove func(), err error) {
		i, err := strconv.Atoi(key)
		if err != nil || i < 0 || i >= len(n.replicas) {
			return "", nil, nil, fmt.Errorf("cluster: there is no shard %q", key)
		}
		return n.replicas[i].checkpoint(out)
	}
	n.desk, err = transfer.Serve(n.bulk, n.subject("ship."+n.o.Node), checkpoint, transfer.Options{})
	return err
}

// checkpoint makes one below a directory.
func (r *replica) checkpoint(out string) (dir string, note []byte, remove func(), err error) {
	if !r.swap.TryRLock() {
		return "", nil, nil, fmt.Errorf("cluster: the copy of shard %d is being replaced", r.i)
	}
	defer r.swap.RUnlock()
	if r.retired.Load() || r.failed.Load() != nil {
		return "", nil, nil, fmt.Errorf("cluster: the copy of shard %d is not whole", r.i)
	}
	above, err := os.MkdirTemp(out, strconv.Itoa(r.i)+"-")
	if err != nil {
		return "", nil, nil, err
	}
	remove = func() { _ = os.RemoveAll(above) }
	dir = filepath.Join(above, "store")
	place, err := r.node.copies.Checkpoint(r.i, dir)
	if err == nil {
		note, err = json.Marshal(place)
	}
	if err != nil {
		remove()
		return "", nil, nil, err
	}
	return dir, note, remove, nil
}

// rebuildHere begins anew from another node's checkpoints; a negative shard means all.
func (n *Node) rebuildHere(shard int) error {
	if n.election.Role() >= ownership.Candidate || n.election.InTerm() {
		return errors.New("cluster: the owner's copies cannot be rebuilt: move the shards to another node first")
	}
	if shard >= len(n.replicas) {
		return fmt.Errorf("cluster: there is no shard %d", shard)
	}
	for _, r := range n.replicas {
		if shard < 0 || shard == r.i {
			r.notBefore = time.Time{}
			if r.unreadable == nil { // else see replaceDamaged
				r.rebuild("an operator has ordered it")
			}
		}
	}
	return nil
}
