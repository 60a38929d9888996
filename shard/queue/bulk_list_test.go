package queue

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/shard/queue/naive"
	"beanfield/storage"
)

// pages lists what a filter chooses, page by page, and calls between after each page.
func (w *world) pages(f Filter, most int, between func()) (list []Listed) {
	l := Listing{Filter: f, Most: most, From: 1}
	for l.From != 0 {
		b := &Batch{List: &l, Authorizer: w.rights, Ops: []Op{{Kind: List}}}
		if !w.s.Run(w.now, b) {
			w.t.Fatalf("a list ends with %v", b.Ops[0].Status)
		}
		if b.Lacking() {
			b.Supply(func(id uint64, _ uint32) ([]byte, error) { return []byte(w.bodies[id]), nil })
		}
		if w.answer = b.Ops[0].Status; w.answer != OK && len(l.Jobs) > 0 || len(l.Jobs) > most {
			w.t.Fatalf("a page of %d has %d jobs, %v", most, len(l.Jobs), b.Ops[0].Status)
		}
		for _, k := range l.Jobs {
			if k.Searched || strings.Contains(string(slices.Concat(k.Large...)), string(f.Body)) {
				list = append(list, k)
			}
		}
		l.From = l.Next
		between()
	}
	return list
}

// listed says what a list has: tag=NAME:VALUE, tube=, of jobs that are there.
func (w *world) listed(args []string) string {
	var f Filter
	for _, arg := range args {
		switch name, value, _ := strings.Cut(arg, "="); name {
		case "tube":
			f.Tube = value
		case "body":
			f.Body = []byte(value)
		case "tag":
			f.Tags = tagsFrom([]string{strings.Replace(value, ":", "=", 1)})
		}
	}
	list := strings.Trim(fmt.Sprint(shown(w.pages(f, 3, w.s.renew))), "[]")
	return list + answerOf[w.answer]
}

// compareLists compares what somebody is shown of the jobs with the model.
func (x *machine) compareLists() {
	s, now := x.w.s, x.w.now
	for _, tube := range append([]string{""}, machineTubes...) {
		f := Filter{Tube: tube}
		for st := Ready; st <= Buried; st++ {
			if x.pick(3, "listed state") == 0 {
				f.States = f.States.With(st)
			}
		}
		if x.pick(3, "listed age") == 0 {
			f.Older, f.Younger = int64(x.pick(3, "older"))*second, int64(x.pick(8, "younger"))*second
		}
		if x.pick(4, "listed body") == 0 {
			f.Body = []byte{byte('0' + x.pick(10, "digit"))}
		}
		var want []uint64
		for _, j := range x.m.Jobs {
			age := now - j.Created
			if j.State != naive.Passed && (tube == "" || j.Tube == tube) &&
				(f.States == 0 || f.States.Has(stateOf[j.State])) &&
				(f.Older == 0 || age >= f.Older) && (f.Younger == 0 || age < f.Younger) &&
				strings.Contains(j.Body, string(f.Body)) {
				want = append(want, j.ID)
			}
		}
		got := shown(x.w.pages(f, 1+x.pick(5, "page"), s.renew))
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			x.w.t.Fatalf("%+v lists %v, want %v", f, got, want)
		}
		for _, st := range []JobState{Ready, Delayed, Buried} {
			want := ids(x.m.Listed(naive.State(st.String()), tube))
			for _, n := range []int{1, 3, 1000} {
				if got := told(s.Heads(now, tube, st, n)); tube != "" && !slices.Equal(got, want[:min(n, len(want))]) {
					x.w.t.Fatalf("the first %d jobs of %s that are %v are %v, want %v", n, tube, st, got, want)
				}
			}
		}
	}
	s.renew()
}

func shown(list []Listed) (ids []uint64) {
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

func told(list []JobFigures) (ids []uint64) {
	for i := range list {
		ids = append(ids, list[i].ID)
	}
	return ids
}

func ids(list []*naive.Job) (ids []uint64) {
	for _, j := range list {
		ids = append(ids, j.ID)
	}
	return ids
}

// LJ1: a job that is there during the whole list is listed once, whatever others do between its pages, and
// however small these are; no job is listed twice. Pages end with their share.
func TestListBetweenOthers(t *testing.T) {
	for _, jobs := range []int{40, fewJobs, 3 * fewJobs} { // found through the tube, and through the records
		for _, share := range []int{0, leastShare} {
			t.Run(fmt.Sprintf("%d jobs, share %d", jobs, share), func(t *testing.T) {
				w := newManyWorld(t, 0, share)
				a, b := w.user("a"), w.user("b")
				w.furnish(a, jobs/2)
				w.furnish(b, jobs/2)
				other := w.user("c")
				other.apply(Op{Kind: Use, Data: []byte("other")})
				w.furnish(other, 100)
				gone, last, turns := map[uint64]bool{}, w.dir.Last, 0
				list := w.pages(Filter{Tube: "default"}, 1+jobs/20, func() {
					w.s.renew()
					turns++
					for range 3 { // what they do moves jobs about in the heaps, and uses records again
						if op, _ := b.apply(Op{Kind: Reserve, Poll: true}); op.Status == OK && turns%2 == 0 {
							b.apply(Op{Kind: Delete, ID: op.ID})
							gone[op.ID] = true
						}
					}
					a.apply(Op{Kind: Kick, Limit: 2})
					w.furnish(a, 4)
					w.s.renew()
				})
				seen := map[uint64]bool{}
				for _, k := range list {
					if seen[k.ID] || k.Tube != "default" {
						t.Fatalf("job %d of %s is listed twice: %t", k.ID, k.Tube, seen[k.ID])
					}
					seen[k.ID] = true
				}
				for id := uint64(1); id <= last; id++ {
					if j := w.s.jobs.At(max(w.s.index.find(&w.s.jobs, id), 1)); !gone[id] && j.id() == id &&
						!seen[id] &&
						w.s.tubeAt.Get(j.tube()).name == "default" {
						t.Errorf("job %d is not listed", id)
					}
				}
				if err := w.s.Check(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// What a list says of a job: who holds it and since when, its tags, and the beginning of its body.
func TestListed(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put 5 0 60 -> 1
		a put 6 10 60 -> 2
		a put 7 0 0 -> 3
		b poll -> 1
		q put default k=v -> 4
		+3s
		b touch 1
		+2s
		b reserve-job 3 -> 3`)
	var list []Listed
	for from := uint32(1); from != 0; {
		l := Listing{From: from, Most: 2, Bodies: 4}
		w.s.renew()
		w.s.Run(w.now, &Batch{List: &l, Ops: []Op{{Kind: List}}})
		list, from = append(list, l.Jobs...), l.Next
	}
	if len(list) != 4 {
		t.Fatalf("%d jobs are listed", len(list))
	}
	b := w.users["b"]
	if k := list[0]; k.Holder != b.client.Waiter || k.Held != 2 || k.State != Reserved || k.Age != 5 ||
		k.TimeLeft != 58 {
		t.Errorf("%+v", k)
	}
	if k := list[2]; k.Holder != b.client.Waiter || k.Held != -1 || !k.Searched || string(k.Body) != w.bodies[3][:4] {
		t.Errorf("%+v", k)
	}
	if k := list[3]; k.Holder != nil || string(k.Tags) != string(MakeTags(map[string]string{"k": "v"})) {
		t.Errorf("%+v", k)
	}
	if got := shown(w.pages(Filter{Tags: MakeTags(map[string]string{"k": "v"})}, 10, w.s.renew)); !slices.Equal(
		got, []uint64{4}) {
		t.Errorf("with the tag: %v", got)
	}
	if got := w.pages(Filter{Tags: MakeTags(map[string]string{"k": "w"})}, 10, w.s.renew); len(got) > 0 {
		t.Errorf("with another tag: %+v", got)
	}
}

// Small bodies are searched in the turn; of those that are large, or not in memory, the whole is given
// out. One that cannot be read is shown without, and one that ended meanwhile is not.
func TestListBodies(t *testing.T) {
	w := newWorld(t)
	w.s.Budget = 8000
	a := w.user("a")
	body := func(n int, with string) string { return strings.Repeat(".", n-len(with)) + with }
	for _, b := range []string{body(10, "x"), body(10, "y"), body(3000, "x"), body(3000, ""), body(5000, "x"),
		body(5000, "y"), body(5000, "x")} {
		w.dir.Last++
		w.bodies[w.dir.Last] = b
		a.apply(Op{Kind: Put, ID: w.dir.Last, TTR: 60, Data: []byte(b), Size: uint32(len(b))})
	}
	l := Listing{Filter: Filter{Body: []byte("x")}, Most: 10, Bodies: 100}
	b := &Batch{List: &l, Ops: []Op{{Kind: List}}}
	w.s.renew()
	w.s.Run(w.now, b)
	if !b.Lacking() || len(l.Jobs) != 6 || l.Jobs[0].ID != 1 || !l.Jobs[0].Searched || l.Jobs[1].Searched ||
		l.Jobs[1].Away || !l.Jobs[3].Away {
		t.Fatalf("%+v", l.Jobs)
	}
	damaged := b.Supply(func(id uint64, size uint32) ([]byte, error) {
		switch id {
		case 5:
			return nil, storage.ErrUnreadable
		case 6:
			return nil, storage.ErrNoBody
		}
		return []byte(w.bodies[id]), nil
	})
	if !slices.Equal(damaged, []uint64{5}) || !slices.Equal(shown(l.Jobs), []uint64{1, 3, 4, 5, 7}) ||
		b.Lacking() {
		t.Errorf("%v are damaged, %v are listed", damaged, shown(l.Jobs))
	}
	if got := shown(w.pages(Filter{Body: []byte("x")}, 2, w.s.renew)); !slices.Equal(got, []uint64{1, 3, 5, 7}) {
		t.Errorf("%v are found", got)
	}
	b = &Batch{List: &l, Ops: []Op{{Kind: List}}}
	w.s.Run(w.now, b)
	if b.Supply(func(uint64, uint32) ([]byte, error) {
		return nil, fmt.Errorf("broken")
	}); b.Ops[0].Status != Failed {
		t.Errorf("a failed log: %v", b.Ops[0].Status)
	}
}

// A page ends when it has much to say, or has looked at much.
func TestListBounds(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	large := strings.Repeat(".", 100_000)
	for range 10 {
		w.dir.Last++
		w.bodies[w.dir.Last] = large
		a.apply(Op{Kind: Put, ID: w.dir.Last, TTR: 60, Data: []byte(large), Size: uint32(len(large))})
	}
	var sizes []int
	w.s.renew()
	l := Listing{Filter: Filter{Body: []byte("x")}, Most: 100, From: 1}
	for ; l.From != 0; l.From = l.Next {
		w.s.Run(w.now, &Batch{List: &l, Ops: []Op{{Kind: List}}})
		sizes = append(sizes, len(l.Jobs))
		w.s.renew()
	}
	if slices.Max(sizes) != 3 {
		t.Errorf("pages have %v jobs", sizes)
	}
	w.furnish(a, 30_000)
	l = Listing{Filter: Filter{Body: []byte("none")}, Most: 100, From: 1}
	turns, spent := 0, 0
	for ; l.From != 0; l.From = l.Next {
		w.s.Run(w.now, &Batch{List: &l, Ops: []Op{{Kind: List}}})
		turns, spent = turns+1, max(spent, l.Cost)
		w.s.renew()
	}
	if least := 30_000 / (Slice * moving); turns < least || cmp.Compare(spent, Slice*moving+1000) > 0 {
		t.Errorf("%d turns, the longest cost %d", turns, spent)
	}
}
