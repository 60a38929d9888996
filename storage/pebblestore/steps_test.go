package pebblestore

import (
	"slices"
	"strings"
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// A start says all along what it is doing: whatever the disk keeps waiting belongs to a step.
func TestStepsOfAStart(t *testing.T) {
	mem := vfs.NewMem()
	fillLarge(t, mem, 2, 300, 2)
	steps := new(storage.Steps)
	var mu sync.Mutex
	var seen, idle []string
	fs := faulty(mem, func(op errorfs.Op) error {
		mu.Lock()
		defer mu.Unlock()
		doing := steps.Doing()
		if doing == "" {
			idle = append(idle, op.Path)
		}
		for step := range strings.SplitSeq(doing, "; ") {
			if name, _, _ := strings.Cut(step, ":"); !slices.Contains(seen, name) {
				seen = append(seen, name)
			}
		}
		return nil
	})
	o := small(fs, storage.Always)
	o.Steps = steps
	s := noTicks(o)
	logs := mustOpen(t, s, 3)
	for _, l := range logs {
		replayed(t, l)
	}
	if doing := steps.Doing(); doing != "" {
		t.Errorf("after the start it is still at %q", doing)
	}
	mu.Lock()
	for _, want := range []string{
		"checking the files of shard-000", "checking the files of shard-001",
		"removing what earlier runs have left in data",
		"moving jobs from 2 to 3 shards", "removing the old shards", "opening shard-000", "opening shard-002",
		"removing tables that were never taken over by shard-001",
	} {
		if !slices.Contains(seen, want) {
			t.Errorf("it never said that it was %s", want)
		}
	}
	for _, path := range idle {
		// The manifest and the lock are looked at before and between the steps, and in the
		// new generation Pebble goes on in the background.
		if strings.Contains(path, "gen-000001/") && strings.Contains(path, ".turns") {
			t.Errorf("no step is under way at a use of %s", path)
		}
	}
	mu.Unlock()
	must.Do(t, s.Close())
}
