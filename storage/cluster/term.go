package cluster

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
	"beanfield/storage/tally"
	"beanfield/storage/turns"
)

// Term is a time during which a node owns all shards.
type Term struct {
	node      *Node
	epochs    []uint64
	until     atomic.Int64 // the time of the node at which it lapses
	lost      chan struct{}
	leave     chan struct{}
	leaveOnce sync.Once
	failOnce  sync.Once
	ended     atomic.Bool
	partless  bool // no parts of turns are at the end of a log: see endParts. The changer's

	mu    sync.Mutex
	why   error
	state int // of being handed to the server
}

const (
	waiting = iota
	given
	serving // answers may leave
	dropped
)

func newTerm(n *Node, epochs []uint64) *Term {
	return &Term{node: n, epochs: epochs, lost: make(chan struct{}), leave: make(chan struct{})}
}

// taken tells whether the server may have it.
func (t *Term) taken() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.state == waiting {
		t.state = given
	}
	return t.state == given
}

// unwanted ends a term that is over, or shall be, before the server has taken it.
func (t *Term) unwanted() {
	t.mu.Lock()
	drop := t.state == waiting
	if drop {
		t.state = dropped
	}
	t.mu.Unlock()
	if drop {
		select {
		case <-t.node.came:
		default:
		}
		t.End()
	}
}

func (t *Term) lose(why error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.why == nil {
		t.why = why
		t.until.Store(0)
		close(t.lost)
	}
}

// blank is what appends show to nodes that have lost what they promised.
type blank struct {
	epochs []uint64
	lives  map[string]uint64
}

// showEach is how often an owner appends something of its own while a node is to be shown something
// (P12). What clients change does it, too, but on a shard that has no clients nobody would.
const showEach = 500 * time.Millisecond

// show appends a turn that changes nothing to each shard, if that is due.
func (n *Node) show(now time.Duration) {
	t := n.term
	if t == nil || now < n.showAt || n.blank.Load() == nil || n.election.Role() != ownership.Owner {
		return
	}
	if !t.serves() {
		return
	}
	n.showAt = now + showEach
	for i, r := range n.replicas {
		if r.shows.CompareAndSwap(false, true) {
			go func() { // it ends with its driver at the latest
				_ = t.Append(i, turns.AppendRaise(nil, 0))
				r.shows.Store(false)
			}()
		}
	}
}

// serves tells whether answers may leave; before that a lease that lapses for a moment would end the term.
func (t *Term) serves() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state == serving
}

// Append appends turns of a shard. It returns when they count, and the node's copy has them. After an error nobody
// knows whether they count, and the term is over. The bytes are free again when it returns.
func (t *Term) Append(shard int, b []byte) error {
	n, r := t.node, t.node.replicas[shard]
	d := r.driver.Load()
	if d == nil || t.ended.Load() || !t.Holds() {
		return t.over(jetstream.ErrNotOwner)
	}
	shown := n.blank.Load()
	begun := time.Now()
	if r.appends.CompareAndSwap(0, int64(n.now())) { // the first of those that wait
		defer r.appends.Store(0)
	}
	done := make(chan error, 1)
	d.Append(b, func(err error) { done <- err })
	err := <-done
	if err == nil {
		err = r.failure()
	}
	if err != nil {
		return t.over(err)
	}
	n.appends.Add(tally.Time(int64(time.Since(begun))), 1)
	if shown != nil && shown.epochs[shard] == t.epochs[shard] {
		n.do(func(now time.Duration) { n.election.Landed(now, shard, t.epochs[shard], maps.Clone(shown.lives)) })
	}
	return nil
}

// over is the error of an append. The term ends with it, because the store behind the server may lack
// what the log has.
func (t *Term) over(err error) error {
	t.failOnce.Do(func() {
		t.node.do(func(now time.Duration) {
			if t.node.term == t {
				t.node.election.Fail(now, err)
			}
		})
	})
	if why := t.Why(); why != nil {
		return fmt.Errorf("%w (%w)", why, err)
	}
	return err
}

// Holds tells whether answers may leave now. It is cheap. If they may not, the term is over: whoever asks does not
// ask again.
func (t *Term) Holds() bool {
	if int64(t.node.now()) < t.until.Load() && !t.ended.Load() {
		return true
	}
	_ = t.over(ownership.ErrLease)
	return false
}

// Serve waits until answers may leave, or the term is to end. It is called before the first one does: until then
// the lease may lapse, and hold again.
func (t *Term) Serve(ctx context.Context) {
	_ = t.node.wait(ctx, func() bool {
		if t.node.term != t || t.ended.Load() || t.Why() != nil {
			return true
		}
		serves := t.node.election.MayAnswer(t.node.now())
		if serves {
			t.mu.Lock()
			t.state = serving
			t.mu.Unlock()
		}
		return serves
	})
}

// Lost is closed when the term is over at once: no answer may leave any more. End is to be called
// then, too.
func (t *Term) Lost() <-chan struct{} { return t.lost }

// Why says what has ended the term, once Lost is closed.
func (t *Term) Why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.why
}

// Leave is closed when somebody else is to own the shards: the server stops in order, and calls
// End.
func (t *Term) Leave() <-chan struct{} { return t.leave }

// unopened tells whether the server has had the term and gives it back unused, though nobody asked for it.
func (t *Term) unopened() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.leave:
		return false
	default:
		return t.state == given && t.why == nil
	}
}

// End ends the term: nothing is appended or answered any more. The successor begins at once. It
// may be called at any time, and more than once.
func (t *Term) End() {
	if t.ended.Swap(true) {
		return
	}
	n := t.node
	n.do(func(now time.Duration) {
		if n.term == t {
			n.term = nil
			if n.election.End(now); t.unopened() {
				n.unopened = now + againEach
				n.election.Fault = cmp.Or(n.fault, n.tendCopies())
			}
		}
	})
}
