package pebblestore

import (
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A job may come back to a log in which it was before: its copies have different keys there, whatever
// the store has of the first one.
func TestCopiesOfAJob(t *testing.T) {
	for _, folded := range []bool{false, true} {
		fs := vfs.NewCrashableMem()
		s := newStore(small(fs, storage.Always))
		l := mustOpen(t, s, 1)[0].(*shardLog)
		commit := func() {
			if w := make(committed, 1); !l.Commit(w) {
				must.Do(t, <-w)
			}
			if folded {
				must.Do(t, l.foldAll())
			}
		}
		first := storage.Job{ID: 7, Tube: "t", State: storage.Ready, Size: 5}
		l.Put(&first, []byte("first"))
		commit()
		l.Delete(&first)
		second := first
		second.Item = &storage.Item{Route: &storage.Route{Hops: 2}}
		l.Put(&second, []byte("again"))
		commit()
		if body, err := l.Body(7, nil); string(body) != "again" || err != nil {
			t.Errorf("folded %v: body %q, %v", folded, body, err)
		}
		if l.window.Highest() != 7 {
			t.Errorf("the highest id is %d", l.window.Highest())
		}
		must.Do(t, s.Close())
		s = newStore(small(fs.CrashClone(vfs.CrashCloneCfg{}), storage.Always))
		l = mustOpen(t, s, 1)[0].(*shardLog)
		n := 0
		must.Do(t, l.Replay(func(j *storage.Job, body []byte) error {
			if n++; j.ID != 7 || j.Hops() != 2 || string(body) != "again" {
				t.Errorf("folded %v: job %d with %d hops and body %q", folded, j.ID, j.Hops(), body)
			}
			return nil
		}))
		if body, err := l.Body(7, nil); n != 1 || l.MaxID() != 7 || string(body) != "again" || err != nil {
			t.Errorf("folded %v: %d copies, highest id %d, body %q, %v", folded, n, l.MaxID(), body, err)
		}
		must.Do(t, s.Close())
	}
}
