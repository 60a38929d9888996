package queue

import "testing"

// service is that of the only tube, once there is one.
func (f *field) service() *service {
	if v := f.s.tubes["tube0"].service; v != nil {
		return v
	}
	return &service{index: &itemIndex{}, tube: f.s.tubes["tube0"]}
}

// most runs an operation, and tells by how much a count changes in one turn at most.
func (f *field) most(t *testing.T, a Ask, count func(*service) int) (most int) {
	t.Helper()
	a.Queue, a.Limits = "tube0", &Limits{}
	b := &Batch{Ops: []Op{{Kind: Service, Ask: &a}}}
	for done := false; !done; {
		before := count(f.service())
		f.s.Tick(f.now) // another turn begins
		done = f.s.Run(f.now, b)
		after := count(f.service())
		most = max(most, after-before, before-after)
	}
	if b.Ops[0].Status != OK {
		t.Errorf("operation %d is answered %v", a.What, b.Ops[0].Status)
	}
	if err := f.s.Check(); err != nil {
		t.Error(err)
	}
	return most
}

// What is counted.
func itemsOf(v *service) int   { return v.tube.length() }
func orderedOf(v *service) int { return v.index.order.n }

// knownOf is how many jobs the second group has, or is done with.
func knownOf(v *service) (n int) {
	for _, w := range v.views {
		for _, k := range w.known {
			n += int(k)
		}
	}
	return n
}

// What concerns all jobs of a queue does in a turn what others can wait for, and no more.
func TestWorkOfTurns(t *testing.T) {
	const jobs = 3000
	subscribe := func(group string) Ask { return Ask{What: AskWatch, Group: group, User: "u", Receiver: &sink{}} }
	touched := []Ask{{What: AskGet, Index: NewestIndex, Length: 1}}
	first := []Ask{{What: AskAttrs}, subscribe("first")}
	second := append(first, subscribe("second"))
	truncate, drop := Ask{What: AskTruncate, Index: jobs + 2}, Ask{What: AskDropGroup, Group: "second"}
	remove := Ask{What: AskDelete}
	for id := range uint64(jobs + 2) {
		remove.Indexes = append(remove.Indexes, id)
	}
	for name, c := range map[string]struct {
		before []Ask
		passed bool // the first group is done with the jobs
		ask    Ask
		count  func(*service) int
		cost   int // of a job
	}{
		"the order is made":            {nil, false, touched[0], orderedOf, indexing},
		"a second group":               {first, false, subscribe("second"), knownOf, moving / 4},
		"a group ends":                 {second, false, drop, knownOf, moving/4 + moving/2},
		"a group ends, and its items":  {second, true, drop, itemsOf, moving/4 + moving/2 + 3*moving},
		"truncate":                     {touched, false, truncate, itemsOf, 3 * moving},
		"truncate, two groups":         {second, false, truncate, itemsOf, 3*moving + moving/2},
		"truncate what the second has": {second, true, truncate, itemsOf, 3*moving + moving/2},
		"delete":                       {touched, false, remove, itemsOf, 3 * moving},
		"a forced end":                 {touched, false, Ask{What: AskEnd, Force: true}, itemsOf, visiting + 3*moving},
	} {
		f := newField(jobs, 1)
		for _, a := range c.before {
			f.most(t, a, itemsOf)
		}
		for i := 0; c.passed && i < jobs; i++ {
			f.apply(&f.clients[0], Op{Kind: Delete, ID: f.apply(&f.clients[0], Op{Kind: Reserve, Poll: true}).ID})
		}
		got, want := f.most(t, c.ask, c.count), Slice*moving/c.cost
		if got > want+1 || got < want*9/10 {
			t.Errorf("%s: a turn changes %d jobs, want %d", name, got, want)
		}
	}
}
