package router

import (
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
)

// watchedLog tells, while it replays, what the start says that it is doing.
type watchedLog struct {
	storage.Log
	tell func()
}

func (l watchedLog) Replay(fn func(*storage.Job, []byte) error) error {
	for id := range uint64(2) {
		if err := fn(&storage.Job{ID: id + 1, Tube: "t", State: storage.Ready}, nil); err != nil {
			return err
		}
	}
	l.tell()
	return nil
}

// A start that replays says which shard, and how far it is.
func TestStepsOfAReplay(t *testing.T) {
	steps := new(storage.Steps)
	said := ""
	store := wrapped{storage.Memory(), func(_ int, l storage.Log) storage.Log {
		return watchedLog{l, func() { said += steps.Doing() }}
	}}
	r := must.Get(New(Options{Shards: 1, Store: store, Steps: steps}))
	if !strings.HasPrefix(said, "replaying shard-000: ") || !strings.HasSuffix(said, ", 2 jobs") {
		t.Errorf("it said that it was doing %q", said)
	}
	if got := steps.Doing(); got != "" {
		t.Errorf("after the start it is still doing %q", got)
	}
	must.Do(t, r.Close())
}
