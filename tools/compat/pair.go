package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"beanfield/tools/server"
)

// control is the connection on which the tool asks its own questions. It is the
// first one of every server and never does anything else.
const control = "control"

// programs says what is compared and how patient the comparison is.
type programs struct {
	reference []string
	subject   map[form][]string // by how it is to write strings in stats; never is always there
	same      bool              // the subject is a beanstalkd too: nothing differs on purpose
	reworded  bool              // the subject is told some commands in its own words
	through   bool              // the subject is a cluster
	flags     string            // for both, beside those that each case has: where they keep their jobs
	patience  time.Duration
}

// pair is the two servers, kept in lockstep.
type pair struct {
	ref, sub *side
	patience time.Duration
}

// startPair starts both servers afresh, the subject in a form that it has.
func startPair(ctx context.Context, p programs, f form, maxJob int) (*pair, error) {
	run := func(command []string) (*server.Launched, net.Conn, error) {
		return server.Launch{Command: fmt.Sprintf("%s -z %d -l 127.0.0.1 -p {port}%s", strings.Join(command, " "),
			maxJob, p.flags)}.Run(ctx)
	}
	// The subject comes first, because a cluster takes seconds to begin, and uptimes are compared.
	s, subConn, err := run(p.subject[f])
	if p.through && errors.Is(err, server.ErrNotStarted) { // two clusters that start at once may want the same port
		fmt.Fprintln(os.Stderr, "a cluster is started again:", err)
		s, subConn, err = run(p.subject[f])
	}
	if err != nil {
		return nil, err
	}
	r, refConn, err := run(p.reference)
	if err != nil {
		subConn.Close()
		s.Kill()
		return nil, err
	}
	pr := &pair{ref: newSide("reference", r.PID(), r), sub: newSide("subject", s.PID(), s), patience: p.patience}
	pr.ref.beanstalkd, pr.sub.beanstalkd = true, p.same
	pr.ref.form, pr.sub.form = never, f
	pr.sub.reworded, pr.sub.logs = p.reworded, p.through || p.flags != ""
	pr.ref.attach(control, refConn)
	pr.sub.attach(control, subConn)
	return pr, nil
}

// restart kills both processes, and starts them again on what they have kept.
func (p *pair) restart() error {
	for _, s := range []*side{p.sub, p.ref} {
		s.close()
		s.server.End(syscall.SIGKILL)
		if err := s.server.Start(); err != nil {
			return err
		}
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		conn, err := s.server.Connect(ctx)
		cancel()
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		s.pid, s.asked = s.server.PID(), map[string]int{}
		s.attach(control, conn)
	}
	return nil
}

// blame looks whether a difference tells of the cluster, which has another owner by now, and has cut its clients.
func (p *pair) blame(err error) error {
	if err != nil && p.sub.logs && p.sub.server.Moved() {
		return starved{fmt.Errorf("the cluster has another owner by now: %w", err)}
	}
	return err
}

// stop ends connections and processes.
func (p *pair) stop() {
	for _, s := range []*side{p.ref, p.sub} {
		s.close()
		s.server.Kill()
	}
}

// mismatch is a difference between the servers, or an answer that did not come.
type mismatch struct {
	conn, command string
	ref, sub      string
	why           error
}

func (m *mismatch) Error() string {
	return fmt.Sprintf("%s, after %s: %v\n  reference: %s\n  subject:   %s",
		m.conn, strconv.Quote(short(m.command)), m.why, short(m.ref), short(m.sub))
}

// shown is how much of a command or a reply a report shows.
const shown = 600

func short(s string) string {
	if len(s) <= shown {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:shown], len(s))
}

// open makes one more connection to both servers, and waits until both have
// taken it: a question on it makes sure that it is counted from here on.
func (p *pair) open(conn string) error {
	if err := errors.Join(p.ref.dial(conn), p.sub.dial(conn)); err != nil {
		return err
	}
	p.write(conn, []byte("list-tube-used\r\n"))
	_, _, err := p.expect(conn, "list-tube-used")
	return err
}

func (p *pair) write(conn string, data []byte) {
	p.ref.write(conn, data)
	p.sub.write(conn, data)
}

// writeChunks sends data cut at the given places, each part in a write of its
// own.
func (s *side) writeChunks(conn string, data []byte, cuts []int) {
	from := 0
	for _, cut := range append(cuts[:len(cuts):len(cuts)], len(data)) {
		cut = min(cut, len(data))
		s.write(conn, data[from:cut])
		from = cut
	}
}

func (p *pair) halfClose(conn string) {
	p.ref.halfClose(conn)
	p.sub.halfClose(conn)
}

func (p *pair) abort(conn string) {
	p.ref.abort(conn)
	p.sub.abort(conn)
}

func (p *pair) forget(conn string) {
	p.ref.forget(conn)
	p.sub.forget(conn)
}

// expect reads the next reply of both and compares them. The arrivals are
// returned also when they differ.
func (p *pair) expect(conn, command string) (ref, sub arrival, err error) {
	return p.expectBack(conn, command, nil)
}

// expectBack is expect for a command that the subject was told in other words: back brings its answer into the
// reference's.
func (p *pair) expectBack(conn, command string, back func(reply) reply) (ref, sub arrival, err error) {
	ref, ok := p.ref.next(conn, p.patience)
	if !ok {
		return ref, sub, p.silent(p.ref, conn, command, "", "")
	}
	sub, ok = p.sub.next(conn, p.patience)
	if !ok {
		return ref, sub, p.silent(p.sub, conn, command, ref.String(), "(nothing)")
	}
	if back != nil {
		sub.reply = back(sub.reply)
	}
	if why := compareReplies(ref.reply, sub.reply, p.ref, p.sub); why != nil {
		return ref, sub, &mismatch{conn, command, ref.String(), sub.String(), why}
	}
	return ref, sub, nil
}

func (p *pair) silent(s *side, conn, command, ref, sub string) error {
	why := fmt.Errorf("the %s did not answer within %v", s.name, p.patience)
	if err := s.server.Died(); err != nil {
		why = fmt.Errorf("%s: %w", s.name, err)
	}
	return &mismatch{conn, command, ref, sub, why}
}

// counters says which counter of stats a question of the tool's own raises.
var counters = map[string]string{
	"stats":      "cmd-stats",
	"stats-job":  "cmd-stats-job",
	"stats-tube": "cmd-stats-tube",
}

// ask puts a question of the tool's own to one server.
func (p *pair) ask(s *side, conn, question string) (reply, error) {
	s.write(conn, []byte(question+"\r\n"))
	verb, _, _ := strings.Cut(question, " ")
	s.asked[counters[verb]]++
	a, ok := s.next(conn, p.patience)
	if !ok {
		return reply{}, p.silent(s, conn, question, "", "")
	}
	return a.reply, nil
}

// until asks both servers a question, over and over, until the answer has the
// value. It is for what happens by itself: a timer, a connection that died.
func (p *pair) until(conn, question, key, value string) error {
	for _, s := range []*side{p.ref, p.sub} {
		if err := p.untilSide(s, conn, question, key, value); err != nil {
			return err
		}
	}
	return nil
}

// pollEvery is the pause between two questions of until.
const pollEvery = 2 * time.Millisecond

func (p *pair) untilSide(s *side, conn, question, key, value string) error {
	deadline := time.Now().Add(p.patience)
	for {
		r, err := p.ask(s, conn, question)
		if err != nil {
			return err
		}
		if v, _ := r.value(key); v == value {
			return nil
		}
		if time.Now().After(deadline) {
			why := fmt.Errorf("the %s's %s did not become %s within %v", s.name, key, value, p.patience)
			return &mismatch{conn, question, "", r.String(), why}
		}
		time.Sleep(pollEvery)
	}
}

// unread reports replies that nobody asked for.
func (p *pair) unread() error {
	for _, s := range []*side{p.ref, p.sub} {
		if conn, r, ok := s.unread(); ok {
			return fmt.Errorf("%s: the %s sent a reply that was not due: %s", conn, s.name, short(r.String()))
		}
	}
	return nil
}

// compareAll compares every figure of the two servers.
func (p *pair) compareAll() error {
	tubes, err := p.both("list-tubes")
	if err != nil {
		return err
	}
	for line := range strings.SplitSeq(string(tubes.raw), "\n") {
		if name, ok := strings.CutPrefix(line, "- "); ok {
			if _, err := p.both("stats-tube " + name); err != nil {
				return err
			}
		}
	}
	_, err = p.both("stats")
	return err
}

// both sends one command on the control connection and compares the replies.
func (p *pair) both(command string) (reply, error) {
	p.write(control, []byte(command+"\r\n"))
	ref, _, err := p.expect(control, command)
	return ref.reply, err
}

// signal sends both processes a signal.
func (p *pair) signal(sig os.Signal) error {
	return errors.Join(p.ref.server.Signal(sig), p.sub.server.Signal(sig))
}
