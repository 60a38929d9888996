package cluster

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage/jetstream"
	"beanfield/storage/lanes"
)

// replica is one shard at this node: its lanes, its copy, and what drives them.
type replica struct {
	node   *Node
	i      int
	shard  *jetstream.Shard
	driver atomic.Pointer[jetstream.Driver] // nil while there is none
	failed atomic.Pointer[error]            // the copy takes nothing more

	appends atomic.Int64 // when the append that is under way began; 0 without one
	shows   atomic.Bool  // one of the owner's own is under way
	retired atomic.Bool  // the store is to be replaced: nothing of it counts. The loop sets it
	swap    sync.RWMutex // held while it is replaced, and for reading while it is copied

	// The loop's own.
	problem    string    // why the node cannot own the shard
	why        string    // it is rebuilt
	unreadable error     // the copy is damaged, and is in use, or about to be replaced
	replaces   bool      // it is rebuilt because it is, or was, damaged
	notBefore  time.Time // a damaged one that is in use is to be replaced
	state      jetstream.State
	members    []byte // the table that the copy has
	durable    uint64
}

// drive begins to follow the lanes from what the copy has.
func (r *replica) drive() error {
	d, err := jetstream.Drive(r.shard, jetstream.DriverOptions{
		Node: r.node.o.Node, Store: r.node.copies.Place(r.i), Base: r.shard.Base(),
		Taken: r.taken,
		Changed: func(role lanes.Role, epoch uint64, why error) {
			r.node.do(func(now time.Duration) {
				r.learn(now)
				r.report()
				r.node.election.Changed(now, r.i, role, epoch, why)
			})
		},
		Gap:    func() { r.node.do(func(time.Duration) { r.gap() }) },
		Broken: func(err error) { r.node.do(func(time.Duration) { r.broken(err) }) },
	})
	if err != nil {
		return err
	}
	r.driver.Store(d)
	return nil
}

// alien tells whether the copy lacks what the log began from. No other node is to have it.
func (r *replica) alien() bool {
	place := r.node.copies.Place(r.i)
	return place.Number == 0 && place.Hash != r.shard.Base()
}

// taken gives the copy what counts. What it refuses would leave a gap, so it gets nothing more then.
func (r *replica) taken(records []lanes.Entry) {
	for i := range records {
		if r.failed.Load() != nil {
			return
		}
		e := &records[i]
		r.node.length.Store((15*r.node.length.Load() + uint64(len(e.Data))) / 16)
		if err := r.node.copies.Take(r.i, e.Record, e.Data, e.Hash); err != nil {
			err = fmt.Errorf("shard %d: the copy cannot take record %d: %w", r.i, e.Record.Number, err)
			r.failed.Store(&err)
			if r.node.do(func(time.Duration) { r.broken(err) }) { // else it is being closed
				r.node.fail(fmt.Errorf("%w: %w", ErrFailed, err))
			}
		}
	}
}

// failure is what the copy has failed with.
func (r *replica) failure() error {
	if err := r.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// report tells the election how far the copy is.
func (r *replica) report() {
	if d := r.driver.Load(); d != nil {
		r.state = d.State()
	}
	if r.durable = 0; !r.retired.Load() {
		r.durable = r.node.copies.Durable(r.i)
	}
	its := r.node.election.Copy(r.i)
	its.Unread, its.Took = r.state.Unread, r.state.Took
	its.Place, its.Durable, its.Problem = r.state.Place.Number, r.durable, r.problem
}

// broken is called when the lanes have what they must not have, or the copy takes nothing more.
func (r *replica) broken(err error) {
	if r.problem != "" {
		return
	}
	r.problem = fmt.Sprintf("shard %d is broken at this node: %v", r.i, err)
	if errors.Is(err, lanes.ErrVersion) {
		r.node.fail(fmt.Errorf("%w: shard %d: %w", ErrRefused, r.i, err))
	}
	if r.failure() != nil {
		r.problem += "; restart this node, on a disk that works"
	}
	if errors.Is(err, lanes.ErrCut) || errors.Is(err, lanes.ErrForeign) {
		r.problem += "; the engine has lost or exchanged records: beanfield help recovery says what to do"
	}
	r.node.o.Logger.Error("this node cannot own the shards", "shard", r.i, "error", err)
	r.report()
}

// gap is called when records are missing that the lanes do not have any more.
func (r *replica) gap() {
	r.rebuild(fmt.Sprintf("the log has no records behind %d any more", r.state.Place.Number))
}

func (r *replica) close() {
	if d := r.driver.Swap(nil); d != nil {
		d.Close()
	}
}
