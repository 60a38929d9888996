package pebblestore

import (
	"errors"
	"fmt"
	"time"

	"beanfield/storage"
	"beanfield/storage/pebblestore/committer"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/turns"
)

// Upstream has an owner's turns appended where several machines keep them.
type Upstream interface {
	// Append returns when the turns count, and Take has been given their records. After an error nobody knows whether
	// the turns count, and nothing more is appended.
	Append(b []byte) error
	// Holds tells whether answers may leave now. It is cheap.
	Holds() bool
}

// ErrNoLease says that another node may own the shards by now: what was asked for may have been
// done or not.
var ErrNoLease = errors.New("storage: this node may own the shards no more")

// Serve is the store of the node that owns the shards. When it is closed, the copies go on; they may
// be served again.
func (r *Replicas) Serve(up func(shard int) Upstream) storage.Store { return &serving{r.store, up} }

type serving struct {
	*store
	up func(shard int) Upstream
}

// Open implements storage.Store.
func (s *serving) Open(n int, _ func(tube string) int) ([]storage.Log, error) {
	if n != len(s.logs) {
		return nil, fmt.Errorf("storage: the cluster has %d shards, not %d", len(s.logs), n)
	}
	logs := make([]storage.Log, n)
	err := inParallel(n, func(i int) error {
		l := s.logs[i]
		logs[i] = l.serve(s.up(i))
		if l.window.Pieces() {
			return l.foldAll() // large bodies are read from the store only
		}
		return nil
	})
	return logs, err
}

// Close implements storage.Store: what was committed is appended, if it still can be.
func (s *serving) Close() error { return endServing(s.logs) }

func endServing(logs []*shardLog) error {
	return inParallel(len(logs), func(i int) error {
		l := logs[i]
		if !l.committer.Close() {
			return nil
		}
		select {
		case <-l.committer.Done:
		case <-l.fault.Dead:
			return l.fault.Err()
		}
		l.stages.Wait()
		return nil
	})
}

// serve makes a copy the log of its owner.
func (l *shardLog) serve(up Upstream) *owned {
	o := &owned{l, up}
	l.opened, l.cleaned, l.newest = l.window.Highest(), false, nil
	l.changing.Lock()
	l.committer = committer.New((*owning)(o), true)
	l.changing.Unlock()
	if err := l.fault.Err(); err != nil {
		l.committer.Fail(err)
	}
	l.commits()
	return o
}

// owned is a copy as its owner sees it.
type owned struct {
	*shardLog
	up Upstream
}

// Commit implements storage.Log. A turn that wrote nothing may have handed out a job all the same.
func (o *owned) Commit(ack storage.Ack) bool {
	o.leased()
	return o.shardLog.Commit(ack)
}

// CommitLater implements storage.Pusher.
func (o *owned) CommitLater(ack storage.Ack) bool {
	o.leased()
	return o.shardLog.CommitLater(ack)
}

// Stage implements storage.Log: a large body goes through the log that all machines keep, and then
// into the store at once, where it is read.
func (o *owned) Stage(id uint64, body [][]byte, ack storage.Ack) { o.stageBy(o.keep, id, body, ack) }

// piecesAtOnce is how many pieces go into an append. A record of the lanes has room for so many.
const piecesAtOnce = 3

func (o *owned) keep(id uint64, body [][]byte) (sum uint32, err error) {
	value := make([]byte, 0, format.HeadLen+format.PieceSize)
	for n := 0; len(body) > 0; {
		var b []byte
		for end := n + piecesAtOnce; n < end && len(body) > 0; n++ {
			key := format.PieceKey(id, n)
			value, body = cutPiece(key[:], value, body, &sum)
			b = turns.AppendPiece(b, id, uint64(n), value)
		}
		if err := o.up.Append(b); err != nil {
			return 0, fmt.Errorf("storage: body of job %d: %w", id, err)
		}
	}
	return sum, o.foldAll()
}

// Replay implements storage.Log. Bodies that a former owner staged, and whose jobs were never put,
// are removed from all copies with the first turn.
func (o *owned) Replay(fn func(j *storage.Job, body []byte) error) error {
	err := o.shardLog.Replay(fn)
	for _, id := range o.copied.strays {
		g := o.committer.Begin()
		g.Buf = turns.AppendDelete(g.Buf, id, false, true)
	}
	o.copied.strays = nil
	return err
}

// leased ends the log if answers may not leave any more.
func (o *owned) leased() {
	if !o.up.Holds() {
		o.committer.Fail(ErrNoLease)
	}
}

// owning carries out the commits of an owner.
type owning owned

// Apply implements committer.Log: the group is appended where all machines keep it. Take gives the
// copy its records.
func (o *owning) Apply(g *committer.Group) error {
	began := time.Now()
	if g.Written() {
		if err := o.up.Append(g.Sealed); err != nil {
			return err
		}
		o.durable.Add(1)
		o.tallies.applied(g, began)
	}
	if !o.up.Holds() {
		return ErrNoLease
	}
	return nil
}

// Broken implements committer.Log. The copy is as sound as before.
func (o *owning) Broken(err error) { o.committer.Fail(err) }
