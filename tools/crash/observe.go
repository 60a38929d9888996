package main

import (
	"fmt"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
)

// snapshot is what a server shows right after a start.
type snapshot struct {
	jobs   map[uint64]*finding
	heads  map[string]uint64 // the first buried job of each tube, 0 for none
	count  int64             // jobs, as stats counts them
	probe  uint64            // the id of a job that was put last of all
	killed time.Time         // when the server before it died
}

// observe looks at the jobs whose ids the ledger knows, and at every id from
// first on that may have been given out.
func observe(addr string, known []uint64, first uint64) (*snapshot, error) {
	c, err := dial(addr)
	if err != nil {
		return nil, err
	}
	defer c.HangUp()
	s := &snapshot{jobs: map[uint64]*finding{}, heads: map[string]uint64{}}
	stats, err := c.Stats("stats")
	if err != nil {
		return nil, err
	}
	s.count = marked.Count(stats)
	if s.probe, err = probe(c); err != nil {
		return nil, err
	}
	var ids []uint64
	for _, id := range known {
		if id < first {
			ids = append(ids, id)
		}
	}
	for id := first; id < s.probe; id++ {
		ids = append(ids, id)
	}
	if err := look(c, s, ids); err != nil {
		return nil, err
	}
	return s, lookAtHeads(c, s)
}

// probe puts a job and deletes it, to learn its id.
func probe(c *client.Client) (uint64, error) {
	r, err := c.Put("put 0 0 100 5", []byte("probe"))
	if err != nil {
		return 0, err
	}
	if r.Word != "INSERTED" {
		return 0, fmt.Errorf("a put is answered with %q", r.Line)
	}
	d, err := c.Askf("delete %d", r.Number)
	if err == nil && d.Word != "DELETED" {
		err = fmt.Errorf("its delete is answered with %q", d.Line)
	}
	return r.Number, err
}

// look asks for jobs by id.
func look(c *client.Client, s *snapshot, ids []uint64) error {
	return marked.Look(c, ids, func(id uint64, stats, peek client.Reply, from time.Time) (err error) {
		if stats.Word == "NOT_FOUND" && peek.Word == "FOUND" { // it has just come from another shard
			if stats, err = c.Askf("stats-job %d", id); err != nil {
				return err
			}
		}
		if (stats.Word == "OK") != (peek.Word == "FOUND") {
			return fmt.Errorf("job %d: stats-job says %q, peek %q", id, stats.Line, peek.Line)
		}
		if stats.Word == "OK" {
			s.jobs[id] = newFinding(id, stats.Document(), peek.Body, from)
		}
		return nil
	})
}

func newFinding(id uint64, stats client.Document, body []byte, from time.Time) *finding {
	u32 := func(key string) uint32 { return uint32(stats.Number(key)) }
	f := &finding{
		id: id, tube: stats.Get("tube"), ttr: u32("ttr"), reserves: int(u32("reserves")),
		timeLeft: stats.Number("time-left"),
		figures:  figures{u32("pri"), u32("delay"), int(u32("releases")), int(u32("buries")), int(u32("kicks"))},
		body:     body, from: from, to: time.Now(),
	}
	for s := ready; s <= buried; s++ {
		if stats.Get("state") == s.String() {
			f.state = s
		}
	}
	return f
}

func lookAtHeads(c *client.Client, s *snapshot) error {
	for _, t := range tubes {
		r, err := c.Exchange("use "+t, "peek-buried")
		if err != nil {
			return err
		}
		s.heads[t] = r[1].Number
	}
	return nil
}
