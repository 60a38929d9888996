package main

import (
	"strings"
	"testing"
	"time"

	"beanfield/tools/marked"
)

// story is a ledger after some commands, and the server that has kept its word.
type story struct {
	l *ledger
	s *snapshot
	// a ready, b delayed, c and d buried in this order, e deleted; f's put was
	// not answered and has happened, g's delete and h's bury have not.
	a, b, c, d, e, f, g, h *job
}

func tell() *story {
	t := &story{l: newLedger()}
	l := t.l
	born := func(pri, delay uint32) *job {
		j := l.put("mail", pri, delay, 100, 200)
		l.inserted(j, l.highest+1)
		return j
	}
	inter := func(j *job) {
		rank := l.ranks.Add(1)
		l.begin(j, "bury", func(v version) version { return v.buriedAs(rank, 7, j.reserves) })
		l.end(j, true)
	}
	remove := version.ended
	t.a, t.b, t.c, t.d, t.e = born(1, 0), born(2, 500), born(3, 0), born(4, 0), born(5, 0)
	t.g, t.h = born(6, 0), born(7, 0)
	l.reserved(t.c.id, marked.Body(t.c.token, 200), l.clock.Add(1))
	inter(t.c)
	inter(t.d)
	l.begin(t.e, "delete", remove)
	l.end(t.e, true)
	t.f = l.put("mail", 8, 0, 100, 200)
	l.begin(t.g, "delete", remove)
	l.begin(t.h, "bury", func(v version) version { return v.buriedAs(l.ranks.Load()+1, 7, 0) })
	t.s = &snapshot{jobs: map[uint64]*finding{}, heads: map[string]uint64{"mail": t.c.id}, killed: time.Now(),
		probe: l.highest + 5}
	for _, j := range []*job{t.a, t.b, t.c, t.d, t.g, t.h} {
		t.s.jobs[j.id] = found(j, j.id, j.now())
	}
	t.s.jobs[l.highest+1] = found(t.f, l.highest+1, t.f.could[1])
	t.s.count = int64(len(t.s.jobs))
	return t
}

// found is a job as a server shows it that has kept a version of it.
func found(j *job, id uint64, v version) *finding {
	now := time.Now()
	f := &finding{
		id: id, tube: v.tube, state: v.state, figures: v.figures, ttr: v.ttr, body: marked.Body(j.token, j.size),
		from: now, to: now,
		reserves: v.reserves,
	}
	if v.state == delayed {
		f.timeLeft = int64(time.Until(v.due) / time.Second)
	}
	return f
}

// moves has a move of a job in flight.
func (t *story) moves(j *job) {
	t.l.begin(j, "move", func(v version) version { return v.movedTo("images", unborn, 0) })
}

// together has puts in flight of which all or none happen.
func (t *story) together() (list []*job) {
	for range 3 {
		j := t.l.put("mail", 1, 0, 60, 100)
		list = append(list, j)
	}
	t.l.join(list)
	return list
}

func (t *story) drop(j *job) {
	delete(t.s.jobs, j.id)
	t.s.count--
}

func (t *story) add(f *finding) {
	t.s.jobs[f.id] = f
	t.s.count++
}

func TestAServerThatKeepsItsWord(t *testing.T) {
	for name, change := range map[string]func(*story){
		"nothing that was in flight has happened": func(t *story) {
			delete(t.s.jobs, t.l.highest+1)
			t.s.count--
		},
		"all that was in flight has happened": func(t *story) {
			t.drop(t.g)
			t.s.jobs[t.h.id] = found(t.h, t.h.id, t.h.could[1])
		},
		"a move that was in flight has happened": func(t *story) {
			t.moves(t.a)
			t.s.jobs[t.a.id] = found(t.a, t.a.id, t.a.could[1])
		},
		"a move that was in flight has not happened": func(t *story) { t.moves(t.a) },
		"all of those that were put together are there": func(t *story) {
			for i, j := range t.together() {
				t.add(found(j, t.l.highest+uint64(2+i), j.could[1]))
			}
		},
		"none of those that were put together is there": func(t *story) { t.together() },
		"a delay has ended meanwhile": func(t *story) {
			v := &t.b.could[0]
			v.due, v.dueBy = v.due.Add(-time.Hour), v.dueBy.Add(-time.Hour)
			t.s.jobs[t.b.id].state, t.s.jobs[t.b.id].timeLeft = ready, 0
		},
		"a job is handed out before its delete is answered, which is heard of late": func(t *story) {
			sent := t.l.clock.Add(1)
			t.l.begin(t.a, "delete", version.ended)
			t.l.end(t.a, true)
			t.l.reserved(t.a.id, marked.Body(t.a.token, 200), sent)
			t.drop(t.a)
		},
	} {
		s := tell()
		change(s)
		s.l.settle(s.s)
		if len(s.l.failures) > 0 {
			t.Errorf("%s: %s", name, strings.Join(s.l.failures, "\n"))
		}
	}
}

func (t *story) another() *job {
	j := t.l.put("x", 0, 0, 1, 100)
	return j
}

func TestAServerThatDoesNot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*story)
		want   string
	}{
		"a job is lost":            {func(t *story) { t.drop(t.a) }, "is lost"},
		"a buried job is lost":     {func(t *story) { t.drop(t.d) }, "is lost"},
		"a deleted job is back":    {func(t *story) { t.add(found(t.e, t.e.id, put(time.Now(), 5, 0))) }, "is back"},
		"a buried job is ready":    {func(t *story) { t.s.jobs[t.c.id].state = ready }, "is ready, want buried"},
		"a ready job is buried":    {func(t *story) { t.s.jobs[t.a.id].state = buried }, "is buried, want ready"},
		"a priority has gone back": {func(t *story) { t.s.jobs[t.c.id].pri = 3 }, "want pri=7"},
		"a counter has gone back":  {func(t *story) { t.s.jobs[t.c.id].buries = 0 }, "buries=1"},
		"reserves have gone back":  {func(t *story) { t.s.jobs[t.c.id].reserves = 0 }, "reserves=0"},
		"a delay ends too early":   {func(t *story) { t.s.jobs[t.b.id].timeLeft = 490 }, "too early"},
		"a delay ends too late":    {func(t *story) { t.s.jobs[t.b.id].timeLeft = 510 }, "too late"},
		"a delayed job is ready":   {func(t *story) { t.s.jobs[t.b.id].state = ready }, "too early"},
		"the buried have changed":  {func(t *story) { t.s.heads["mail"] = t.d.id }, "buried first"},
		"a body is another's": {func(t *story) { t.s.jobs[t.a.id].body = marked.Body(t.c.token, 200) },
			"another body"},
		"a body is damaged":        {func(t *story) { t.s.jobs[t.a.id].body[150] ^= 1 }, "another body"},
		"a body is cut":            {func(t *story) { t.s.jobs[t.a.id].body = t.s.jobs[t.a.id].body[:100] }, "another body"},
		"a job is in another tube": {func(t *story) { t.s.jobs[t.a.id].tube = "x" }, "is in tube x"},
		"a moved job is back":      {func(t *story) { t.moves(t.a); t.l.end(t.a, true) }, "is in tube mail"},
		"a job is lost on its way": {func(t *story) { t.moves(t.a); t.drop(t.a) }, "is lost"},
		"a job comes elsewhere":    {func(t *story) { t.moves(t.a); t.s.jobs[t.a.id].tube = "x" }, "is in tube x"},
		"a TTR has gone back":      {func(t *story) { t.s.jobs[t.a.id].ttr = 7 }, "with ttr 7"},
		"of jobs that were put together one is there": {func(t *story) {
			j := t.together()[1]
			t.add(found(j, t.l.highest+2, j.could[1]))
		}, "put together with it"},
		"a command has half happened": {func(t *story) { t.s.jobs[t.h.id].state = buried }, "is buried"},
		"a job comes from nowhere":    {func(t *story) { t.add(found(&job{token: 999, size: 200}, 77, put(time.Now(), 1, 0))) }, "nobody put it"},
		"one job more is counted":     {func(t *story) { t.s.count++ }, "the server has"},
		"ids begin again":             {func(t *story) { t.s.probe = t.l.highest }, "the next id is"},

		// What is wrong while the server runs.
		"a deleted job is handed out": {func(t *story) { t.l.reserved(t.e.id, marked.Body(t.e.token, 200), t.l.clock.Add(1)) }, "after its delete"},
		"an id is given away again":   {func(t *story) { t.l.inserted(t.another(), t.a.id) }, "given away again"},
		"ids fall": {func(t *story) {
			j := t.another()
			t.l.highest++
			j.after = t.l.highest + 10
			t.l.inserted(j, t.l.highest)
		}, "do not rise"},
		"a damaged body is handed out": {func(t *story) { t.l.reserved(t.a.id, []byte("not a body at all"), t.l.clock.Add(1)) }, "damaged"},
		"another body is handed out":   {func(t *story) { t.l.reserved(t.a.id, marked.Body(t.c.token, 200), t.l.clock.Add(1)) }, "with the body of"},
		"a job is of nobody":           {func(t *story) { t.l.reserved(99, marked.Body(999, 200), t.l.clock.Add(1)) }, "nobody put it"},
		"a put has two answers": {func(t *story) {
			t.l.reserved(50, marked.Body(t.f.token, 200), t.l.clock.Add(1))
			t.l.inserted(t.f, 51)
		}, "was answered with 51"},
	} {
		s := tell()
		c.change(s)
		s.l.settle(s.s)
		if all := strings.Join(s.l.failures, "\n"); !strings.Contains(all, c.want) {
			t.Errorf("%s: want a failure with %q, got %q", name, c.want, all)
		}
	}
}
