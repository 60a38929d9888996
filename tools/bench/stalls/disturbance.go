//go:build linux

package stalls

import (
	"context"
	"fmt"
	"strings"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/bench/load"
	"beanfield/tools/bench/socket"
)

// A disturbance is what the neighbour is measured beside. Its code is written as if it waited for the server. While
// the neighbour is measured, it is driven in small steps by the neighbour's own goroutine: another one would take the
// processor from the neighbour, which would look like a stall of the server.
type disturbance struct {
	target  load.Target
	load    *load.Load
	payload *load.Payload
	turn    socket.Turn
	ends    []func() // close what is open

	starts time.Time    // when it begins by itself; zero: with the first step
	run    func() error // returns when it is over
	next   func() (worked, more bool, err error)
	over   bool
}

// kinds do all that comes before a disturbance, which may take long, and return the disturbance.
var kinds = map[string]func(*disturbance) (run func() error, err error){
	"kick":    (*disturbance).kick,    // every job of a tube is buried, and kicked with one command
	"death":   (*disturbance).death,   // a worker that has reserved every job of a tube closes its connection
	"due":     (*disturbance).due,     // delayed jobs come due, all in one second
	"pause":   (*disturbance).pause,   // workers wait for jobs of a paused tube, and the pause ends
	"body":    (*disturbance).large,   // a large job is put, reserved by another connection, deleted
	"busy":    (*disturbance).busy,    // connections work as hard as they can
	"fill":    (*disturbance).fill,    // connections put as fast as they can
	"hangup":  (*disturbance).hangup,  // connections that watch many tubes each hang up, all at once
	"watch":   (*disturbance).watch,   // one connection watches very many tubes
	"list":    (*disturbance).list,    // list-tubes, of very many tubes
	"stats":   (*disturbance).stats,   // stats-tube of a tube for which very many clients wait
	"reserve": (*disturbance).reserve, // reserves by a client that watches very many tubes
	"search":  (*disturbance).search,  // all bodies of a tube are searched, with list-jobs

	// By the queue service.
	"touch":         touch.of,        // it looks for an item of a tube for the first time
	"group":         group.of,        // a queue gets a second group
	"drop":          drop.of,         // the second group is removed
	"truncate":      truncate.of,     // every job is ended, in a queue with one group
	"truncate-view": truncateView.of, // likewise, with two groups
	"stuck":         stuck.of,        // consumers that never read
}

// disturbedTube is the tube of all disturbances but busy, which has that of other loads.
const disturbedTube = "bench-disturbed"

const (
	// piece is what is read or written at most before the neighbour has its turn.
	piece = 16 << 10
	// replyPatience is longer than any reply takes.
	replyPatience = time.Hour
)

func prepare(ctx context.Context, t load.Target, ld *load.Load) (d *disturbance, err error) {
	d = &disturbance{target: t, load: ld, payload: load.NewPayload(ld), turn: socket.Turn{Context: ctx}}
	if d.run, err = kinds[ld.Disturb](d); err == nil {
		var stop func()
		d.next, stop = d.turn.Steps(d.run)
		d.ends = append(d.ends, stop)
	}
	return d, err
}

// step does a little, without waiting. It tells whether there was anything to do.
func (d *disturbance) step() (worked bool, err error) {
	if d.over {
		return false, nil
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
}

// side connects, for code that is driven in steps.
func (d *disturbance) side(addr string) (*socket.Side, error) {
	s, err := socket.DialSide(addr, &d.turn, piece)
	if err == nil {
		d.ends = append(d.ends, func() { s.Close() })
	}
	return s, err
}

// dial connects a client.
func (d *disturbance) dial() (*client.Client, error) {
	s, err := d.side(d.target.Addr)
	if err != nil {
		return nil, err
	}
	return client.On(s, "the server", replyPatience), nil
}

// worker connects a client that uses and watches the disturbed tube alone.
func (d *disturbance) worker() (*client.Client, error) {
	c, err := d.dial()
	if err != nil {
		return nil, err
	}
	return c, says(c, "use "+disturbedTube, "USING ", "watch "+disturbedTube, "WATCHING ", "ignore default", "WATCHING ")
}

// says sends commands, one after the other, each followed by the reply that it must have. If that ends with a space,
// the reply goes on.
func says(c *client.Client, pairs ...string) error {
	for i := 0; i < len(pairs); i += 2 {
		command, want := pairs[i], pairs[i+1]
		r, err := c.Ask(command)
		if err == nil && r.Line != want && (!strings.HasSuffix(want, " ") || !strings.HasPrefix(r.Line, want)) {
			err = fmt.Errorf("answered %.80q, want %s", r.Line, want)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", command, err)
		}
	}
	return nil
}

// stream sends n commands, many at a time, and hands over the reply to each.
func stream(c *client.Client, n int, command func(i int) string, got func(client.Reply) error) error {
	p := c.Pipe(got)
	for i := range n {
		if err := p.Send(command(i)); err != nil {
			return err
		}
	}
	return p.Flush()
}

const counterPace = 10 * time.Millisecond

// await asks for the counts of the disturbed tube, over and over, but seldom, until they are right.
func (d *disturbance) await(c *client.Client, right func(counts client.Document) (bool, error)) error {
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
