package console

import (
	"fmt"
	"testing"
)

func TestManyJobs(t *testing.T) {
	b := newBench(t)
	const many = 3*handful + 7
	for i := range many {
		b.post(200, "put", fields{"tube": "from", "data": fmt.Sprint("job ", i), "pri": i, "ttr": 77,
			"delay": 1000 * (i % 2)})
	}
	// Answers may say that there is more to do, as often as the machine is slow.
	until := func(name string, say fields) (done int) {
		for range 1000 {
			a := b.post(200, name, say)
			if done += a.Done; a.Left == 0 {
				return done
			}
		}
		t.Fatalf("%s does not end", name)
		return 0
	}
	if n := until("move", fields{"tube": "from", "to": "to", "states": []string{"ready"}}); n != (many+1)/2 {
		t.Errorf("%d jobs are moved", n)
	}
	b.expect("from", 0, many/2, 0)
	b.expect("to", (many+1)/2, 0, 0)
	if n := until("move", fields{"tube": "from", "to": "to", "states": []string{"ready", "delayed",
		"buried"}}); n != many/2 {
		t.Errorf("%d jobs are moved", n)
	}
	b.expect("to", (many+1)/2, many/2, 0)
	a := shown[jobsAnswer](b, "jobs?tube=to&state=ready&n=100")
	for i, j := range a.Jobs {
		if *j.Text != fmt.Sprint("job ", 2*i) || j.Pri != uint32(2*i) || j.TTR != 77 {
			t.Fatalf("job %d has become %+v", i, j)
		}
	}
	if n := until("purge", fields{"tube": "to", "states": []string{"delayed"}}); n != many/2 {
		t.Errorf("%d jobs are purged", n)
	}
	b.expect("to", (many+1)/2, 0, 0)
	b.post(400, "purge", fields{"tube": "to", "states": []string{"reserved"}})
	b.post(400, "move", fields{"tube": "to", "to": "to", "states": []string{"ready"}})
	b.post(404, "purge", fields{"tube": "none", "states": []string{"ready"}})
}

// A kick of all makes the buried jobs ready and leaves the delayed ones, however many requests
// it takes; if there is no buried one it makes the delayed ones ready.
func TestKickAll(t *testing.T) {
	b := newBench(t)
	const buried, delayed = 2*kickShare + 3, 7
	for i := range buried {
		id := b.post(200, "put", fields{"tube": "a", "data": fmt.Sprint(i)}).ID
		b.post(200, "bury", fields{"id": id})
	}
	for range delayed {
		b.post(200, "put", fields{"tube": "a", "data": "later", "delay": 1000})
	}
	b.expect("a", 0, delayed, buried)
	say := fields{"tube": "a"}
	done := 0
	for range 1000 {
		a := b.post(200, "kick", say)
		if a.State != "buried" {
			t.Fatalf("jobs that are %s are kicked", a.State)
		}
		say["states"] = []string{a.State}
		if done += a.Done; a.Left == 0 {
			break
		}
	}
	if done != buried {
		t.Errorf("%d jobs are kicked", done)
	}
	b.expect("a", buried, delayed, 0)
	if a := b.post(200, "kick", say); a.Done != 0 || a.Left != 0 {
		t.Errorf("a kick that goes on with buried jobs when there are none: %+v", a)
	}
	b.expect("a", buried, delayed, 0)
	b.post(400, "kick", fields{"tube": "a", "states": []string{"ready"}})
	if a := b.post(200, "kick", fields{"tube": "a"}); a.Done != delayed || a.State != "delayed" {
		t.Errorf("a kick of delayed jobs: %+v", a)
	}
	b.expect("a", buried+delayed, 0, 0)
}
