package storage

import (
	"testing"
	"testing/synctest"
	"time"
)

func TestSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Steps
		first := s.Begin("opening a", "")
		time.Sleep(2 * time.Second) // by the bubble's clock
		second := s.Begin("replaying b", "jobs")
		second.Count()
		second.Count()
		time.Sleep(time.Second)
		if got, want := s.Doing(), "opening a: 3.0 s; replaying b: 1.0 s, 2 jobs"; got != want {
			t.Errorf("doing %q, want %q", got, want)
		}
		first.End()
		time.Sleep(4 * time.Second)
		second.End()
		for range mostEnded {
			s.Begin("a trifle", "").End()
		}
		if got := s.Doing(); got != "" {
			t.Errorf("doing %q after the end", got)
		}
		want := "replaying b: 5.0 s, 2 jobs; opening a: 3.0 s; a trifle: 0.0 s; a trifle: 0.0 s; a trifle: 0.0 s"
		if got := s.Longest(); got != want {
			t.Errorf("the longest were %q, want %q", got, want)
		}
	})
	var none *Steps
	p := none.Begin("nothing", "")
	p.Count()
	p.End()
}
