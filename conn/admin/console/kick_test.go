package console

import (
	"fmt"
	"testing"
)

// A kick of all makes the buried jobs ready and leaves the delayed ones, however many requests
// it takes; if there is no buried one it makes the delayed ones ready.
func TestKickAll(t *testing.T) {
	b := newBench(t, Rights{Act: true})
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

// A kick that says which jobs it is for takes no others: neither delayed ones when the last
// buried one has gone, nor buried ones when it is for delayed ones.
func TestKickOfAState(t *testing.T) {
	b := newBench(t, Rights{Act: true})
	for _, delay := range []int{0, 1000, 1000} {
		b.post(200, "put", fields{"tube": "t", "data": "x", "delay": delay})
	}
	kick := func(state string, done int) {
		t.Helper()
		if a := b.post(200, "kick", fields{"tube": "t", "count": 1, "states": []string{state}}); a.Done != done {
			t.Errorf("a kick of %s jobs takes %d, want %d", state, a.Done, done)
		}
	}
	kick("buried", 0)
	b.expect("t", 1, 2, 0)
	b.post(200, "bury", fields{"id": 1})
	kick("delayed", 0)
	b.expect("t", 0, 2, 1)
	kick("buried", 1)
	kick("delayed", 1)
	b.expect("t", 2, 1, 0)
	b.post(400, "kick", fields{"tube": "t", "count": 1, "states": []string{"ready"}})
}
