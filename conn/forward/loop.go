package forward

import (
	"context"
	"math"
	"sync"
	"time"

	"beanfield/conn/socket"
)

// loop is a goroutine with its share of the pairs. Others reach it by post.
type loop struct {
	poll *socket.Poller
	line *line // clients that are not joined; nil at a link

	mu     sync.Mutex
	tasks  []func() // that others have posted
	asleep bool     // it waits for events, or is about to
	over   bool     // nothing can be posted any more
	ended  chan struct{}

	// touched by the loop's goroutine only
	start     time.Time
	now       int64   // in nanoseconds since start, when this round began
	pairs     []*pair // by the descriptor of either end
	open      int     // pairs that are not over
	again     []*pair // that have had their share and have more to do
	lingering list    // joined, and one side is gone: by when a byte last moved
	gone      []*pair // over, and to be closed at the end of the round (FW6)
	buf       []byte  // of the read that is being passed on
	records   socket.Buffers
	stopping  bool // the loop ends with its last pair
	leaving   bool // nothing more is read from clients, and pairs end as soon as they are quiet
}

// bufferLength is how much is read at once, and so the most that is kept for an end that does not read (FW3).
const bufferLength = 64 << 10

func newLoop() (*loop, error) {
	poll, err := socket.NewPoller()
	if err != nil {
		return nil, err
	}
	return &loop{poll: poll, start: time.Now(), ended: make(chan struct{}), buf: make([]byte, bufferLength)}, nil
}

// post has the loop run a task soon. It reports false if the loop has ended.
func (l *loop) post(task func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.over {
		return false
	}
	l.tasks = append(l.tasks, task)
	if l.asleep {
		l.asleep = false
		l.poll.Wake()
	}
	return true
}

// do has the loop run a task, and waits for that.
func (l *loop) do(task func()) {
	done := make(chan struct{})
	if l.post(func() { task(); close(done) }) {
		<-done
	}
}

// run serves until the loop is to stop and has no pairs any more.
func (l *loop) run() {
	defer close(l.ended)
	for !l.finished() {
		events := l.sleep()
		l.now = int64(time.Since(l.start))
		for _, task := range l.taken() {
			task()
		}
		for i := range events {
			if ev := &events[i]; !l.poll.Woke(ev) {
				l.event(ev)
			}
		}
		again := l.again
		l.again = nil
		for _, p := range again {
			p.again = false
			l.turn(p)
		}
		l.ring()
		l.closeGone()
	}
	l.poll.Close()
}

// finished says that the loop has ended: nobody can post any more.
func (l *loop) finished() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = l.stopping && l.open == 0 && len(l.tasks) == 0 && (l.line == nil || l.line.attempts == 0)
	return l.over
}

func (l *loop) taken() []func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	tasks := l.tasks
	l.tasks = nil
	return tasks
}

// sleep waits until there is an event or a task, or something is due.
func (l *loop) sleep() []socket.Event {
	ms := l.untilDue()
	l.mu.Lock()
	if l.asleep = len(l.tasks) == 0 && ms != 0; !l.asleep {
		ms = 0
	}
	l.mu.Unlock()
	events := l.poll.Wait(ms)
	l.mu.Lock()
	l.asleep = false
	l.mu.Unlock()
	return events
}

// untilDue is how many milliseconds it takes until something is due, or -1.
func (l *loop) untilDue() int {
	if len(l.again) > 0 {
		return 0
	}
	at := int64(math.MaxInt64)
	if p := l.lingering.first; p != nil {
		at = p.at + l.patience()
	}
	if l.line != nil {
		at = min(at, l.line.due())
	}
	if at == math.MaxInt64 {
		return -1
	}
	left := time.Duration(max(0, at-int64(time.Since(l.start))))
	return int((left + time.Millisecond - 1) / time.Millisecond)
}

// ring does what is due.
func (l *loop) ring() {
	for p := l.lingering.first; p != nil && l.now-p.at >= l.patience(); p = l.lingering.first {
		l.end(p)
	}
	if l.line != nil {
		l.line.ring()
	}
}

func (l *loop) event(ev *socket.Event) {
	p := l.pairs[ev.Fd]
	if p == nil {
		return
	}
	e := &p.client
	if int(ev.Fd) == p.link.fd {
		e = &p.link
	}
	e.readable = e.readable || ev.Events&(socket.Input|socket.Urgent|socket.HangUp) != 0
	e.urgent = e.urgent || ev.Events&socket.Urgent != 0
	e.hung = e.hung || ev.Events&socket.HangUp != 0
	if p.state == joined {
		l.turn(p)
	} else {
		l.line.stirred(p, ev.Events)
	}
}

// watch begins to watch an end of a pair.
func (l *loop) watch(p *pair, e *end) error {
	for e.fd >= len(l.pairs) {
		l.pairs = append(l.pairs, nil)
	}
	l.pairs[e.fd] = p
	return l.poll.Add(e.fd)
}

// forget ends that.
func (l *loop) forget(e *end) {
	if e.fd >= 0 {
		l.pairs[e.fd] = nil
		l.poll.Closing(e.fd)
	}
}

// join makes a pair of a client that is watched already, or not, and its link.
func (l *loop) join(p *pair) {
	p.state = joined
	p.client.readable, p.link.readable = true, true
	if err := l.watch(p, &p.link); err != nil {
		l.end(p)
		return
	}
	l.turn(p)
}

// end ends a pair, whatever its state is.
func (l *loop) end(p *pair) {
	if p.state == over {
		return
	}
	if p.in != nil {
		p.in.remove(p)
	}
	if p.stop != nil {
		p.stop()
	}
	p.was, p.state = p.state, over
	l.open--
	l.forget(&p.client)
	l.forget(&p.link)
	l.gone = append(l.gone, p)
}

// closeGone closes the sockets of the pairs that are over.
func (l *loop) closeGone() {
	for i, p := range l.gone {
		l.gone[i] = nil
		l.close(&p.client, p.was, p.lacks())
		l.close(&p.link, p.was, false)
		if p.left != nil {
			p.left()
		}
	}
	l.gone = l.gone[:0]
}

// leave lets the clients go: those who are joined when no answer has come for a while.
func (l *loop) leave() {
	l.stopping, l.leaving = true, true
	for _, p := range l.pairs {
		switch {
		case p == nil:
		case p.state == joined:
			l.linger(p)
			l.turn(p)
		default:
			l.end(p)
		}
	}
}

// endWith waits until a loop that leaves has ended. When ctx ends, all pairs do.
func (l *loop) endWith(ctx context.Context) {
	select {
	case <-l.ended:
		return
	case <-ctx.Done():
	}
	l.post(func() {
		for _, p := range l.pairs {
			if p != nil {
				l.end(p)
			}
		}
	})
	<-l.ended
}
