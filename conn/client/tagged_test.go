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
	c, ctx := dial(t, server), within(t)
	tags := []map[string]string{nil, {"colour": "red"}, {"colour": "red", "a b=%": "ß, \x00"}, {"colour": "dark red"}}
	for i, tag := range tags {
		must.Get(c.Put(ctx, client.NewJob{Tube: "t" + string(rune('0'+i%2)), Body: []byte{byte('0' + i)}, Tags: tag}))
	}
	jobs := must.Get(c.ReserveTagged(ctx, tags[1], 10, 0, "t0", "t1"))
	if len(jobs) != 2 {
		t.Fatalf("%d jobs", len(jobs))
	}
	for i, j := range jobs {
		if j.ID != uint64(i+2) || j.Tube != []string{"t1", "t0"}[i] || j.Reserves != 1 ||
			!maps.Equal(j.Tags, tags[i+1]) || string(j.Body) != string(rune('1'+i)) {
			t.Errorf("%+v", j)
		}
		must.Do(t, j.Delete(ctx))
	}
	if _, err := c.ReserveTagged(ctx, tags[1], 1, 0, "t0", "t1"); err != client.ErrTimedOut {
		t.Errorf("there are no more: %v", err)
	}
	got := make(chan *client.Job, 1)
	working(t, &client.Worker{Config: at(server), Tubes: []string{"t0", "t1"}, Tags: tags[3],
		Handler: func(_ context.Context, j *client.Job) error {
			got <- j
			return nil
		}})
	if j := <-got; j.ID != 4 || j.Tags["colour"] != "dark red" {
		t.Errorf("the worker has %+v", j)
	}
	if j := must.Get(c.Reserve(ctx, 0, "t0")); j.ID != 1 || j.Tube != "t0" {
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
