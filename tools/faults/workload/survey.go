package workload

import (
	"context"
	"fmt"
	"slices"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/marked"
)

// A Survey is what a node shows of the jobs of some ids.
type Survey map[uint64]string

// Look asks a node that serves for jobs by their ids.
func (s *Seeker) Look(ctx context.Context, ids []uint64) (Survey, error) {
	c, _, err := s.Find(ctx, dice())
	if err != nil {
		return nil, err
	}
	defer c.HangUp()
	all := Survey{}
	return all, marked.Look(c, ids, func(id uint64, stats, peek client.Reply, _ time.Time) error {
		all[id] = shown(stats, peek)
		return nil
	})
}

// shown is what stats-job and peek say of a job, as far as all nodes must say the same. A delay
// may end meanwhile.
func shown(stats, peek client.Reply) string {
	if stats.Word != "OK" || peek.Word != "FOUND" {
		return stats.Word + ", " + peek.Word
	}
	d := stats.Document()
	state := d.Get("state")
	if state == "delayed" {
		state = "ready"
	}
	token, err := marked.Read(peek.Body)
	if err != nil {
		return "damaged: " + err.Error()
	}
	return fmt.Sprintf("%s in %s, pri %s, ttr %s, %s buries, %s releases, token %d, %d bytes", state, d.Get("tube"),
		d.Get("pri"), d.Get("ttr"),
		d.Get("buries"), d.Get("releases"), token, len(peek.Body))
}

// Differs says where another survey differs.
func (s Survey) Differs(other Survey) (list []string) {
	for id, text := range s {
		if other[id] != text {
			list = append(list, fmt.Sprintf("job %d: %s; %s", id, text, other[id]))
		}
	}
	slices.Sort(list)
	return list
}
