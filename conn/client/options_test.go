package client_test

import (
	"context"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
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
