package history

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// A Ledger is what all clients know together. Any goroutine may write into it.
type Ledger struct {
	begun time.Time

	mu     sync.Mutex
	jobs   []*Job          // by token, from 1
	byID   map[uint64]*Job // by the first that had it
	conns  []*Conn
	buried map[uint64]*Job // known to be buried, and nobody deals with them
	at     []Finding       // what was found at once
	counts Counts
	acked  Stretch // when a put was acknowledged last
	gap    Stretch // the longest between two, since Gap was called
	served map[int]*Service
}

// A Stretch is a time without something: all of it, that part of it in which a majority of the nodes was well, and when
// it ended.
type Stretch struct{ All, Well, Until time.Duration }

// Longer is the longer one of two, of each kind.
func (s Stretch) Longer(than Stretch) Stretch {
	if than.All < s.All {
		s, than = than, s
	}
	than.Well = max(s.Well, than.Well)
	return than
}

// since is how long ago a moment is, without what does not count.
func (b *Ledger) since(from Stretch, but time.Duration) Stretch {
	now := b.Now()
	return Stretch{now - from.All - but, b.counts.Well - from.Well - but, now}
}

// moment is now, for a later call of since.
func (b *Ledger) moment() Stretch { return Stretch{All: b.Now(), Well: b.counts.Well} }

// Well notes that a majority of the nodes was well for so much longer.
func (b *Ledger) Well(time time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts.Well += time
}

// Service is how a client was served.
type Service struct {
	Answers int
	// Silence is the longest time without an answer since Gap was called, less what the client wanted to wait for it.
	Silence Stretch
	last    Stretch
}

// Counts are for those who watch.
type Counts struct {
	Answers, Unanswered, Living int
	Acked                       [len(kinds)]int
	Connections                 int
	Well                        time.Duration // for which a majority of the nodes was well
}

// A Finding is a broken promise.
type Finding struct {
	Rule string // of doc.go
	Text string
}

func (f Finding) String() string { return f.Rule + ": " + f.Text }

// NewLedger is a ledger that begins now.
func NewLedger() *Ledger {
	return &Ledger{begun: time.Now(), byID: map[uint64]*Job{}, buried: map[uint64]*Job{},
		served: map[int]*Service{}}
}

// Now is the present moment.
func (b *Ledger) Now() Moment { return time.Since(b.begun) }

// Connect notes a new connection of a client, which has been answered once.
func (b *Ledger) Connect(node string, client int) *Conn {
	b.mu.Lock()
	defer b.mu.Unlock()
	c := &Conn{ID: len(b.conns) + 1, Node: node, Client: client}
	b.conns = append(b.conns, c)
	b.counts.Connections++
	return c
}

// Answered notes that what was sent on a connection at a moment has an answer now, of this word, which may have been
// held back for so long.
func (b *Ledger) Answered(c *Conn, word string, sent Moment, held time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	c.Answers = append(c.Answers, Span{sent, b.Now(), word})
	s := b.served[c.Client]
	if s == nil {
		s = &Service{last: b.moment()}
		b.served[c.Client] = s
	}
	s.Answers++
	s.Silence, s.last = s.Silence.Longer(b.since(s.last, held)), b.moment()
}

// NewJob notes a put that is about to be sent. Its token is to stand in the body.
func (b *Ledger) NewJob(c *Conn, tube string, ttr time.Duration) *Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := &Job{Token: uint64(len(b.jobs) + 1), Tube: tube, TTR: ttr}
	j.Put = Act{Conn: c.ID, Kind: Put, Sent: b.Now(), Received: Never}
	b.jobs = append(b.jobs, j)
	return j
}

// EndPut notes what became of a put; an id of 0 is none.
func (b *Ledger) EndPut(j *Job, o Outcome, id uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j.Put.Outcome, j.Put.ID, j.Put.Received = o, id, b.Now()
	b.count(Put, o)
	if o == Done {
		b.named(j, id)
	}
}

// named has an id stand for the job that had it first.
func (b *Ledger) named(j *Job, id uint64) {
	if b.byID[id] == nil {
		b.byID[id] = j
		b.counts.Living++
	}
}

// Reserved notes that a job was handed out, whose body has this token. It returns nil if there is
// no such job.
func (b *Ledger) Reserved(c *Conn, sent Moment, id, token uint64) *Job {
	b.mu.Lock()
	defer b.mu.Unlock()
	if token == 0 || token > uint64(len(b.jobs)) {
		b.find("FR1", "job %d with token %d was handed out: nobody put it", id, token)
		return nil
	}
	j := b.jobs[token-1]
	b.named(j, id)
	for i := range j.Acts {
		if a := &j.Acts[i]; a.Kind == Delete && a.Outcome == Done && a.Received < sent {
			b.find("FR4", "job %d with token %d was handed out by node %s: its delete was answered: %v", id, token,
				c.Node, a)
			break
		}
	}
	j.Acts = append(j.Acts, Act{Conn: c.ID, Kind: Reserve, Outcome: Done, Sent: sent, Received: b.Now(), ID: id})
	delete(b.buried, id)
	b.count(Reserve, Done)
	return j
}

// End notes what became of a command about a job.
func (b *Ledger) End(j *Job, c *Conn, k Kind, sent Moment, id uint64, o Outcome, answered bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	a := Act{Conn: c.ID, Kind: k, Outcome: o, Sent: sent, Received: Never, ID: id}
	if answered {
		a.Received = b.Now()
	}
	j.Acts = append(j.Acts, a)
	b.count(k, o)
	switch {
	case k == Bury && o == Done:
		b.buried[id] = j
	case k == Delete && o != Refused:
		b.counts.Living--
	}
}

func (b *Ledger) count(k Kind, o Outcome) {
	if k == Put && o == Done {
		b.gap, b.acked = b.gap.Longer(b.since(b.acked, 0)), b.moment()
	}
	switch o {
	case Unknown:
		b.counts.Unanswered++
	case Done:
		b.counts.Acked[k]++
		b.counts.Answers++
	case Refused:
		b.counts.Answers++
	}
}

// TakeBuried gives a job that is buried, and that nobody else is given.
func (b *Ledger) TakeBuried() (uint64, *Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, j := range b.buried {
		delete(b.buried, id)
		return id, j
	}
	return 0, nil
}

// Find notes a broken promise that was seen at once.
func (b *Ledger) Find(rule, format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.find(rule, format, args...)
}

func (b *Ledger) find(rule, format string, args ...any) {
	b.at = append(b.at, Finding{rule, fmt.Sprintf("at %.4f: ", b.Now().Seconds()) + fmt.Sprintf(format, args...)})
}

// Broken is what was seen at once. Who goes on then only buries the traces.
func (b *Ledger) Broken() []Finding {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.at)
}

// Found notes that a job is there at the end; a token of 0 is not known.
func (b *Ledger) Found(id, token uint64, state string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	j := b.byID[id]
	if token != 0 && token <= uint64(len(b.jobs)) {
		j = b.jobs[token-1]
	}
	if j == nil {
		b.find("FR1", "job %d with token %d is there at the end: nobody put it", id, token)
		return
	}
	j.Found = append(j.Found, Found{id, state})
}

// IDs are all that clients were told.
func (b *Ledger) IDs() []uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Collect(maps.Keys(b.byID))
}

// Living are the ids of jobs whose delete was not answered.
func (b *Ledger) Living() (ids []uint64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for id, j := range b.byID {
		if !slices.ContainsFunc(j.Acts, func(a Act) bool { return a.Kind == Delete && a.Outcome == Done }) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// Gap is the longest time between two acknowledged puts since the last call, the time since the latest one included.
// Silences begin anew, too.
func (b *Ledger) Gap() Stretch {
	b.mu.Lock()
	defer b.mu.Unlock()
	gap := b.gap.Longer(b.since(b.acked, 0))
	b.gap = Stretch{}
	for _, s := range b.served {
		s.Silence = Stretch{}
	}
	return gap
}

// Served is how each client was served.
func (b *Ledger) Served() map[int]Service {
	b.mu.Lock()
	defer b.mu.Unlock()
	all := map[int]Service{}
	for client, s := range b.served {
		all[client] = Service{s.Answers, s.Silence.Longer(b.since(s.last, 0)), s.last}
	}
	return all
}

// Counts are those of now.
func (b *Ledger) Counts() Counts {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.counts
}
