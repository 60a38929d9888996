package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// randomRun is one seed: two fresh servers and a generator.
type randomRun struct {
	pair     *pair
	gen      *generator
	seed     uint64
	steps    int // done
	commands int // sent and compared
	reserves int // that the reference will have counted once it has read all
	other    int // of these, what the subject was told in other words
	history  []string
	differs  error // the first difference
}

// historySize is how many steps a report shows.
const historySize = 30

// compareAllEvery is after how many steps every tube's figures are compared;
// the global ones are compared after every step.
const compareAllEvery = 25

// runSeed does the given number of steps, up to the first difference.
func runSeed(ctx context.Context, p programs, seed uint64, steps int) (*randomRun, error) {
	gen := newGenerator(seed)
	if p.reworded {
		gen.words = newRewording(seed)
	}
	pr, err := startPair(ctx, p, p.formOf(seed), gen.maxJob)
	if err != nil {
		return nil, err
	}
	defer pr.stop()
	r := &randomRun{pair: pr, gen: gen, seed: seed}
	r.run(ctx, steps)
	r.differs = pr.blame(r.differs)
	return r, ctx.Err()
}

// formOf gives each seed its form, the same whenever it is repeated.
func (p programs) formOf(seed uint64) form {
	if f := formsOf[seed%uint64(len(formsOf))]; p.subject[f] != nil {
		return f
	}
	return never
}

func (r *randomRun) run(ctx context.Context, steps int) {
	for r.steps < steps && r.differs == nil && ctx.Err() == nil {
		s := r.gen.next()
		r.steps++
		r.remember(s)
		r.differs = r.perform(s)
	}
	if r.differs == nil {
		r.differs = r.finish()
	}
}

func (r *randomRun) remember(s step) {
	if len(r.history) == historySize {
		r.history = r.history[1:]
	}
	r.history = append(r.history, fmt.Sprintf("%5d %s", r.steps, s))
}

// perform does one step, and everything that follows from it.
func (r *randomRun) perform(s step) error {
	if err := r.act(s); err != nil {
		return err
	}
	if err := r.settle(); err != nil {
		return err
	}
	if err := r.pair.unread(); err != nil {
		return err
	}
	if r.steps%compareAllEvery == 0 {
		return r.pair.compareAll()
	}
	_, err := r.pair.both("stats")
	return err
}

func (r *randomRun) act(s step) error {
	switch s.kind {
	case stepConnect:
		r.commands++
		return r.pair.open(s.conn)
	case stepQuit, stepHalfClose, stepAbort:
		return r.leave(s)
	case stepDelay:
		return r.delay(s)
	case stepPause:
		return r.pause(s)
	}
	return r.send(s)
}

// send sends a group of commands and reads the replies that come at once.
func (r *randomRun) send(s step) error {
	m := r.gen.member(s.conn)
	at := s.commands
	if s.blocks >= 0 {
		at, m.pending = s.commands[:s.blocks], s.commands[s.blocks:]
		r.reserves++
	}
	for _, c := range at {
		if c.reserves() {
			r.reserves++
			if c.instead != "" {
				r.other++
			}
		}
	}
	r.pair.ref.writeChunks(s.conn, joined(s.commands), s.cuts)
	r.pair.sub.writeChunks(s.conn, reworded(s.commands), s.cuts)
	for _, c := range at {
		if _, err := r.answer(m, c); err != nil {
			return err
		}
	}
	return nil
}

// answer reads and compares the reply to one command.
func (r *randomRun) answer(m *member, c command) (reply, error) {
	ref, _, err := r.pair.expectBack(m.name, c.text, c.back)
	if err != nil {
		return reply{}, err
	}
	r.commands++
	r.gen.observe(m, c, ref.reply)
	return ref.reply, nil
}

// settle reads the replies of everybody who waited and has been served. The
// reference decides who that is; the subject must agree.
func (r *randomRun) settle() error {
	for {
		waiting := r.waiting()
		if len(waiting) == 0 {
			return nil
		}
		left, err := r.stillWaiting()
		if err != nil {
			return err
		}
		if left > len(waiting) {
			return fmt.Errorf("the reference has %d clients waiting, but only %d could", left, len(waiting))
		}
		if left == len(waiting) {
			return nil
		}
		for range len(waiting) - left {
			name, ok := r.pair.ref.nextOf(waiting, r.pair.patience)
			if !ok {
				return r.pair.silent(r.pair.ref, "any of the waiting clients", "reserve", "", "")
			}
			if err := r.served(r.gen.member(name)); err != nil {
				return err
			}
			waiting = slices.DeleteFunc(waiting, func(n string) bool { return n == name })
		}
	}
}

// waiting names the connections with a reserve that is not answered.
func (r *randomRun) waiting() []string {
	var names []string
	for _, m := range r.gen.conns {
		if m.waiting() {
			names = append(names, m.name)
		}
	}
	return names
}

// stillWaiting asks the reference how many clients wait, once it has read every
// reserve that was sent: a question on another connection may overtake a reserve.
// The subject's count is compared with the rest of stats.
func (r *randomRun) stillWaiting() (int, error) {
	left, err := r.waitingOn(r.pair.ref)
	if err != nil {
		return 0, err
	}
	_, err = r.waitingOn(r.pair.sub)
	return left, err
}

func (r *randomRun) waitingOn(s *side) (int, error) {
	deadline, want := time.Now().Add(r.pair.patience), r.reserves
	if s == r.pair.sub {
		want -= r.other
	}
	for {
		stats, err := r.pair.ask(s, control, "stats")
		if err != nil {
			return 0, err
		}
		seen := number(stats, "cmd-reserve") + number(stats, "cmd-reserve-with-timeout")
		if seen == want {
			return number(stats, "current-waiting"), nil
		}
		if seen > want || time.Now().After(deadline) {
			return 0, fmt.Errorf("the %s has seen %d reserves, but %d were sent", s.name, seen, want)
		}
	}
}

func number(r reply, key string) int {
	v, _ := r.value(key)
	n, err := strconv.Atoi(v)
	if err != nil {
		return -1
	}
	return n
}

// served reads what a client gets when it is no longer blocked: its job, and the
// replies to the commands after its reserve.
func (r *randomRun) served(m *member) error {
	pending := m.pending
	m.pending, m.waitsOn = nil, nil
	for _, c := range pending {
		if _, err := r.answer(m, c); err != nil {
			return err
		}
	}
	return nil
}

// leave ends a connection and waits until both servers have noticed: the end
// of the stream says so, or for a client that died the number of connections.
func (r *randomRun) leave(s step) error {
	m := r.gen.member(s.conn)
	r.commands++
	if s.kind == stepAbort {
		r.gen.left(s.conn)
		r.pair.abort(s.conn)
		left := strconv.Itoa(len(r.gen.conns) + 1) // and the control connection
		return r.pair.until(control, "stats", "current-connections", left)
	}
	if s.kind == stepQuit {
		r.pair.write(s.conn, []byte("quit\r\n"))
	} else {
		r.pair.halfClose(s.conn)
	}
	if err := r.served(m); err != nil {
		return err
	}
	ref, _, err := r.pair.expect(s.conn, "end")
	if err != nil {
		return err
	}
	if !ref.eof {
		return errors.New("the reference sent more than was due before closing")
	}
	r.pair.forget(s.conn)
	r.gen.left(s.conn)
	return nil
}

// delay puts a job that is delayed a second, and waits until it is ready.
func (r *randomRun) delay(s step) error {
	stats, err := r.pair.ask(r.pair.ref, control, "stats")
	if err != nil {
		return err
	}
	before, _ := stats.value("current-jobs-delayed")
	if err := r.send(s); err != nil {
		return err
	}
	return r.pair.until(control, "stats", "current-jobs-delayed", before)
}

// pause pauses a tube for a second, and waits until it is over.
func (r *randomRun) pause(s step) error {
	m, c := r.gen.member(s.conn), s.commands[0]
	r.pair.write(s.conn, []byte(c.text))
	got, err := r.answer(m, c)
	if err != nil || got.word() != "PAUSED" {
		return err
	}
	tube := strings.Fields(c.text)[1]
	return r.pair.until(control, "stats-tube "+tube, "pause", "0")
}

// finish lets everybody go, one after the other, and compares what is left.
func (r *randomRun) finish() error {
	for len(r.gen.conns) > 0 {
		m := r.gen.conns[0]
		kind := stepQuit
		if m.waiting() {
			kind = stepHalfClose
		}
		s := m.step(kind)
		r.remember(s)
		if err := r.perform(s); err != nil {
			return err
		}
	}
	return r.pair.compareAll()
}
