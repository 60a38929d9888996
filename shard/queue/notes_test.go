package queue

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// M5: notes outlive the process and the tube, and neither they nor what the queue service keeps of the
// tube takes the other's record away.
func TestNotes(t *testing.T) {
	course := func(seed int64) {
		r := rand.New(rand.NewSource(seed))
		w := newWorld(t)
		want := map[string]string{}
		served := false
		for range 60 {
			switch r.Intn(6) {
			case 0, 1, 2:
				kind, name := storage.NoteKind(1+r.Intn(2)), fmt.Sprint("n", r.Intn(3))
				at := fmt.Sprint(kind, name)
				var value []byte
				if delete(want, at); r.Intn(3) > 0 {
					value = []byte(fmt.Sprint(r.Intn(100)))
					want[at] = string(value)
				}
				w.s.noteOn("tube", kind, name, value)
				if got := w.s.noteFor("tube", kind, name); string(got) != string(value) ||
					(got == nil) != (value == nil) {
					t.Fatalf("seed %d: %q is noted as %q", seed, value, got)
				}
			case 3:
				tb := w.s.tubeNamed([]byte("tube"))
				v := w.s.serviceOf(tb, &policy.Limits{})
				v.ended, served = true, true
				w.s.logQueue(v)
			case 4:
				if tb := w.s.tubes["tube"]; tb != nil && tb.service != nil {
					tb.service.ended, served = false, false
					w.s.logQueue(tb.service)
					w.s.letGo(tb)
				}
			case 5:
				w.replay()
			}
			got := map[string]string{}
			for kind := range storage.NoteKind(3) {
				w.s.Notes(kind, func(tube, name string, value []byte) { got[fmt.Sprint(kind, name)] = string(value) })
			}
			q := w.log.Queues["tube"]
			if q == nil {
				q = &storage.Queue{}
			}
			logged := map[string]string{}
			for _, n := range q.Notes {
				logged[fmt.Sprint(n.Kind, n.Name)] = string(n.Value)
			}
			if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(logged, want) || q.Ended != served ||
				!slices.IsSortedFunc(q.Notes, compareNotes) {
				t.Fatalf("seed %d: noted %v, logged %+v; want %v, ended %t", seed, got, q, want, served)
			}
			if err := w.s.Check(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for seed := range int64(200) {
		course(seed)
	}
}
