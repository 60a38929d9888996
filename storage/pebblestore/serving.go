package pebblestore

import (
	"errors"
	"fmt"
	"time"

	"beanfield/storage"
	"beanfield/storage/pebblestore/committer"
)

// Upstream has an owner's turns appended where several machines keep them.
type Upstream interface {
	// Append returns when the turns count, and Take has been given their records. Number is that
	// of the last. After an error nobody knows whether the turns count, and nothing more is appended.
	Append(b []byte) (number uint64, err error)
	// Holds tells whether answers may leave now. It is cheap.
	Holds() bool
}

// ErrNoMandate says that another node may own the shards by now: what was asked for may have been
// done or not.
var ErrNoMandate = errors.New("storage: this node may own the shards no more")

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
	for i, l := range s.logs {
		logs[i] = l.serve(s.up(i))
	}
	return logs, nil
}

// Close implements storage.Store: what was committed is appended, if it still can be.
func (s *serving) Close() error {
	return inParallel(len(s.logs), func(i int) error {
		l := s.logs[i]
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
	l.committer.Start(min(mostQueued, int(l.store.sharing.Mem/4)), &committer.Group{}, &committer.Group{})
	return o
}

// owned is a copy as its owner sees it.
type owned struct {
	*shardLog
	up Upstream
}

// Commit implements storage.Log. A turn that wrote nothing may have handed out a job all the same.
func (o *owned) Commit(ack storage.Ack) bool {
	o.mandated()
	return o.shardLog.Commit(ack)
}

// CommitLater implements storage.Pusher.
func (o *owned) CommitLater(ack storage.Ack) bool {
	o.mandated()
	return o.shardLog.CommitLater(ack)
}

// mandated ends the log if answers may not leave any more.
func (o *owned) mandated() {
	if !o.up.Holds() {
		o.committer.Fail(ErrNoMandate)
	}
}

// owning carries out the commits of an owner.
type owning owned

// Apply implements committer.Log: the group is appended where all machines keep it. Take gives the
// copy its records.
func (o *owning) Apply(g *committer.Group) error {
	began := time.Now()
	if g.Written() {
		if _, err := o.up.Append(g.Sealed); err != nil {
			return err
		}
		o.durable.Add(1)
		o.tallies.applied(g, began)
	}
	if !o.up.Holds() {
		return ErrNoMandate
	}
	return nil
}

// Broken implements committer.Log. The copy is as sound as before.
func (o *owning) Broken(err error) { o.committer.Fail(err) }
