package console

import (
	"encoding/base64"
	"math"
	"net/http"
	"slices"
	"strconv"
	"time"
	"unicode/utf8"

	"beanfield/conn/access"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/storage"
)

// Bounds of what is shown.
const (
	previewMost = 4 << 10 // bytes of a body in a list
	bodyMost    = 1 << 20 // bytes of a body that is shown by itself
	jobsMost    = 100     // jobs in a list
	// searchTime is how long a search goes on before it says how far it has come.
	searchTime = time.Second
)

// jobAnswer is a job with as much of its body as fits.
type jobAnswer struct {
	ID       uint64 `json:"id"`
	Tube     string `json:"tube"`
	State    string `json:"state"`
	Pri      uint32 `json:"pri"`
	Age      int64  `json:"age"`
	Delay    uint32 `json:"delay"`
	TTR      uint32 `json:"ttr"`
	TimeLeft int64  `json:"timeLeft"`
	storage.Counters
	Size uint32 `json:"size"`

	Text   *string `json:"text,omitempty"`   // the body, if it is UTF-8
	Base64 string  `json:"base64,omitempty"` // if not
	Cut    bool    `json:"cut,omitempty"`    // only the beginning
	// Can is what a client with limited rights may do with it.
	Can []string `json:"can,omitempty"`
	// Been says of which tubes the job was a dead letter, or was moved from, the oldest first.
	Been []been `json:"been,omitempty"`
}

// been is one of these, with how often the job had been delivered by then.
type been struct {
	Tube     string `json:"tube"`
	Why      string `json:"why"`
	When     int64  `json:"when"` // milliseconds since 1970
	Reserves uint32 `json:"reserves"`
	Timeouts uint32 `json:"timeouts"`
	Releases uint32 `json:"releases"`
}

func showBeen(list []queue.Trace) (all []been) {
	for _, t := range list {
		all = append(all, been{t.From, t.Why.String(), t.When / int64(time.Millisecond), t.Reserves, t.Timeouts,
			t.Releases})
	}
	return all
}

func showJob(f *queue.JobFigures) jobAnswer {
	return jobAnswer{
		ID: f.ID, Tube: f.Tube, State: f.State.String(), Pri: f.Pri, Age: f.Age, Delay: f.Delay, TTR: f.TTR,
		TimeLeft: f.TimeLeft, Counters: f.Counters, Size: f.Size, Been: showBeen(f.Been),
	}
}

// show adds the body. A text that is cut ends with a whole character.
func (j *jobAnswer) show(body []byte, most int) {
	if len(body) > most {
		body, j.Cut = body[:most], true
		for n := 0; n < utf8.UTFMax && !utf8.Valid(body); n++ {
			body = body[:len(body)-1]
		}
	}
	if !utf8.Valid(body) {
		j.Base64 = base64.StdEncoding.EncodeToString(body)
		return
	}
	j.Text = new(string(body))
}

// job answers with one job.
func (c *Console) job(r *http.Request) (any, error) {
	id, err := strconv.ParseUint(r.URL.Query().Get("id"), 10, 64)
	if err != nil {
		return nil, wrong("id must be a number")
	}
	s := newClient(c.router)
	op, err := s.one(queue.Op{Kind: queue.StatsJob, ID: id}, false)
	if err != nil {
		return nil, err
	}
	past, ok := c.router.Been(r.Context(), id)
	if !ok {
		return nil, busy
	}
	j := showJob(&queue.JobFigures{JobInfo: s.batch.Jobs[op.From], Been: past})
	may := c.opts.May(r)
	if !peeks(may.Subject, j.Tube) {
		return nil, errNoJob
	}
	may.markOne(&j)
	if op, err = s.one(queue.Op{Kind: queue.Peek, ID: id}, false); err != nil {
		return nil, err
	}
	j.Size = op.Size
	j.show(s.body(&op), bodyMost)
	return &j, nil
}

// jobsAnswer is a list of jobs. Next is where to go on, 0 if that was all.
type jobsAnswer struct {
	Jobs   []jobAnswer `json:"jobs"`
	Next   uint64      `json:"next"`
	Looked int         `json:"looked"` // at so many jobs
}

// jobs answers with jobs of a tube: the first in their order or, from a place on, as they
// are found. Without a tube it goes through all those that the filter shows.
func (c *Console) jobs(r *http.Request) (any, error) {
	q := r.URL.Query()
	from, err := number(q, "from", 0, math.MaxInt64)
	if err != nil {
		return nil, err
	}
	n, err := number(q, "n", 20, jobsMost)
	if err != nil {
		return nil, err
	}
	tube, state, find := q.Get("tube"), q.Get("state"), []byte(q.Get("find"))
	st, ordered := states[state]
	if !ordered && state != "reserved" && state != "all" {
		return nil, wrong("there is no such state")
	}
	may := c.opts.May(r)
	if tube != "" && !peeks(may.Subject, tube) {
		return nil, forbidden
	}
	s := newClient(c.router)
	a := &jobsAnswer{Jobs: []jobAnswer{}}
	defer may.mark(a)
	if tube != "" && ordered && from == 0 && len(find) == 0 {
		list, ok := c.router.Heads(r.Context(), tube, st, n)
		if !ok {
			return nil, busy
		}
		s.gather(a, list, n)
		return a, nil
	}
	return a, c.search(s, a, searched{tube, visible(may.Subject, filter(q.Get("filter"))), state, find,
		uint64(max(from, 1)), n})
}

// mark says what a client may do with each of the jobs.
func (m *Rights) mark(a *jobsAnswer) {
	for i := range a.Jobs {
		m.markOne(&a.Jobs[i])
	}
}

// markOne does so for one, and hides the tubes that do not exist for the client.
func (m *Rights) markOne(j *jobAnswer) {
	j.Can = m.canWith(j.Tube)
	j.Been = slices.DeleteFunc(j.Been, func(b been) bool { return !m.Subject.Sees(b.Tube) })
}

// states are those whose jobs have an order.
var states = map[string]queue.JobState{"ready": queue.Ready, "delayed": queue.Delayed, "buried": queue.Buried}

// searched is what a search is for.
type searched struct {
	tube  string // "" for all tubes that shows shows
	shows func(tube string) bool
	state string
	find  []byte
	from  uint64
	n     int
}

// visible is a filter that also hides the tubes whose jobs somebody may not see.
func visible(s *access.Subject, shows func(string) bool) func(string) bool {
	return func(tube string) bool { return shows(tube) && peeks(s, tube) }
}

// search goes through the jobs until it has found enough, or its time is over.
func (c *Console) search(s *client, a *jobsAnswer, w searched) error {
	l := router.Listing{
		Filter: queue.Filter{Tube: w.tube, Body: w.find}, Authorizer: func(_ queue.Kind, tube string) bool {
			return w.tube != "" || w.shows(tube)
		},
		Bodies: previewMost + utf8.UTFMax,
	}
	for st := queue.Ready; st <= queue.Buried; st++ {
		if st.String() == w.state {
			l.States = l.States.With(st)
		}
	}
	a.Next = w.from
	for end := time.Now().Add(searchTime); a.Next != 0 && len(a.Jobs) < w.n && time.Now().Before(end); {
		some := l
		some.From, some.Most = placeOf(a.Next), w.n-len(a.Jobs)
		if s.Finish(s.List(&some)); some.Status == queue.Failed {
			return failure(some.Status)
		}
		a.Next = numberOf(some.Next)
		a.Looked += some.Looked
		for i := range some.Jobs {
			k := &some.Jobs[i]
			j := showJob(&k.JobFigures)
			j.show(k.Body, previewMost)
			a.Jobs = append(a.Jobs, j)
		}
	}
	return nil
}

// placeOf and numberOf are places as the page has them: 0 is the end, and 1 the beginning.
func placeOf(n uint64) router.Place { return router.Place{Shard: int(n >> 32), Slot: uint32(n)} }

func numberOf(p router.Place) uint64 { return uint64(p.Shard)<<32 | uint64(p.Slot) }

// gather reads the bodies of jobs. A job that has gone meanwhile is left out.
func (s *client) gather(a *jobsAnswer, list []queue.JobFigures, n int) {
	for i := 0; i < len(list) && len(a.Jobs) < n; i++ {
		op, err := s.one(queue.Op{Kind: queue.Peek, ID: list[i].ID}, false)
		if err != nil {
			continue
		}
		j := showJob(&list[i])
		j.show(s.body(&op), previewMost)
		a.Jobs = append(a.Jobs, j)
	}
}
