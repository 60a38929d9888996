package client_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// The life of a job, with each command, at either server.
func TestLifeOfAJob(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c, ctx := dial(t, server), within(t)
		id := must.Get(c.Put(ctx, client.NewJob{Tube: "mail", Body: []byte("hello"), Priority: 7,
			TTR: 90 * time.Second}))
		if found := must.Get(c.Peek(ctx, "mail", client.Ready)); found.ID != id || string(found.Body) != "hello" {
			t.Errorf("next is %+v", found)
		}
		if _, err := c.Reserve(ctx, 0); err != client.ErrTimedOut {
			t.Errorf("reserve from another tube: %v", err)
		}
		job := must.Get(c.Reserve(ctx, 0, "mail", "other"))
		if stats := must.Get(job.Stats(ctx)); job.ID != id || string(job.Body) != "hello" || stats.Number("pri") != 7 ||
			stats.Number("ttr") != 90 {
			t.Errorf("reserved %d %q: %v", job.ID, job.Body, stats)
		}
		must.Do(t, job.Touch(ctx))
		must.Do(t, job.Release(ctx, 8, time.Hour-time.Millisecond))
		if err := job.Touch(ctx); err != client.ErrTaken {
			t.Errorf("touch of a job that was released: %v", err)
		}
		shows(t, must.Get(c.StatsJob(ctx, id)), "state=delayed delay=3600 pri=8")
		must.Do(t, c.KickJob(ctx, id))
		job = must.Get(c.Reserve(ctx, client.Forever, "mail"))
		must.Do(t, job.Bury(ctx, 9))
		if n := must.Get(c.Kick(ctx, "mail", 10)); n != 1 {
			t.Errorf("%d jobs kicked", n)
		}
		job = must.Get(c.ReserveJob(ctx, id))
		must.Do(t, job.Delete(ctx))
		if err := job.Delete(ctx); err != client.ErrTaken {
			t.Errorf("deleted again: %v", err)
		}
		_, err := c.PeekJob(ctx, id)
		if refusal := (*client.Refusal)(nil); !errors.Is(err, client.ErrNotFound) || !errors.As(err, &refusal) ||
			refusal.Word != "NOT_FOUND" {
			t.Errorf("peek of a job that was deleted: %v", err)
		}
		must.Do(t, c.Pause(ctx, "default", time.Second))
		shows(t, must.Get(c.StatsTube(ctx, "default")), "pause=1")
		if tubes := must.Get(c.Tubes(ctx)); !slices.Contains(tubes, "default") {
			t.Errorf("tubes are %q", tubes)
		}
		shows(t, must.Get(c.Stats(ctx)), "total-jobs=1")
	})
}

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
		c, ctx := dial(t, server), within(t)
		var ids []uint64
		for i, r := range must.Get(c.PutBatch(ctx, make([]client.NewJob, many))) {
			if r.Err != nil {
				t.Fatalf("job %d: %v", i, r.Err)
			}
			ids = append(ids, r.ID)
		}
		for left := many; left > 0; {
			left -= len(must.Get(c.ReserveBatch(ctx, 1000, 0)))
		}
		missing := append(ids, 1<<40)
		for what, n := range map[string]int{
			"touched":  must.Get(c.TouchBatch(ctx, missing)),
			"buried":   must.Get(c.BuryBatch(ctx, missing, 3)),
			"kicked":   must.Get(c.Kick(ctx, "default", 1<<20)),
			"reserved": len(must.Get(c.ReserveBatch(ctx, 7, time.Hour))),
			"released": must.Get(c.ReleaseBatch(ctx, missing, 4, 0)),
			"deleted":  must.Get(c.DeleteBatch(ctx, missing)),
		} {
			want := many
			if what == "reserved" || what == "released" {
				want = 7
			}
			if n != want {
				t.Errorf("%d jobs %s, want %d", n, what, want)
			}
		}
		fails(t, "there are no more", last(c.ReserveBatch(ctx, 7, 0)), client.ErrTimedOut)
	})
}

// A pipeline goes on behind commands that are refused, and tells the results apart.
func TestPipeline(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c, ctx := dial(t, server), within(t)
		held := must.Get(c.Put(ctx, client.NewJob{}))
		must.Get(c.Reserve(ctx, 0))
		var p client.Pipeline
		p.Touch(held)
		p.Put(client.NewJob{Tube: "a", Body: []byte(strings.Repeat("x", 1<<20))})
		p.Release(held, 1, -time.Second)
		p.Delete(1 << 40)
		p.Bury(held, 5)
		p.Put(client.NewJob{Tube: "b"})
		p.KickJob(held)
		p.Delete(held)
		results := must.Get(c.Run(ctx, &p))
		want := []error{nil, client.ErrTooBig, client.ErrInvalid, client.ErrNotFound, nil, nil, nil, nil}
		if len(results) != p.Len() || len(want) != p.Len() {
			t.Fatalf("%d results", len(results))
		}
		for i, r := range results {
			if !errors.Is(r.Err, want[i]) {
				t.Errorf("command %d: %v, want %v", i, r.Err, want[i])
			}
		}
		shows(t, must.Get(c.StatsJob(ctx, results[5].ID)), "tube=b")
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
