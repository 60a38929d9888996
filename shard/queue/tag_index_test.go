package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// wish has every other reserve of a client ask for tags, or only to be told more. The model does not know what a
// tag index is, but who has waited longest and which job is the best.
func (x *machine) wish(c int, op *Op) {
	x.m.Clients[c].Wants = nil
	if x.pick(2, "asks") > 0 {
		return
	}
	want := x.tags(2)
	x.m.Clients[c].Wants = want
	op.Options = &Options{Tags: tagsFrom(want)}
}

// told checks what a client is told of a job that it has got.
func (w *world) told(id uint64, a *About) {
	w.t.Helper()
	slot := w.s.index.find(&w.s.jobs, id)
	j := w.s.jobs.At(slot)
	if want := (About{w.s.tubeAt.Get(j.tube()).name, w.s.rares.At(j.rare).reserves, nil}); a.Tube != want.Tube ||
		a.Reserves != want.Reserves || string(a.Tags) != string(w.s.tagsOf(slot)) {
		w.t.Fatalf("a client is told %+v of job %d, want %+v and %q", a, id, want, w.s.tagsOf(slot))
	}
}

// wordsOf is the reverse of tagsFrom.
func wordsOf(tags Tags) (words []string) {
	for k, v := range tags.All() {
		words = append(words, strings.Join([]string{string(k), string(v)}, "="))
	}
	slices.Sort(words)
	return words
}

// putTagged puts a ready job with a tag k.
func (u *user) putTagged(value string) uint64 {
	u.w.lastID++
	body := fmt.Sprintf("body of %d", u.w.lastID)
	u.w.bodies[u.w.lastID] = body
	op := Op{Kind: Put, TTR: 60, Data: []byte(body), Size: uint32(len(body)), Options: &Options{TTR: 60 * second,
		Tags: tagsFrom([]string{"k=" + value})}}
	done, _ := u.apply(op)
	return done.ID
}

// TG1, TG2, TG3: A tag index is filled in many turns, and has what becomes ready meanwhile, and not what is gone.
// Others are served between them. It ends with the last client that has asked for its tags.
func TestTagIndexIsFilledInShares(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.user("a"), w.user("b"), w.user("c")
	const n = 12 * Slice
	for i := range n {
		b.putTagged([]string{"v", "w", "w"}[i%3])
	}
	ask := func(poll bool) *Batch {
		return batchOf(&a.client, Op{Kind: ReserveSeveral, Limit: 3, Poll: poll,
			Options: &Options{Tags: tagsFrom([]string{"k=v"})}})
	}
	first := ask(true)
	turns := 0
	for w.s.renew(); !w.s.Run(w.now, first); w.s.renew() {
		turns++
		if err := w.s.Check(); err != nil || -w.s.share > Slice {
			t.Fatalf("turn %d, with %d spent too much: %v", turns, -w.s.share, err)
		}
		switch turns {
		case 1: // the first is taken in, the last is not
			b.apply(Op{Kind: Delete, ID: 1})
			b.apply(Op{Kind: Delete, ID: n - 2})
		case 2:
			if id := c.putTagged("v"); id != n+1 {
				t.Errorf("job %d is put", id)
			}
		}
	}
	var got []uint64
	for _, k := range first.Taken {
		got = append(got, k.ID)
	}
	if turns < 3 || !slices.Equal(got, []uint64{4, 7, 10}) {
		t.Errorf("after %d turns %d are reserved", turns, got)
	}
	if v := w.s.tagIndexes.of[string(tagsFrom([]string{"k=v"}))]; v.tubes[w.s.tubes["default"]].N != n/3-2+1-3 {
		t.Errorf("the tag index has %d jobs", v.tubes[w.s.tubes["default"]].N)
	}
	if second := ask(true); !w.s.Run(w.now, second) || len(second.Taken) != 3 {
		t.Error("a tag index that is whole is filled again")
	}
	c.apply(Op{Kind: Reserve, Poll: true, Options: &Options{Tags: tagsFrom([]string{"k=v"})}})
	for _, u := range []*user{a, c} {
		if w.s.tagIndexes == nil {
			t.Fatal("a tag index ends before its last client")
		}
		u.apply(Op{Kind: Detach})
	}
	if w.s.tagIndexes != nil {
		t.Error("a tag index outlives its clients")
	}
}

// One that waits for tags takes no place that others see: who wants any job gets those without the tags, in a tube
// that opens too, and a job for both goes to who has waited longest.
func TestWaitsForTags(t *testing.T) {
	w := newWorld(t)
	a, b, c := w.user("a"), w.user("b"), w.user("c")
	wants := &Options{Tags: tagsFrom([]string{"k=v"})}
	b.apply(Op{Kind: Pause, Data: []byte("default"), Delay: 100})
	b.putTagged("w")
	b.putTagged("v")
	for _, u := range []*user{a, c} {
		op := Op{Kind: Reserve}
		if u == a {
			op.Options = wants
		}
		if got, _ := u.apply(op); got.Status != Waiting {
			t.Fatalf("a reserve at a paused tube is answered %v", got.Status)
		}
	}
	b.apply(Op{Kind: Pause, Data: []byte("default")})
	for w.s.Tick(w.now) {
	}
	if want := []string{"a:2", "c:1"}; !slices.Equal(w.given, want) {
		t.Errorf("given are %v, want %v", w.given, want)
	}
}

// TG1: The jobs of a tag index stay in the order of their tube when a policy changes that.
func TestTagIndexOfATubeThatGetsAPolicy(t *testing.T) {
	w := newWorld(t)
	a, b := w.user("a"), w.user("b")
	take := func() uint64 {
		op, _ := a.apply(Op{Kind: Reserve, Poll: true, Options: &Options{Tags: tagsFrom([]string{"k=v"})}})
		return op.ID
	}
	b.putTagged("v")
	w.run("b change pri=9 1 -> 1\n+20s")
	b.putTagged("v")
	b.putTagged("v")
	if id := take(); id != 2 {
		t.Errorf("job %d is first", id)
	}
	if w.run("policy default aging=1s"); take() != 1 {
		t.Error("the job that has waited longest is not first")
	}
}
