package client_test

import (
	"context"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn/client"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// All that a put can say, alone and in a batch, and how it is answered.
func TestPutWithOptions(t *testing.T) {
	job := client.NewJob{Tube: "mail", Body: []byte("hello"), Priority: 3, TTR: 1500 * time.Millisecond,
		Delay: time.Hour, Key: "order 17%=\r\n", KeyFor: time.Hour, Once: "a\x00b", Expire: 2 * time.Hour, Deliveries: 4,
		Tags: map[string]string{"colour": "dark red", "größe": "ß", "a=b": strings.Repeat("x", 400)}}
	other, long := job, job
	other.Once = "another"
	long.Tags = map[string]string{"long": strings.Repeat("\r\ndelete 1\r\n", 100)}
	for how, put := range map[string]func(context.Context, *client.Conn, ...client.NewJob) []client.Result{
		"a batch": func(ctx context.Context, c *client.Conn, jobs ...client.NewJob) []client.Result {
			return must.Get(c.PutBatch(ctx, jobs))
		},
		"alone": func(ctx context.Context, c *client.Conn, jobs ...client.NewJob) (results []client.Result) {
			for _, j := range jobs {
				id, err := c.Put(ctx, j)
				results = append(results, client.Result{ID: id, Err: err})
			}
			return results
		},
	} {
		c, ctx := dial(t, beanfield(t)), within(t)
		r := append(put(ctx, c, job), put(ctx, c, job, other, long)...)
		if r[0].Err != nil || r[1] != r[0] {
			t.Errorf("%s: the same put makes %v, and then %v", how, r[0], r[1])
		}
		exists(t, how, r[2].Err, r[0].ID)
		fails(t, how, r[3].Err, client.ErrInvalid)
		n := 0
		for j, err := range c.Jobs(ctx, client.Filter{Tube: "mail",
			States: []client.State{client.Delayed, client.Ready}, Tags: job.Tags, BodyContains: "ell", Bodies: 4}) {
			if err != nil || string(j.Body) != "hell" || j.Tags.Get("colour") != "dark red" || j.Number("ttr") != 2 ||
				j.Number("pri") != 3 || uint64(j.Number("id")) != r[0].ID {
				t.Errorf("%s: listed: %+v, %v", how, j, err)
			}
			n++
		}
		if truncated := must.Get(c.Truncate(ctx, "mail")); n != 1 || truncated != 1 {
			t.Errorf("%s: %d jobs are listed, %d truncated", how, n, truncated)
		}
	}
}

// A server that refuses a batch has put nothing of it, so each job is put by itself, and is refused by itself.
func TestPutBatchThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{has: "put-batch put-with", answers: map[string]string{"put-batch": "BAD_FORMAT", "put": "BAD_FORMAT",
			"put-with": "INSERTED 9", "put-with 0 tube=default pri=0 delay=0 ttr=60 key=b": "EXISTS 7"}}
		c := s.dial(t)
		defer c.Close()
		results := must.Get(c.PutBatch(t.Context(), []client.NewJob{{Key: "a"}, {Key: "b"}, {}}))
		if results[0] != (client.Result{ID: 9}) || !errors.Is(results[1].Err, client.ErrExists) ||
			!errors.Is(results[2].Err, client.ErrRefused) {
			t.Errorf("results %v", results)
		}
		if len(s.heard) != 5 || !strings.HasPrefix(s.heard[1], "put-batch ") || s.heard[4] != "put 0 0 60 0" {
			t.Errorf("heard %q", s.heard)
		}
	})
}

// All jobs are put together, or none: so if a key is taken.
func TestPutTogether(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	some := func(keys ...string) (jobs []client.NewJob) {
		for _, k := range keys {
			jobs = append(jobs, client.NewJob{Key: k, TTR: 1500 * time.Millisecond})
		}
		return jobs
	}
	ids := must.Get(c.PutTogether(ctx, some("a", "b", "", "")))
	if len(ids) != 4 || ids[3] != ids[0]+3 {
		t.Errorf("put as %d", ids)
	}
	_, err := c.PutTogether(ctx, some("c", "b"))
	exists(t, "a key that is taken", err, ids[1])
	apart := make([]client.NewJob, 50)
	for i := range apart {
		apart[i].Tube = fmt.Sprint("t", i)
	}
	for _, k := range []struct {
		jobs []client.NewJob
		want error
	}{{some("c", "c"), client.ErrRefused}, {apart, client.ErrTogether}, {make([]client.NewJob, 1001), client.ErrInvalid}} {
		_, err := c.PutTogether(ctx, k.jobs)
		fails(t, len(k.jobs), err, k.want)
	}
	shows(t, must.Get(c.Stats(ctx)), "total-jobs=4")
}

// More jobs than one answer lists, with other calls in between.
func TestJobsOfManyPages(t *testing.T) {
	const many = 250
	c, ctx := dial(t, beanfield(t)), within(t)
	must.Get(c.PutBatch(ctx, make([]client.NewJob, many)))
	seen := map[int64]bool{}
	for j, err := range c.Jobs(ctx, client.Filter{}) {
		must.Do(t, err)
		seen[j.Number("id")] = true
		must.Get(c.PeekJob(ctx, uint64(j.Number("id"))))
	}
	if len(seen) != many {
		t.Errorf("%d of %d jobs are listed", len(seen), many)
	}
	for range c.Jobs(ctx, client.Filter{}) {
		break // which is not an error
	}
	for _, err := range c.Jobs(ctx, client.Filter{Bodies: -1}) {
		if !errors.Is(err, client.ErrRefused) {
			t.Errorf("a filter that the server refuses: %v", err)
		}
	}
}

// What a beanstalkd cannot do is refused, and nothing is sent.
func TestWhatBeanstalkdCannot(t *testing.T) {
	c, ctx := dial(t, beanstalkd(t)), within(t)
	for name, err := range map[string]error{
		"key":           last(c.Put(ctx, client.NewJob{Key: "k"})),
		"PutTogether":   last(c.PutTogether(ctx, make([]client.NewJob, 1))),
		"Truncate":      last(c.Truncate(ctx, "default")),
		"TouchBatchFor": last(c.TouchBatchFor(ctx, []uint64{1}, time.Minute)),
		"Policies":      last(c.Policies(ctx)),
		"Policy":        last(c.Policy(ctx, "default")),
		"SetPolicies":   last(c.SetPolicies(ctx, "", "")),
		"Schedules":     last(c.Schedules(ctx)),
		"ReserveTagged": last(c.ReserveTagged(ctx, nil, 1, 0)),
	} {
		fails(t, name, err, client.ErrUnsupported)
	}
	for _, err := range c.Jobs(ctx, client.Filter{}) {
		fails(t, "Jobs", err, client.ErrUnsupported)
	}
	if c.Has("put-with") {
		t.Error("beanstalkd has put-with")
	}
	shows(t, must.Get(c.Stats(ctx)), "total-jobs=0")
}

// The names of tubes that are refused here are those that the server refuses.
func TestNamesOfTubes(t *testing.T) {
	c := dial(t, beanfield(t))
	for b := range 256 {
		for _, name := range []string{string(rune(b)), string([]byte{byte(b)}), "a" + string([]byte{byte(b)})} {
			_, err := c.StatsTube(within(t), name)
			if queue.ValidName([]byte(name)) == errors.Is(err, client.ErrInvalid) {
				t.Errorf("%q: %v", name, err)
			}
		}
	}
	for _, name := range []string{"", strings.Repeat("a", 200), strings.Repeat("a", 201)} {
		if _, err := c.StatsTube(within(t), name); queue.ValidName([]byte(name)) == errors.Is(err, client.ErrInvalid) &&
			name != "" {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Times that no job can have, and servers that are none.
func TestInvalid(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	for _, job := range []client.NewJob{{Delay: -1}, {TTR: -1}, {TTR: 1 << 62}, {Expire: -1}, {Tube: "a b"},
		{Tube: "a\r\ndelete 1"}} {
		fails(t, job, last(c.Put(ctx, job)), client.ErrInvalid)
	}
	for _, ttr := range []time.Duration{0, -1, 1 << 62} {
		fails(t, ttr, last(c.TouchBatchFor(ctx, nil, ttr)), client.ErrInvalid)
	}
	for _, config := range []client.Config{{Servers: []string{"http://a"}}, {Timeout: -1},
		{Retry: client.Backoff{Min: -1}}} {
		fails(t, config, last(client.Dial(ctx, config)), client.ErrInvalid)
		fails(t, config, last(client.NewPool(config, 1)), client.ErrInvalid)
	}
	fails(t, "a pool of none", last(client.NewPool(client.Config{}, 0)), client.ErrInvalid)
	fails(t, "a long version", last(c.SetPolicies(ctx, "delete 1\r\n", strings.Repeat("x", 250))), client.ErrInvalid)
}

// Whoever imports the package builds no server.
func TestImportsNoServer(t *testing.T) {
	for _, dir := range []string{".", "../beanstalk/client"} {
		for _, entry := range must.Get(os.ReadDir(dir)) {
			name := entry.Name()
			if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				continue
			}
			file := must.Get(parser.ParseFile(token.NewFileSet(), dir+"/"+name, nil, parser.ImportsOnly))
			for _, i := range file.Imports {
				path := strings.Trim(i.Path.Value, `"`)
				if path != "beanfield/conn/beanstalk/client" && (strings.HasPrefix(path, "beanfield/") ||
					strings.Contains(path, ".")) {
					t.Errorf("%s imports %s", name, path)
				}
			}
		}
	}
}

// Policies and schedules of a server that has none.
func TestPoliciesAndSchedules(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	if p := must.Get(c.Policies(ctx)); len(p.List) != 0 || p.Kept {
		t.Errorf("policies: %+v", p)
	}
	if p := must.Get(c.Policy(ctx, "mail")); p.Get("from") != "none" {
		t.Errorf("the policy: %v", p)
	}
	_, err := c.SetPolicies(ctx, "[[tube]]", "0")
	if refused := (client.PoliciesError{}); !errors.As(err, &refused) || refused.Reason == "" {
		t.Errorf("set: %v", err)
	}
	if list := must.Get(c.Schedules(ctx)); len(list) != 0 {
		t.Errorf("schedules: %v", list)
	}
}
