package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
)

// top is the command of that name.
type top struct {
	Every time.Duration `flag:"interval <time> over which rates are measured"`
	Count int           `flag:"count end after this <number> of tables; without a terminal, after one"`
	Rows  int           `flag:"rows show at most this <number> of tubes; 0: as many as fit the terminal, or 20"`
}

func (a *top) run(c *call) error {
	pattern, err := c.pattern(a.Every > 0 && a.Count >= 0 && a.Rows >= 0,
		", or the interval is not above 0, or a number below 0")
	if err != nil {
		return err
	}
	rows, terminal := terminalRows(c.Stdout)
	if a.Rows == 0 {
		a.Rows = 20
		if terminal {
			a.Rows = max(rows-4, 1)
		}
	}
	if !terminal && a.Count == 0 {
		a.Count = 1
	}
	return c.withServer(func(s *server) error {
		before, err := s.measure(pattern)
		for n := 0; err == nil && (a.Count == 0 || n < a.Count); n++ {
			<-time.After(a.Every)
			var now sample
			if now, err = s.measure(pattern); err == nil {
				err = a.show(c, now.since(before), terminal && !c.json)
			}
			before = now
		}
		return err
	})
}

// sample is a look at the server and its tubes.
type sample struct {
	at     time.Time
	server client.Document
	tubes  []client.Document
}

func (s *server) measure(pattern string) (m sample, err error) {
	if m.server, err = s.Stats("stats"); err != nil {
		return m, err
	}
	names, err := s.matching(pattern)
	if err != nil {
		return m, err
	}
	m.at = time.Now()
	m.tubes, err = s.tubeStats(names)
	return m, err
}

// rates are what has happened between two samples, each a second.
type rates struct {
	Tube     string  `json:"tube,omitempty"`
	Put      float64 `json:"put"`
	Deleted  float64 `json:"deleted"`
	Ready    int64   `json:"ready"`
	Reserved int64   `json:"reserved"`
	Delayed  int64   `json:"delayed"`
	Buried   int64   `json:"buried"`
	Waiting  int64   `json:"waiting"`
	paused   string
}

// overview is what top shows: the server, and the tubes, the busiest first.
type overview struct {
	Server rates   `json:"server"`
	Tubes  []rates `json:"tubes"`
}

func (m *sample) since(before sample) overview {
	seconds := m.at.Sub(before.at).Seconds()
	old := map[string]client.Document{}
	for _, d := range before.tubes {
		old[d.Get("name")] = d
	}
	t := overview{Server: ratesOf(m.server, before.server, seconds)}
	for _, d := range m.tubes {
		t.Tubes = append(t.Tubes, ratesOf(d, old[d.Get("name")], seconds))
	}
	slices.SortStableFunc(t.Tubes, func(a, b rates) int {
		return cmp.Or(cmp.Compare(b.Put+b.Deleted, a.Put+a.Deleted), cmp.Compare(b.Ready, a.Ready))
	})
	return t
}

// ratesOf compares two documents. If a count has become smaller, the tube has been removed
// and made again in between.
func ratesOf(d, before client.Document, seconds float64) rates {
	rate := func(key string) float64 {
		n := d.Number(key) - before.Number(key)
		if n < 0 {
			n = d.Number(key)
		}
		return float64(n) / seconds
	}
	return rates{
		Tube: d.Get("name"), Put: rate("total-jobs"), Deleted: rate("cmd-delete"),
		Ready:    d.Number("current-jobs-ready"),
		Reserved: d.Number("current-jobs-reserved"), Delayed: d.Number("current-jobs-delayed"),
		Buried: d.Number("current-jobs-buried"), Waiting: d.Number("current-waiting"), paused: pausedFor(d),
	}
}

// show prints a table; on a terminal it takes the place of the one before.
func (a *top) show(c *call, t overview, terminal bool) error {
	t.Tubes = t.Tubes[:min(len(t.Tubes), a.Rows)]
	if c.json {
		return encode(c.Stdout, t)
	}
	out := bufio.NewWriter(c.Stdout)
	if terminal {
		fmt.Fprint(out, "\x1b[H\x1b[2J")
	}
	all := t.Server
	fmt.Fprintf(out, "put %.0f/s  deleted %.0f/s  ready %d  reserved %d  delayed %d  buried %d  waiting %d\n\n",
		all.Put, all.Deleted, all.Ready, all.Reserved, all.Delayed, all.Buried, all.Waiting)
	table := newSheet(out, true,
		"put/s", "deleted/s", "ready", "reserved", "delayed", "buried", "waiting", "paused", "tube")
	for _, r := range t.Tubes {
		table.row(fmt.Sprintf("%.0f", r.Put), fmt.Sprintf("%.0f", r.Deleted),
			r.Ready, r.Reserved, r.Delayed, r.Buried, r.Waiting, r.paused, r.Tube)
	}
	return errors.Join(table.Flush(), out.Flush())
}

// tail is the command of that name.
type tail struct {
	Every time.Duration `flag:"interval <time> between two looks"`
	Most  int           `flag:"n end after this <number> of jobs"`
}

func (a *tail) run(c *call) error {
	pattern, err := c.pattern(a.Every > 0, ", or the interval is not above 0")
	if err != nil {
		return err
	}
	return c.withServer(func(s *server) error {
		t := follower{tail: a, json: c.json, s: s, pattern: pattern, out: bufio.NewWriter(c.Stdout), errs: c.Stderr}
		err := t.begin()
		if err == nil {
			fmt.Fprintf(c.Stderr, "jobs after %d, as they come\n", t.seen)
		}
		for err == nil {
			if err = t.look(); err == nil {
				<-time.After(a.Every)
			}
		}
		if errors.Is(err, errEnough) {
			return nil
		}
		return err
	})
}

// follower follows the ids. Up to seen all have been looked at: it is the highest id that was
// found. known is about the highest that has been given: jobs that are put and deleted
// between two looks are not found, but the server counts them.
type follower struct {
	*tail
	json    bool
	s       *server
	out     *bufio.Writer
	errs    io.Writer // gets what cannot be shown
	pattern string
	seen    uint64
	known   uint64
	total   int64    // jobs put, by the server's count
	holes   []uint64 // ids below seen that were not found: their bodies may have been on the way
	shown   int
}

// beyond is how far a look goes past the highest id that is known to have been given out.
// Some ids never become jobs, and the server's count leaves them out.
const beyond = 100

// behind is how far seen may stay behind known. It bounds what a look costs, even while
// workers delete all jobs before they are found.
const behind = 10_000

// errEnough ends a tail that has shown as many jobs as it was to show.
var errEnough = errors.New("enough")

// begin learns where to start.
func (t *follower) begin() (err error) {
	if t.known, err = t.s.newestID(); err == nil {
		t.seen = t.known
		_, err = t.put()
	}
	return err
}

// put is how many jobs were put since it was asked last.
func (t *follower) put() (uint64, error) {
	d, err := t.s.Stats("stats")
	before := t.total
	t.total = d.Number("total-jobs")
	return uint64(max(t.total-before, 0)), err
}

// look shows the jobs that have come since the last look.
func (t *follower) look() error {
	more, err := t.put()
	if err != nil {
		return err
	}
	t.known += more
	ids := append(t.holes, idsFrom(t.seen+1, t.known+beyond+1)...)
	var wanted []uint64
	there, newest := make(map[uint64]bool, len(ids)), t.seen
	err = t.s.survey(ids, func(j *job) error {
		there[j.ID] = true
		newest = max(newest, j.ID)
		if matches(t.pattern, j.Tube) && j.Tube != probeTube {
			wanted = append(wanted, j.ID)
		}
		return nil
	})
	if err != nil {
		return err
	}
	t.known = max(t.known, newest)
	newest = max(newest, t.known-min(t.known, behind))
	t.holes = nil
	for _, id := range ids {
		if id > t.seen && id <= newest && !there[id] {
			t.holes = append(t.holes, id) // to be looked at once more
		}
	}
	t.seen = newest
	before := t.shown
	damaged, err := t.s.fetch(wanted, t.show)
	if err == nil && t.shown == before && len(damaged) == 0 {
		err = t.s.stillThere(wanted)
	}
	if len(damaged) > 0 {
		fmt.Fprintln(t.errs, damaged)
	}
	return errors.Join(err, t.out.Flush())
}

// show prints one job.
func (t *follower) show(j *job) (err error) {
	if t.json {
		err = encode(t.out, j)
	} else {
		_, err = fmt.Fprintf(t.out, "%d %s %s pri %d: %q\n", j.ID, j.Tube, j.State, j.Pri, j.body())
	}
	if t.shown++; err == nil && t.shown == t.Most {
		err = errEnough
	}
	return err
}
