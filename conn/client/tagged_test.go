package client_test

import (
	"context"
	"maps"
	"slices"
	"testing"
	"time"

	"beanfield/conn/client"
	"beanfield/storage/must"
)

// Only jobs with the tags come, and all is told of them. A worker may ask for tags, too.
func TestTaggedJobs(t *testing.T) {
	server := beanfield(t)
	c, strange := dial(t, server), map[string]string{"colour": "red", "a b=%": "ß, \x00"}
	talk(t, c, nil, "Put Tube:t0,Body:0 = 1\nPut Tube:t1,Body:1,Tags:colour=red = 2")
	must.Get(c.Put(t.Context(), client.NewJob{Tube: "t0", Body: []byte("2"), Tags: strange}))
	talk(t, c, nil, "Put Tube:t1,Body:3,Tags:colour=dark = 4")
	jobs := must.Get(c.ReserveTagged(t.Context(), map[string]string{"colour": "red"}, 10, 0, "t0", "t1"))
	if told(jobs) != "2,3" || jobs[0].Tube != "t1" || jobs[1].Tube != "t0" || jobs[1].Reserves != 1 ||
		!maps.Equal(jobs[1].Tags, strange) || string(jobs[1].Body) != "2" {
		t.Errorf("%+v", jobs)
	}
	talk(t, c, nil, "DeleteBatch 2;3 = 2\nReserveTagged colour=red 1 0 t0 t1 = ErrTimedOut")
	got := make(chan *client.Job, 1)
	working(t, &client.Worker{Config: at(server), Tubes: []string{"t0", "t1"}, Tags: map[string]string{"colour": "dark"},
		Handler: func(_ context.Context, j *client.Job) error {
			got <- j
			return nil
		}})
	if j := <-got; j.ID != 4 || j.Tags["colour"] != "dark" {
		t.Errorf("the worker has %+v", j)
	}
	if j := must.Get(c.Reserve(t.Context(), 0, "t0")); j.ID != 1 || j.Tube != "t0" {
		t.Errorf("the last one is %+v", j)
	}
}

// Tags need a server that knows them; where a job was is known everywhere if it is asked for.
func TestTagsAtBeanstalkd(t *testing.T) {
	server := beanstalkd(t)
	c, ctx := dial(t, server), within(t)
	fails(t, "tags", last(c.ReserveTagged(ctx, nil, 1, 0)), client.ErrUnsupported)
	must.Get(c.PutBatch(ctx, []client.NewJob{{Tube: "a"}, {Tube: "b"}, {}}))
	tubes := make(chan string, 2)
	working(t, &client.Worker{Config: at(server), Tubes: []string{"a", "b"}, Handler: func(_ context.Context,
		j *client.Job) error {
		tubes <- j.Tube
		return nil
	}})
	if got := []string{<-tubes, <-tubes}; !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("the tubes are %q", got)
	}
	if j := must.Get(c.Reserve(ctx, time.Hour)); j.Tube != "default" {
		t.Errorf("without a tube it is from %q", j.Tube)
	}
}
