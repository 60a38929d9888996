package router

import (
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
)

// watched is a store whose logs tell, while they replay, what the start says that it is doing.
type watched struct {
	storage.Store
	steps *storage.Steps
	doing []string
}

type watchedLog struct {
	storage.Log
	of *watched
}

func (w *watched) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := w.Store.Open(n, shardOf)
	for i := range logs {
		logs[i] = watchedLog{logs[i], w}
	}
	return logs, err
}

func (l watchedLog) Replay(fn func(*storage.Job, []byte) error) error {
	for id := range uint64(2) {
		if err := fn(&storage.Job{ID: id + 1, Tube: "t", State: storage.Ready}, nil); err != nil {
			return err
		}
	}
	l.of.doing = append(l.of.doing, l.of.steps.Doing())
	return nil
}

// A start that replays says which shard, and how far it is.
func TestStepsOfAReplay(t *testing.T) {
	steps := new(storage.Steps)
	w := &watched{Store: storage.Memory(), steps: steps}
	r := must.Get(New(Options{Shards: 1, Store: w, Steps: steps}))
	if len(w.doing) != 1 || !strings.HasPrefix(w.doing[0], "replaying shard-000: ") || !strings.HasSuffix(w.doing[0],
		", 2 jobs") {
		t.Errorf("it said that it was doing %q", w.doing)
	}
	if got := steps.Doing(); got != "" {
		t.Errorf("after the start it is still doing %q", got)
	}
	must.Do(t, r.Close())
}
