package client_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// GC3: each job is in its tube, however tubes change, and one that the server refuses changes nothing.
func TestJobsGoWhereTheyAreSent(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c, ctx := dial(t, server), within(t)
		var jobs []client.NewJob
		for i := range 300 {
			tube := fmt.Sprintf("t%d", i*i%7)
			jobs = append(jobs, client.NewJob{Tube: tube, Body: []byte(tube),
				Delay: time.Duration(i%3) * 1500 * time.Millisecond})
		}
		jobs[50].Tube = "-wrong"
		results := must.Get(c.PutBatch(ctx, jobs))
		for i, r := range results {
			switch {
			case i == 50:
				if !errors.Is(r.Err, client.ErrInvalid) {
					t.Errorf("a wrong name: %v", r.Err)
				}
			case r.Err != nil:
				t.Errorf("job %d: %v", i, r.Err)
			default:
				stats, found := must.Get(c.StatsJob(ctx, r.ID)), must.Get(c.PeekJob(ctx, r.ID))
				if stats.Get("tube") != jobs[i].Tube || string(found.Body) != jobs[i].Tube ||
					stats.Number("delay") != int64((jobs[i].Delay+time.Second-1)/time.Second) {
					t.Errorf("job %d of %s: %v", i, jobs[i].Tube, stats)
				}
			}
			if i > 1 && r.Err == nil && results[i-1].Err == nil && r.ID != results[i-1].ID+1 {
				t.Errorf("job %d has the id %d, the one before it %d", i, r.ID, results[i-1].ID)
			}
		}
	})
}

// The commands for many jobs, at a server that has them and at one that has not.
func TestManyJobs(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		const many = 2500
		c := dial(t, server)
		must.Get(c.PutBatch(t.Context(), make([]client.NewJob, many)))
		all := ""
		for left := many; left > 0; {
			jobs := must.Get(c.ReserveBatch(t.Context(), 1000, 0))
			for _, j := range jobs {
				all += fmt.Sprint(j.ID, ";")
			}
			left -= len(jobs)
		}
		all += "1099511627776"
		talk(t, c, nil, strings.ReplaceAll(`
			TouchBatch ALL = 2500
			BuryBatch ALL 3 = 2500
			Kick default 1048576 = 2500
			ReserveBatch 7 1h = 1,2,3,4,5,6,7
			ReleaseBatch ALL 4 0 = 7
			ReserveBatch 7 1h = 8,9,10,11,12,13,14
			DeleteBatch ALL = 2500
			ReserveBatch 7 0 = ErrTimedOut
		`, "ALL", all))
	})
}

// A pipeline goes on behind commands that are refused, and tells the results apart.
func TestPipeline(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		talk(t, dial(t, server), nil, `
			Put - = 1
			Reserve 0
			Run Touch:1;Put:1;ReleaseInThePast:1;Delete:9;Bury:1;Put:0;KickJob:1;Delete:1 = 1 ErrTooBig ErrInvalid ErrNotFound 1 2 1 1
			StatsJob 2 = tube=b
		`)
	})
}

// GC1: many goroutines with one connection get the answers to their own commands.
func TestOneConnectionForAll(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	var all sync.WaitGroup
	for g := range 20 {
		all.Go(func() {
			for i := range 50 {
				body := fmt.Sprint(g, " ", i)
				id := must.Get(c.Put(ctx, client.NewJob{Tube: fmt.Sprint("t", g%3), Body: []byte(body)}))
				if found, err := c.PeekJob(ctx, id); err != nil || string(found.Body) != body {
					t.Errorf("job %d is %q, %v; want %q", id, found.Body, err, body)
				}
				if err := c.Delete(ctx, id); err != nil {
					t.Errorf("delete: %v", err)
				}
			}
		})
	}
	all.Wait()
}
