package stalls

import (
	"context"
	"fmt"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// A disturbance is what the neighbour is measured beside. Its code is written as if it
// waited for the server. While the neighbour is measured, it is driven in small steps by the
// neighbour's own goroutine: another one would take the processor from the neighbour, which
// would look like a stall of the server.
type disturbance struct {
	target generator.Target
	load   *load.Load
	kind   kind
	turn   socket.Turn
	ends   []func() // close what is open

	starts time.Time // when it begins by itself; zero: with the first step
	next   func() (worked, more bool, err error)
	over   bool

	payload *generator.Payload
	ids     []uint64 // of the jobs, once they are put
	took    time.Duration

	// What prepare has made for run.
	one      talk.Client
	clients  []talk.Client
	visitors []*talk.Visitor // of the queue service
	side     *socket.Side
	stepper  *generator.Stepper
}

// A kind of disturbance: prepare does all that comes before it, and may take long; run
// returns when it is over.
type kind struct{ prepare, run func(*disturbance) error }

var kinds = map[string]kind{
	load.DisturbKick:         {(*disturbance).bury, (*disturbance).kick},
	load.DisturbDeath:        {(*disturbance).reserveAll, (*disturbance).die},
	load.DisturbDue:          {(*disturbance).delay, (*disturbance).settle},
	load.DisturbPause:        {(*disturbance).pause, (*disturbance).endPause},
	load.DisturbBody:         {(*disturbance).dialLarge, (*disturbance).large},
	load.DisturbBusy:         {(*disturbance).connectBusy, (*disturbance).work},
	load.DisturbFill:         {(*disturbance).connectFill, (*disturbance).work},
	load.DisturbHangup:       {(*disturbance).watchOften, (*disturbance).hangUp},
	load.DisturbWatch:        {(*disturbance).dialOne, (*disturbance).watch},
	load.DisturbList:         {(*disturbance).watchOnce, (*disturbance).list},
	load.DisturbStats:        {(*disturbance).crowd, (*disturbance).stats},
	load.DisturbReserve:      {(*disturbance).watchOnce, (*disturbance).reserve},
	load.DisturbSearch:       {(*disturbance).fillAndDial, (*disturbance).search},
	load.DisturbTouch:        {(*disturbance).queue, (*disturbance).touch},
	load.DisturbGroup:        {(*disturbance).queue, (*disturbance).group},
	load.DisturbDrop:         {(*disturbance).queue, (*disturbance).drop},
	load.DisturbTruncate:     {(*disturbance).queue, (*disturbance).truncate},
	load.DisturbTruncateView: {(*disturbance).queue, (*disturbance).truncate},
	load.DisturbStuck:        {(*disturbance).queue, (*disturbance).stick},
}

// disturbedTube is the tube of all disturbances but busy, which has that of other loads.
const disturbedTube = "bench-disturbed"

const (
	// stepPiece is what is read or written at most before the neighbour has its turn.
	stepPiece = 16 << 10
	// fillPiece is the same while nobody else has one.
	fillPiece = 64 << 10
)

func newDisturbance(t generator.Target, ld *load.Load) *disturbance {
	return &disturbance{target: t, load: ld, kind: kinds[ld.Disturb.By], payload: generator.NewPayload(ld.Body, 1,
		ld.Seed)}
}

func (d *disturbance) prepare(ctx context.Context) error {
	d.turn, d.starts, d.next, d.over = socket.Turn{Context: ctx}, time.Time{}, nil, false
	return d.kind.prepare(d)
}

// step does a little, without waiting. It tells whether there was anything to do.
func (d *disturbance) step() (worked bool, err error) {
	if d.over {
		return false, nil
	}
	if d.next == nil {
		next, stop := d.turn.Steps(func() error { return d.kind.run(d) })
		d.next, d.ends = next, append(d.ends, stop)
	}
	worked, more, err := d.next()
	d.over = !more
	return worked, err
}

// end closes what is open, whether it was over or not.
func (d *disturbance) end() {
	for _, end := range d.ends {
		end()
	}
	d.ends, d.clients, d.visitors = nil, nil, nil
}

// dial connects. The client is closed at the end.
func (d *disturbance) dial() (talk.Client, error) {
	c, err := talk.DialSide(d.target.Addr, &d.turn, stepPiece)
	if err == nil {
		d.ends = append(d.ends, c.Close)
	}
	return c, err
}

// dialOne is all that comes before a disturbance with one connection to the disturbed tube.
func (d *disturbance) dialOne() (err error) {
	if d.one, err = d.dial(); err != nil {
		return err
	}
	return d.one.MoveTo(disturbedTube)
}

// talk opens a connection to the disturbed tube for do, and closes it afterwards.
func (d *disturbance) talk(do func(talk.Client) error) error {
	c, err := talk.DialSide(d.target.Addr, &d.turn, fillPiece)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.MoveTo(disturbedTube); err != nil {
		return err
	}
	return do(c)
}

const counterPace = 10 * time.Millisecond

// await asks for the counts of the disturbed tube, over and over, but seldom, until they
// are right.
func (d *disturbance) await(c talk.Client, right func(counts client.Document) (bool, error)) error {
	for {
		counts, err := c.Stats("stats-tube " + disturbedTube)
		if err != nil {
			return err
		}
		if done, err := right(counts); done || err != nil {
			return err
		}
		if err := d.turn.Sleep(counterPace); err != nil {
			return fmt.Errorf("the tube has %v: %w", counts, err)
		}
	}
}

// counted is right when a count is what it must be.
func counted(key string, want int) func(client.Document) (bool, error) {
	return func(counts client.Document) (bool, error) { return counts.Number(key) == int64(want), nil }
}
