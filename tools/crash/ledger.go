package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"beanfield/tools/marked"
)

// job is what the ledger knows of one job.
type job struct {
	id    uint64 // 0 until a client has been told
	token uint64
	tube  string // that it was put into
	ttr   uint32 // that it was put with
	size  int
	tag   string   // of an item that was put over HTTP; "" for others
	with  *job     // another of those that were put together with it, or none; they are a ring
	put   *version // what its put has said, if that has a name: then the job has a key, too
	moved bool     // to another tube, perhaps

	// could lists what a restart may find. There is one entry when nothing is
	// in flight: what was acknowledged. A command that was sent adds what it
	// would make of it, and its answer leaves one of the two.
	could    []version
	busy     bool   // a command about it is in flight
	reserves int    // how often it was seen to be reserved
	out      bool   // taken from the buried by reserve-job, which is in no log
	ended    uint64 // when its delete was answered, in the ledger's own time
	after    uint64 // the highest id that was known when its put was sent
	history  []string
}

func (j *job) now() version { return j.could[0] }

// ledger is all that clients know together.
type ledger struct {
	clock    atomic.Uint64 // grows with every entry
	ranks    atomic.Uint64 // places in the order of burying that were given
	moves    atomic.Int64  // of jobs, that were answered
	items    atomic.Int64  // puts over HTTP that were answered
	mu       sync.Mutex
	tokens   uint64
	highest  uint64          // id that a client was told of
	born     map[uint64]*job // by token: those without an id yet
	byID     map[uint64]*job
	alive    []*job // not known to be gone, in no order
	order    map[string]*sync.Mutex
	failures []string
	answers  int
	named    []*job // of the last puts that have names
}

func newLedger() *ledger {
	l := &ledger{born: map[uint64]*job{}, byID: map[uint64]*job{}}
	l.unlockAll()
	return l
}

// unlockAll forgets who was busy with the order of the buried when the server
// was killed.
func (l *ledger) unlockAll() {
	l.order = map[string]*sync.Mutex{}
	for _, t := range tubes {
		l.order[t] = &sync.Mutex{}
	}
}

// fail notes what is wrong with a job. The caller holds the mutex.
func (l *ledger) fail(j *job, format string, args ...any) {
	s := fmt.Sprintf(format, args...)
	if j != nil {
		s = fmt.Sprintf("job %d (token %x, tube %s, %d bytes): %s", j.id, j.token, j.tube, j.size, s)
		for _, h := range j.history {
			s += "\n    " + h
		}
	}
	l.failures = append(l.failures, s)
}

func (l *ledger) failf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.fail(nil, format, args...)
}

func (l *ledger) failed() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.failures) > 0
}

func (j *job) note(format string, args ...any) {
	j.history = append(j.history, time.Now().Format("15:04:05.000 ")+fmt.Sprintf(format, args...))
}

// put notes a job that is about to be put.
func (l *ledger) put(tube string, pri, delay, ttr uint32, size int) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens++
	j := &job{token: l.tokens, tube: tube, ttr: ttr, size: len(marked.Body(l.tokens, size)), after: l.highest}
	j.could = []version{{state: unborn, tube: tube}, put(time.Now(), pri, delay).in(tube, ttr)}
	j.note("put pri=%d delay=%d ttr=%d", pri, delay, ttr)
	l.born[j.token] = j
	return j
}

// inserted notes the answer of a put.
func (l *ledger) inserted(j *job, id uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	j.note("is job %d", id)
	l.answers++
	if j.id != 0 {
		if j.id != id {
			l.fail(j, "was reserved with this id, and its put was answered with %d", id)
		}
		return
	}
	l.christen(j, id)
}

// christen gives a job its id. The caller holds the mutex.
func (l *ledger) christen(j *job, id uint64) {
	if other := l.byID[id]; other != nil {
		l.fail(other, "its id has been given away again, to a put in tube %s", j.tube)
	}
	if id <= j.after {
		l.fail(j, "has id %d, but %d was known when it was put: ids do not rise", id, j.after)
	}
	j.id = id
	j.could = []version{j.could[len(j.could)-1].answered(time.Now())}
	delete(l.born, j.token)
	l.byID[id] = j
	l.highest = max(l.highest, id)
	l.alive = append(l.alive, j)
}

// begin notes that a command is about to be sent that would turn a job into next. It returns false if another
// connection has a command about the job in flight.
func (l *ledger) begin(j *job, what string, next func(version) version) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if j.busy || len(j.could) != 1 || j.now().state == gone {
		return false
	}
	l.start(j, what, next)
	return true
}

func (l *ledger) start(j *job, what string, next func(version) version) {
	j.busy = true
	j.note("%s", what)
	j.could = append(j.could, next(j.now()))
}

// end notes the answer.
func (l *ledger) end(j *job, done bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.finish(j, done)
}

func (l *ledger) finish(j *job, done bool) {
	now := l.clock.Add(1)
	l.answers++
	j.busy = false
	if !done {
		j.note("refused")
		j.could = j.could[:1]
		return
	}
	j.note("done")
	j.could = []version{j.could[1].answered(time.Now())}
	j.out = false
	if j.now().state == gone {
		j.ended = now
		l.strike(j)
	}
}

// strike removes a job that has ended from the list of the living.
func (l *ledger) strike(j *job) {
	if i := slices.Index(l.alive, j); i >= 0 {
		l.alive[i] = l.alive[len(l.alive)-1]
		l.alive = l.alive[:len(l.alive)-1]
	}
}

// reserved notes that a job was handed out as the answer to a command sent at
// some moment. It returns nil for a job that cannot be told from others yet.
func (l *ledger) reserved(id uint64, body []byte, sent uint64) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers++
	j := l.byID[id]
	token, err := marked.Read(body)
	if j == nil && err == nil {
		j = l.born[token]
		if j != nil {
			l.christen(j, id)
		}
	}
	switch {
	case err != nil:
		l.fail(j, "was handed out with a damaged body: %v", err)
		return nil
	case j == nil && token == 0:
		return nil // empty, and its put is not answered yet
	case j == nil:
		l.fail(nil, "job %d, token %x, was handed out: nobody put it", id, token)
		return nil
	case len(body) != j.size || token != j.token && j.size > 0:
		l.fail(j, "was handed out with the body of job token %x, %d bytes", token, len(body))
	case j.ended != 0 && j.ended < sent:
		l.fail(j, "was handed out after its delete had been answered")
	}
	j.reserves++
	j.note("reserved")
	return j
}

// pick draws a suitable job that lives.
func (l *ledger) pick(dice *rand.Rand, ok func(*job) bool) *job {
	l.mu.Lock()
	defer l.mu.Unlock()
	for n := 0; n < 40 && len(l.alive) > 0; n++ {
		j := l.alive[dice.IntN(len(l.alive))]
		if !j.busy && len(j.could) == 1 && ok(j) {
			return j
		}
	}
	return nil
}

// look says what a job is, or what it was before a command that is in flight, as one is unless it is settled; and
// whether reserve-job has taken it from the buried.
func (l *ledger) look(j *job) (now version, settled, out bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return j.now(), len(j.could) == 1, j.out
}

func (l *ledger) living() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.alive)
}

// inOrder lists the jobs that are buried in a tube, the first one first. The caller has
// the tube's order locked.
func (l *ledger) inOrder(tube string) (list []*job) {
	for _, j := range l.alive {
		if j.now().tube == tube && !j.out && j.now().state == buried {
			list = append(list, j)
		}
	}
	slices.SortFunc(list, func(a, b *job) int { return int(int64(a.now().rank) - int64(b.now().rank)) })
	return list
}

// kick notes that the first jobs buried in a tube are about to be kicked.
func (l *ledger) kick(tube string, bound int) []*job {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.inOrder(tube)
	list = list[:min(bound, len(list))]
	for _, j := range list {
		l.start(j, fmt.Sprintf("kick %d", bound), version.kicked)
	}
	return list
}
