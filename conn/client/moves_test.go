package client_test

import (
	"fmt"
	"testing"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// Jobs are moved and changed, more than one command takes, and only those that are meant.
func TestMovesAndChanges(t *testing.T) {
	const many = 2500
	c, ctx := dial(t, beanfield(t)), within(t)
	jobs := make([]client.NewJob, many)
	for i := range jobs {
		jobs[i] = client.NewJob{Tube: "from", Body: []byte(fmt.Sprint("body ", i%2))}
	}
	ids := must.Get(c.PutBatch(ctx, jobs))
	count := func(tube, key string, want int64) {
		t.Helper()
		if stats := must.Get(c.StatsTube(ctx, tube)); stats.Number(key) != want {
			t.Errorf("%s of %s is %d, want %d", key, tube, stats.Number(key), want)
		}
	}
	odd := client.Filter{Tube: "from", States: []client.State{client.Ready}, BodyContains: "dy 1"}
	if moved, stayed, err := c.MoveJobs(ctx, odd, "to", client.Buried); moved != many/2 || stayed != 0 || err != nil {
		t.Errorf("moved %d, stayed %d: %v", moved, stayed, err)
	}
	count("to", "current-jobs-buried", many/2)
	count("from", "current-jobs-ready", many/2)
	change := client.Change{Priority: new(uint32(7)), Delay: new(time.Hour), TTR: new(90 * time.Second)}
	if changed, not, err := c.ChangeJobs(ctx, client.Filter{Tube: "from"}, change); changed != many/2 || not != 0 ||
		err != nil {
		t.Errorf("changed %d, not %d: %v", changed, not, err)
	}
	count("from", "current-jobs-delayed", many/2)
	shows(t, must.Get(c.StatsJob(ctx, ids[0].ID)), "pri=7 delay=3600 ttr=90")
}

// What cannot be moved or changed, and a server that cannot do either.
func TestMovesAndChangesThatAreWrong(t *testing.T) {
	both(t, func(t *testing.T, server string) {
		c, ctx := dial(t, server), within(t)
		ok := client.Filter{Tube: "none"}
		for i, try := range []struct {
			f      client.Filter
			to     string
			as     client.State
			change client.Change
		}{
			{ok, "a b", "", client.Change{}},
			{client.Filter{}, "b", "", client.Change{Priority: new(uint32)}},
			{client.Filter{Tube: "a", Bodies: 1}, "b", "", client.Change{Priority: new(uint32)}},
			{client.Filter{Tube: "a", OlderThan: -1}, "b", "", client.Change{Priority: new(uint32)}},
			{ok, "b", client.Reserved, client.Change{Delay: new(time.Duration(-1))}},
		} {
			fails(t, i, last(c.MoveJobs(ctx, try.f, try.to, try.as)), client.ErrInvalid)
			fails(t, i, last(c.ChangeJobs(ctx, try.f, try.change)), client.ErrInvalid)
		}
		want := client.ErrNotFound
		if !c.Has("move-jobs") {
			want = client.ErrUnsupported
		}
		fails(t, "move", last(c.MoveJobs(ctx, ok, "b", "")), want)
		fails(t, "change", last(c.ChangeJobs(ctx, ok, client.Change{Priority: new(uint32)})), want)
	})
}
