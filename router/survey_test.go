package router

import (
	"context"
	"testing"

	"beanfield/shard/queue"
)

// A survey comes to all jobs of a tube, however few it may tell of at a time, and to no
// other's; the heads are those with the best priorities.
func TestSurvey(t *testing.T) {
	r := newRouterOf(t, 3)
	c := newClient(r)
	const jobs = 3 * surveyShare
	want := map[uint64]bool{}
	c.use("mail")
	var gone []uint64 // so many that the shard gives their memory back, and has a hole there
	for range 4 * surveyShare {
		gone = append(gone, c.put(1, 60))
	}
	for i := range jobs {
		c.use([]string{"mail", "video"}[i%2])
		if id := c.put(uint32(jobs-i), 60); i%2 == 0 {
			want[id] = true
		}
	}
	for _, id := range gone {
		c.delete(id)
	}
	heads, ok := r.Heads(t.Context(), "mail", queue.Ready, 1000)
	if !ok || len(heads) != headsMost || heads[0].Pri != 2 || heads[1].Pri != 4 || int(heads[0].Size) != len(body) {
		t.Errorf("%d heads, the first are %+v", len(heads), heads[:2])
	}
	for from := uint32(0); ; {
		list, next, ok := r.Survey(t.Context(), "mail", from, 100)
		if !ok || len(list) > 100 {
			t.Fatalf("a survey tells of %d jobs", len(list))
		}
		for _, j := range list {
			if !want[j.ID] || j.Tube != "mail" {
				t.Fatalf("a survey tells of job %d in %s", j.ID, j.Tube)
			}
			delete(want, j.ID)
			c.delete(j.ID)
		}
		if from = next; from == 0 {
			break
		}
	}
	if len(want) > 0 {
		t.Errorf("a survey has not told of %d jobs", len(want))
	}
	surveyAll(t, r, jobs/2)
	if list, next, ok := r.Survey(t.Context(), "none", 0, 100); !ok || next != 0 || len(list) != 0 {
		t.Error("a survey of no tube tells of something")
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if list, _, ok := r.Survey(over, "mail", 0, 100); !ok && list != nil {
		t.Error("a survey that has not been made tells of something")
	}
	c.close()
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// surveyAll makes sure that a survey of all tubes comes to each of so many jobs once.
func surveyAll(t *testing.T, r *Router, jobs int) {
	t.Helper()
	seen, parts := map[uint64]bool{}, 0
	for from, done := uint64(0), false; !done; done = from == 0 {
		list, next, ok := r.SurveyAll(t.Context(), from, 100)
		if !ok || len(list) > 100 {
			t.Fatalf("a survey of all tubes tells of %d jobs", len(list))
		}
		for _, j := range list {
			if seen[j.ID] {
				t.Fatalf("a survey of all tubes tells of job %d twice", j.ID)
			}
			seen[j.ID] = true
		}
		from, parts = next, parts+1
	}
	if len(seen) != jobs || parts < r.Shards() {
		t.Errorf("a survey of all tubes tells of %d jobs in %d parts, want %d", len(seen), parts, jobs)
	}
	if list, next, ok := r.SurveyAll(t.Context(), uint64(r.Shards())<<32, 100); !ok || next != 0 || len(list) != 0 {
		t.Error("a survey behind the last shard tells of something")
	}
}
