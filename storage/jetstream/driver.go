package jetstream

import (
	"context"
	"errors"
	"sync"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

const (
	// doubt is how long a request is waited for at first. It doubles while nothing succeeds.
	doubt     = 300 * time.Millisecond
	mostDoubt = 5 * time.Second
	// candidateDoubt is the most for a candidate, unless answers have taken longer.
	candidateDoubt = 600 * time.Millisecond
	// followEach is how often a follower reads the lanes on, ownEach an owner that has read them.
	followEach = 50 * time.Millisecond
	ownEach    = time.Second
	// readAgain is when a read is repeated that nothing has answered, unless the last answer has taken longer;
	// then it waits twice as long.
	readAgain = 30 * time.Millisecond
)

var (
	// ErrNotOwner says that turns were not appended, because the node does not own the shard.
	ErrNotOwner = errors.New("jetstream: this node does not own the shard")
	// ErrClosed says that the driver was closed. Nobody knows whether turns that it had begun to
	// append count.
	ErrClosed = errors.New("jetstream: closed")
)

// DriverOptions say for whom a Driver works. The functions are called by its goroutine: they
// must not wait for it, nor close it.
type DriverOptions struct {
	Node  string      // a name that no other one has
	Store turns.Place // what the node's store has; of an empty one, number 0, the origin and the Shard's base
	Base  uint64      // that of the Shard
	// Taken gets all records that count, behind Store, in the order of their numbers.
	Taken func(records []lanes.Entry)
	// Changed is called when the role changes; why says what ended the one before.
	Changed func(role lanes.Role, epoch uint64, why error)
	// Gap is called once, if what comes next is on neither lane: the node needs a checkpoint, and
	// then another Driver.
	Gap func()
	// Broken is called once, if the lanes have what they must not have. The driver does nothing more.
	Broken func(err error)
}

// State is what a Driver is doing.
type State struct {
	Role     lanes.Role
	Epoch    uint64 // of a candidate or owner
	Place    turns.Place
	Seen     uint64 // the newest epoch that was read
	Lane     int    // that the owner appends to
	Doubts   uint64 // requests that were not answered in time
	Refusals uint64 // appends that were refused
	Failures uint64 // requests that failed, which proves nothing
	Why      error  // the newest of these errors

	Unread bool          // the lanes may have more than was read of them
	Took   time.Duration // the longest between a request and its answer, fading by 1/16 with each answer
}

// engine is what an Exchange does. Tests have another one.
type engine interface {
	Send(r lanes.Request, sure bool)
	Again(id uint64) // a read, unless its answer has begun
	Drop(id uint64)
	Purge(lane int, seq uint64)
	Close()
}

// Driver drives one node's lanes.Log: one goroutine owns it.
type Driver struct {
	o      DriverOptions
	engine engine
	wake   chan struct{}
	ended  chan struct{}

	mu     sync.Mutex
	mail   []func() // what the goroutine is to do; nil when it has ended
	closed bool
	state  State

	// The goroutine's own.
	log      *lanes.Log
	role     lanes.Role
	waits    [2]wait
	patience time.Duration
	poll     time.Time
	queue    []*appending
	use      *int // the lane that is to be used next
	writing  writing
	suspect  suspect
	broken   error
	took     time.Duration // between the request that was answered last, and its answer

	find func(ctx context.Context, lane int, number uint64) (place uint64) // nil: lanes are read from their start
	ctx  context.Context
	stop context.CancelFunc
}

// wait is for the answer to a request.
type wait struct {
	id    uint64
	until time.Time
	begun time.Time
	round uint64 // of a follower's suspicion; 0 without one

	again time.Time // of a read: when it is repeated
	after time.Duration
}

// Drive begins to drive a node's log on a shard's lanes.
func Drive(s *Shard, o DriverOptions) (*Driver, error) {
	d := newDriver(o)
	x, err := s.NewExchange(d)
	if err != nil {
		return nil, err
	}
	d.find = s.readFrom
	d.begin(x)
	return d, nil
}

func newDriver(o DriverOptions) *Driver {
	ctx, cancel := context.WithCancel(context.Background())
	d := &Driver{
		ctx: ctx, stop: cancel, o: o, wake: make(chan struct{}, 1), ended: make(chan struct{}), patience: doubt,
		log: lanes.New(o.Node, o.Store), state: State{Place: o.Store, Unread: true},
	}
	d.log.Base(o.Base)
	return d
}

func (d *Driver) begin(e engine) {
	d.engine = e
	go d.run()
}

// Close ends the driver. Afterwards none of its functions is called any more.
func (d *Driver) Close() {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stop()
	d.nudge()
	<-d.ended
}

// State may be asked by anybody.
func (d *Driver) State() State {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.state
}

// Stand makes a follower a candidate. Changed tells what comes of it.
func (d *Driver) Stand() { d.post(d.stand) }

// Resign ends a candidacy or an ownership. Changed tells when it has.
func (d *Driver) Resign() { d.post(d.log.Resign) }

// Use has the owner use a lane, as soon as nothing is being appended.
func (d *Driver) Use(lane int) { d.post(func() { d.use = &lane }) }

// Purge frees what has numbers up to this one, which every counted copy must have durably folded.
// What cannot be freed now is freed by a later call.
func (d *Driver) Purge(durable uint64) {
	d.post(func() {
		for i := range d.waits {
			if seq := d.log.Purge(i, durable); seq > 0 {
				d.engine.Purge(i, seq)
			}
		}
	})
}

// post gives the goroutine something to do. It says whether there is one.
func (d *Driver) post(f func()) bool {
	d.mu.Lock()
	ok := !d.closed
	if ok {
		d.mail = append(d.mail, f)
	}
	d.mu.Unlock()
	d.nudge()
	return ok
}

func (d *Driver) nudge() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Appended, Refused, Read and Failed are for the engine.
func (d *Driver) Appended(id, seq uint64) {
	d.post(func() { d.answered(id, true, func() error { return d.log.Appended(id, seq) }) })
}

func (d *Driver) Refused(id, end uint64) {
	d.post(func() {
		d.count(func(s *State) { s.Refusals++ })
		d.answered(id, false, func() error { return d.log.Refused(id, end) })
	})
}

func (d *Driver) Read(id, first uint64, records [][]byte, more, sure bool) {
	d.post(func() { d.read(id, first, records, more, sure) })
}

// Failed is for the engine. An error proves nothing, so that the request is still in doubt (E4).
func (d *Driver) Failed(id uint64, err error) {
	d.post(func() { d.count(func(s *State) { s.Failures, s.Why = s.Failures+1, err }) })
}

func (d *Driver) count(f func(*State)) {
	d.mu.Lock()
	f(&d.state)
	d.mu.Unlock()
}
