package router

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// TestHeads: the heads are those with the best priorities.
func TestHeads(t *testing.T) {
	r := newRouterOf(3)
	c := newClient(r)
	c.use("mail")
	for i := range 2 * headsMost {
		c.put(uint32(2*headsMost-i), 60)
	}
	heads, ok := r.Heads(t.Context(), "mail", queue.Ready, 1000)
	if !ok || len(heads) != headsMost || heads[0].Pri != 1 || heads[1].Pri != 2 || int(heads[0].Size) != len(body) {
		t.Errorf("%d heads, the first are %+v", len(heads), heads[:2])
	}
	end(t, r, c)
}

// listAll goes from call to call, by cursors, and returns how many calls there were.
func listAll(t *testing.T, r *Router, f queue.Filter, most int, authorizer queue.Authorizer, each func(*queue.Listed)) (
	calls int) {
	t.Helper()
	c := &Caller{}
	c.Enter(r)
	for from := (Place{}); ; calls++ {
		l := Listing{Filter: f, Authorizer: authorizer, From: from, Most: most, Bodies: 10}
		if c.Finish(c.List(&l)); l.Status != queue.OK || len(l.Jobs) > most {
			t.Fatalf("%v, %d jobs", l.Status, len(l.Jobs))
		}
		for i := range l.Jobs {
			each(&l.Jobs[i])
		}
		if l.Next == (Place{}) {
			return calls + 1
		}
		var ok bool
		if from, ok = r.PlaceOf(f.Tube, []byte(r.Cursor(f.Tube, l.Next))); !ok || from != l.Next {
			t.Fatalf("the cursor of %+v is for %+v", l.Next, from)
		}
	}
}

// A list comes to all jobs of a tube, or of all tubes, and to no other's, however few it may have at
// a time and although they end meanwhile.
func TestList(t *testing.T) {
	r := newRouterOf(3)
	c := newClient(r)
	const jobs = 6000
	want := map[uint64]bool{}
	c.use("mail")
	var gone []uint64 // so many that the shard gives their memory back, and has a hole there
	for range jobs {
		gone = append(gone, c.put(1, 60))
	}
	for i := range jobs {
		c.use([]string{"mail", "video"}[i%2])
		if id := c.put(uint32(jobs-i), 60); i%2 == 0 {
			want[id] = true
		}
	}
	for _, id := range gone {
		c.delete(id)
	}
	seen := map[uint64]bool{}
	if calls := listAll(t, r, queue.Filter{}, 1000, nil, func(k *queue.Listed) {
		if seen[k.ID] {
			t.Fatalf("job %d is listed twice", k.ID)
		}
		seen[k.ID] = true
	}); len(seen) != jobs || calls < jobs/1000 {
		t.Errorf("%d jobs are listed in %d calls, want %d", len(seen), calls, jobs)
	}
	listAll(t, r, queue.Filter{}, 1000, func(k queue.Kind, tube string) bool {
		return k == queue.List && tube == "mail"
	}, func(k *queue.Listed) {
		if k.Tube != "mail" {
			t.Fatalf("job %d of %s is listed", k.ID, k.Tube)
		}
	})
	listAll(t, r, queue.Filter{Tube: "mail"}, 100, nil, func(k *queue.Listed) {
		if !want[k.ID] || k.Tube != "mail" {
			t.Fatalf("job %d of %s is listed", k.ID, k.Tube)
		}
		delete(want, k.ID)
		c.delete(k.ID)
	})
	if len(want) > 0 {
		t.Errorf("%d jobs are not listed", len(want))
	}
	for tube, place := range map[string]Place{"none": {}, "mail": {Shard: 99, Slot: 1 << 31},
		"": {Shard: 99, Slot: 7}} {
		l := Listing{Filter: queue.Filter{Tube: tube}, From: place, Most: 10}
		want := map[bool]queue.Status{true: queue.NotFound, false: queue.OK}[place == Place{}]
		if c.Finish(c.Session.List(&l)); l.Status != want || len(l.Jobs) > 0 {
			t.Errorf("%s from %+v: %v with %d jobs", tube, place, l.Status, len(l.Jobs))
		}
	}
	end(t, r, c)
}

// A search finds what is in bodies of any size, and a call ends when it has cost enough, also if it
// has found nothing.
func TestSearch(t *testing.T) {
	r := newRouterOf(2)
	c := newClient(r)
	for range 200_000 {
		c.put(1, 60)
	}
	var want, got []uint64
	for i := range 12 {
		text := strings.Repeat("0123456789", 1+i*60_000)
		if i%2 == 1 {
			text = text[:len(text)/2] + "needle" + text[len(text)/2:]
		}
		op := c.run(c.UsedShard(), aPut([]byte(text)),
			true)
		if i%2 == 1 {
			want = append(want, op.ID)
		}
	}
	calls := listAll(t, r, queue.Filter{Body: []byte("needle")}, 100, nil, func(k *queue.Listed) {
		if got = append(got, k.ID); string(k.Body) != "0123456789" || k.Large != nil {
			t.Errorf("%q is shown", k.Body)
		}
	})
	if slices.Sort(got); !slices.Equal(got, want) || calls < 2 {
		t.Errorf("%v are found in %d calls, want %v", got, calls, want)
	}
	end(t, r, c)
}

// A text is found wherever the ends of parts and pieces are, and nothing else is.
func TestFinder(t *testing.T) {
	for range 2000 {
		var parts [][]byte
		for range rand.IntN(5) {
			size := rand.IntN(6)
			if rand.IntN(20) == 0 {
				size = pieceMost + rand.IntN(3) - 1
			}
			p := make([]byte, size)
			for i := range p {
				p[i] = byte('a' + rand.IntN(2))
			}
			parts = append(parts, p)
		}
		text := make([]byte, 1+rand.IntN(12))
		for i := range text {
			text[i] = byte('a' + rand.IntN(2))
		}
		var f finder
		found, done := false, false
		for steps := 0; !done; steps++ {
			found, _, done = f.find(parts, text, 1+rand.IntN(9))
		}
		if want := bytes.Contains(slices.Concat(parts...), text); found != want {
			t.Fatalf("%q in %q: %t, want %t", text, parts, found, want)
		}
	}
}

// A cursor is good for its tube, and for its process.
func TestCursor(t *testing.T) {
	r, other := newRouterOf(2), newRouterOf(2)
	cursor := r.Cursor("mail", Place{Shard: 1, Slot: 1 << 31})
	if p, ok := r.PlaceOf("mail", []byte(cursor)); !ok || p != (Place{Shard: 1, Slot: 1 << 31}) {
		t.Errorf("%+v, %t", p, ok)
	}
	for _, bad := range []string{"", cursor + "A", cursor[1:], "d" + cursor[1:], "c!" + cursor[2:],
		strings.Repeat("A", len(cursor)), cursor[:len(cursor)-1] + "\n"} {
		if _, ok := r.PlaceOf("mail", []byte(bad)); ok {
			t.Errorf("%q is a cursor", bad)
		}
	}
	if _, ok := r.PlaceOf("", []byte(cursor)); ok {
		t.Error("it is a cursor for all tubes")
	}
	if _, ok := other.PlaceOf("mail", []byte(cursor)); ok {
		t.Error("it is a cursor elsewhere")
	}
	must.Do(t, r.Close())
	must.Do(t, other.Close())
}
