package client_test

import (
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

// All that a put can say, and how it is answered.
func TestPutWithOptions(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	job := client.NewJob{Tube: "mail", Body: []byte("hello"), Priority: 3, TTR: 1500 * time.Millisecond,
		Delay: time.Hour,
		Key:   "order 17%=\r\n", KeyFor: time.Hour, Once: "a\x00b", Expire: 2 * time.Hour, Deliveries: 4,
		Tags: map[string]string{"colour": "dark red", "größe": "ß"}}
	id := must.Get(c.Put(ctx, job))
	if again := must.Get(c.Put(ctx, job)); again != id {
		t.Errorf("the same put makes job %d, and then %d", id, again)
	}
	job.Once = "another"
	_, err := c.Put(ctx, job)
	if exists := (*client.ExistsError)(nil); !errors.As(err, &exists) || exists.ID != id ||
		!errors.Is(err, client.ErrExists) {
		t.Errorf("a put with a key that is taken: %v", err)
	}
	n := 0
	for j, err := range c.Jobs(ctx, client.Filter{Tube: "mail", States: []client.State{client.Delayed, client.Ready},
		Tags: job.Tags, BodyContains: "ell", Bodies: 4}) {
		if err != nil || string(j.Body) != "hell" || j.Tags.Get("colour") != "dark red" || j.Number("ttr") != 2 ||
			j.Number("pri") != 3 {
			t.Errorf("listed: %+v, %v", j, err)
		}
		n++
	}
	if n != 1 {
		t.Errorf("%d jobs are listed", n)
	}
	job.Tags = map[string]string{"long": strings.Repeat("\r\ndelete 1\r\n", 100)}
	if _, err := c.Put(ctx, job); !errors.Is(err, client.ErrInvalid) {
		t.Errorf("a tag that is too long: %v", err)
	}
	if n := must.Get(c.Truncate(ctx, "mail")); n != 1 {
		t.Errorf("%d jobs truncated", n)
	}
}

// The jobs of a batch can say what a single one can.
func TestPutBatchWithOptions(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	jobs := []client.NewJob{
		{Tube: "mail", Body: []byte("hello"), Priority: 3, TTR: 1500 * time.Millisecond, Delay: time.Hour,
			Key: "order 17%=\r\n", KeyFor: time.Hour,
			Once: "a\x00b", Expire: 2 * time.Hour, Deliveries: 4, Tags: map[string]string{"colour": "dark red",
				"a=b": "ß"}},
		{Tube: "mail", Key: "order 18", Once: "c", Tags: map[string]string{"long": strings.Repeat("x", 400)}},
		{Tube: "mail", Key: "order 18"},
		{Tube: "mail", Tags: map[string]string{"long": strings.Repeat("\r\n", 300)}},
		{Tube: "mail", Key: "order 19"},
	}
	var first []client.Result
	for range 2 {
		results := must.Get(c.PutBatch(ctx, jobs))
		exists := (*client.ExistsError)(nil)
		if !errors.As(results[2].Err, &exists) || exists.ID != results[1].ID ||
			!errors.Is(results[3].Err, client.ErrInvalid) {
			t.Fatalf("results %v", results)
		}
		if first == nil {
			first = results
		}
		if results[0] != first[0] || results[1] != first[1] || results[0].Err != nil || results[1].Err != nil {
			t.Errorf("once more: %v, after %v", results, first)
		}
	}
	n := 0
	for j, err := range c.Jobs(ctx, client.Filter{Tube: "mail", States: []client.State{client.Delayed},
		Tags: jobs[0].Tags}) {
		if err != nil || uint64(j.Number("id")) != first[0].ID || j.Number("ttr") != 2 || j.Number("pri") != 3 {
			t.Errorf("listed: %+v, %v", j, err)
		}
		n++
	}
	if stats := must.Get(c.Stats(ctx)); n != 1 || stats.Number("total-jobs") != 3 || stats.Number("cmd-put") != 0 {
		t.Errorf("%d listed; stats: %v", n, stats)
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

// If a key is taken, no job is put together with others.
func TestPutTogetherWithKeys(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	some := func(keys ...string) (jobs []client.NewJob) {
		for _, k := range keys {
			jobs = append(jobs, client.NewJob{Key: k, TTR: 1500 * time.Millisecond})
		}
		return jobs
	}
	ids := must.Get(c.PutTogether(ctx, some("a", "b")))
	_, err := c.PutTogether(ctx, some("c", "b"))
	if exists := (*client.ExistsError)(nil); !errors.As(err, &exists) || exists.ID != ids[1] {
		t.Errorf("a key that is taken: %v", err)
	}
	if _, err := c.PutTogether(ctx, some("c", "c")); !errors.Is(err, client.ErrRefused) {
		t.Errorf("the same key twice: %v", err)
	}
	if stats := must.Get(c.Stats(ctx)); stats.Number("total-jobs") != 2 {
		t.Errorf("%d jobs were put", stats.Number("total-jobs"))
	}
}

// All jobs are put together, or none.
func TestPutTogether(t *testing.T) {
	c, ctx := dial(t, beanfield(t)), within(t)
	if ids := must.Get(c.PutTogether(ctx, make([]client.NewJob, 5))); len(ids) != 5 || ids[4] != ids[0]+4 {
		t.Errorf("put as %d", ids)
	}
	apart := make([]client.NewJob, 50)
	for i := range apart {
		apart[i].Tube = fmt.Sprint("t", i)
	}
	if _, err := c.PutTogether(ctx, apart); !errors.Is(err, client.ErrTogether) {
		t.Errorf("tubes of several shards: %v", err)
	}
	if _, err := c.PutTogether(ctx, make([]client.NewJob, 1001)); !errors.Is(err, client.ErrInvalid) {
		t.Errorf("too many: %v", err)
	}
	if stats := must.Get(c.Stats(ctx)); stats.Number("total-jobs") != 5 {
		t.Errorf("%d jobs were put", stats.Number("total-jobs"))
	}
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
	for name, try := range map[string]func() error{
		"key":         func() error { _, err := c.Put(ctx, client.NewJob{Key: "k"}); return err },
		"PutTogether": func() error { _, err := c.PutTogether(ctx, make([]client.NewJob, 1)); return err },
		"Truncate":    func() error { _, err := c.Truncate(ctx, "default"); return err },
		"Jobs": func() (err error) {
			for _, err = range c.Jobs(ctx, client.Filter{}) {
			}
			return err
		},
		"TouchBatchFor": func() error { _, err := c.TouchBatchFor(ctx, []uint64{1}, time.Minute); return err },
		"Policies":      func() error { _, err := c.Policies(ctx); return err },
		"Policy":        func() error { _, err := c.Policy(ctx, "default"); return err },
		"SetPolicies":   func() error { _, err := c.SetPolicies(ctx, "", ""); return err },
		"Schedules":     func() error { _, err := c.Schedules(ctx); return err },
	} {
		if err := try(); !errors.Is(err, client.ErrUnsupported) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if c.Has("put-with") {
		t.Error("beanstalkd has put-with")
	}
	if stats := must.Get(c.Stats(ctx)); stats.Number("total-jobs") != 0 {
		t.Errorf("%d jobs were put", stats.Number("total-jobs"))
	}
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
		if _, err := c.Put(ctx, job); !errors.Is(err, client.ErrInvalid) {
			t.Errorf("%+v: %v", job, err)
		}
	}
	for _, ttr := range []time.Duration{0, -1, 1 << 62} {
		if _, err := c.TouchBatchFor(ctx, nil, ttr); !errors.Is(err, client.ErrInvalid) {
			t.Errorf("touched for %v: %v", ttr, err)
		}
	}
	for _, config := range []client.Config{{Servers: []string{"http://a"}}, {Timeout: -1},
		{Retry: client.Backoff{Min: -1}}} {
		if _, err := client.Dial(ctx, config); !errors.Is(err, client.ErrInvalid) {
			t.Errorf("%+v: %v", config, err)
		}
		if _, err := client.NewPool(config, 1); !errors.Is(err, client.ErrInvalid) {
			t.Errorf("%+v: %v", config, err)
		}
	}
	if _, err := client.NewPool(client.Config{}, 0); !errors.Is(err, client.ErrInvalid) {
		t.Errorf("a pool of none: %v", err)
	}
	if _, err := c.SetPolicies(ctx, "delete 1\r\n", strings.Repeat("x", 250)); !errors.Is(err, client.ErrInvalid) {
		t.Errorf("a version that is too long: %v", err)
	}
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
