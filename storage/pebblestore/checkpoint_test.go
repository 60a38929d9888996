package pebblestore

import (
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// moveJobs moves jobs between two shards, one after the other, again and again, until
// stop is called. moved is told of moves.
func moveJobs(t *testing.T, logs []storage.Log, jobs uint64) (moved <-chan struct{}, stop func()) {
	var wg sync.WaitGroup
	ended, told := make(chan struct{}), make(chan struct{}, 1)
	wg.Go(func() {
		for id := uint64(1); ; id++ {
			from, to := logs[(id-1)/jobs%2], logs[((id-1)/jobs+1)%2]
			putOne(to, id+jobs)
			mustCommit(t, to)
			from.Delete(&storage.Job{ID: id, Tube: "t", Size: 4})
			mustCommit(t, from)
			select {
			case told <- struct{}{}:
			default:
			}
			select {
			case <-ended:
				return
			default:
			}
		}
	})
	return told, func() {
		close(ended)
		wg.Wait()
	}
}

// A worker moves jobs from one shard to another, by a put and then a delete. In
// a copy taken meanwhile every job is there at least once: it shows both shards
// at one moment.
func TestCheckpointOfARunningStore(t *testing.T) {
	for _, mode := range []storage.SyncMode{storage.Always, storage.Never} {
		fs := vfs.NewMem()
		s := noTicks(small(fs, mode))
		logs := mustOpen(t, s, 2)
		const jobs = 5
		for id := uint64(1); id <= jobs; id++ {
			putOne(logs[0], id)
		}
		mustCommit(t, logs[0])
		moved, stop := moveJobs(t, logs, jobs)
		names := []string{"copy1", "copy2", "copy3"}
		for _, name := range names {
			<-moved
			must.Do(t, s.Checkpoint(name))
		}
		if err := s.Checkpoint("copy1"); err == nil {
			t.Error("a checkpoint was written over another")
		}
		stop()
		must.Do(t, s.Close())
		for _, name := range names {
			o := small(fs, mode)
			o.Dir = name
			c := noTicks(o)
			there := map[uint64]bool{}
			var highest uint64
			for _, l := range mustOpen(t, c, 2) {
				for _, j := range replayed(t, l) {
					there[(j.ID-1)%jobs] = true
					if j.Body != "body" {
						t.Errorf("%s: %v", name, j)
					}
				}
				highest = max(highest, l.MaxID())
			}
			if len(there) != jobs || highest < jobs {
				t.Errorf("%s holds %d of %d jobs, highest id %d", name, len(there), jobs, highest)
			}
			must.Do(t, c.Close())
		}
	}
}

// A copy is whole also if nothing has changed since the store was opened.
func TestCheckpointOfWhatHasNotChanged(t *testing.T) {
	fs := vfs.NewMem()
	s, l := openOne(t, fs)
	j := largeJob(1, 10)
	put(l, &j)
	mustCommit(t, l)
	must.Do(t, l.foldAll())
	must.Do(t, s.Close())
	s, _ = openOne(t, fs)
	must.Do(t, s.Checkpoint("copy"))
	must.Do(t, s.Close())
	o := small(fs, storage.Always)
	o.Dir = "copy"
	c := noTicks(o)
	if jobs := replayed(t, mustOpen(t, c, 1)[0]); len(jobs) != 1 {
		t.Errorf("%d jobs in the copy", len(jobs))
	}
	must.Do(t, c.Close())
}
