package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"beanfield/shard/queue/policy"
)

// newGroupsField is a queue with groups, each of which has one consumer.
func newGroupsField(groups int) *pushField {
	f := &pushField{field: newField(0, 1), limits: policy.Limits{MaxDelivery: 5}}
	f.put = Ask{What: AskPut, Queue: "q", Limits: &f.limits}
	for i := range groups {
		k := &sink{f: f, user: fmt.Sprint(i)}
		f.subs = append(f.subs, k)
		f.ask(&Ask{What: AskWatch, Queue: "q", Group: k.user, User: "u", Limits: &f.limits, Receiver: k, Window: 1000})
	}
	f.endTurn()
	return f
}

// putForAll puts an item, which every group is pushed.
func (f *pushField) putForAll() {
	f.ask(&f.put)
	f.endTurn()
}

// commitByAll has every group commit the oldest item that it was pushed.
func (f *pushField) commitByAll() {
	for _, k := range f.subs {
		f.ask(&Ask{What: AskCommit, Queue: "q", Group: k.user, User: "u", Limits: &f.limits, Indexes: k.indexes[:1]})
		k.indexes = append(k.indexes[:0], k.indexes[1:]...)
		k.spent = k.spent[:0]
	}
	f.endTurn()
}

// A group that is mostly done with everything keeps one chunk of places. Otherwise each item
// would cost a chunk in every group: with two thousand groups, 8 MB of garbage.
func TestGroupsKeepAChunkOfPlaces(t *testing.T) {
	f := newGroupsField(20)
	var kept []*uint32
	for round := range 10 {
		f.putForAll()
		for i, w := range f.s.tubes["q"].service.views {
			if place := &w.places[0][0]; round == 0 {
				kept = append(kept, place)
			} else if place != kept[i] {
				t.Fatalf("round %d: group %s has a new chunk", round, w.group.name)
			}
			if w.spare != nil {
				t.Fatalf("round %d: group %s has another one besides", round, w.group.name)
			}
		}
		f.commitByAll()
		if err := f.s.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// Whether a job has ended is asked after each commit. In whatever order the groups of a queue
// commit an item, it ends with the last one, and not before.
func TestTheLastGroupEndsAnItem(t *testing.T) {
	for seed := range uint64(20) {
		f := newGroupsField(9)
		f.putForAll()
		order := rand.New(rand.NewPCG(seed, 1)).Perm(len(f.subs))
		for i, k := range order {
			if f.s.tubes["q"].length() != 1 {
				t.Fatalf("seed %d: the item ends after %d of %d commits", seed, i, len(order))
			}
			f.ask(&Ask{What: AskCommit, Queue: "q", Group: f.subs[k].user, User: "u", Limits: &f.limits,
				Indexes: []uint64{f.id}})
		}
		if f.s.tubes["q"].length() != 0 {
			t.Fatalf("seed %d: the item does not end", seed)
		}
	}
}
