package command

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
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
	pattern, err := c.pattern(a.Every > 0 && a.Count >= 0, ", or the interval or the count is not above 0")
	if err != nil {
		return err
	}
	_, rows, terminal := terminalSize(c.Stdout)
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
		Tube: d.Get("name"), Put: rate("total-jobs"), Deleted: rate("cmd-delete"), Ready: d.Number("current-jobs-ready"),
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
