package queue

import "testing"

func TestAging(t *testing.T) {
	runScripts(t, []script{
		{"a job that waits overtakes younger ones", `
			policy default aging=10s
			a put 5 0 60 -> 1
			+30s
			a put 3 0 60 -> 2
			a put 1 0 60 -> 3
			a peek-ready -> 3
			b poll -> 3
			b poll -> 1
			b poll -> 2
			a stats-job 1 -> pri=5`},
		{"and those of other tubes, but not beyond priority 0", `
			policy one aging=1s
			a use one
			a put 9 0 60 -> 1
			a use default
			a put 5 0 60 -> 2
			a put 0 0 60 -> 3
			b watch one
			+3s
			b poll -> 3
			b delete 3
			b poll -> 2
			b delete 2
			a put 1 0 60 -> 4
			a put 0 0 60 -> 5
			+1000s
			b poll -> 1
			b poll -> 5`},
		{"a job waits anew when it comes back", `
			policy default aging=1s
			a put 9 0 600 -> 1
			+20s
			b poll -> 1
			b release 1 9 0
			a put 5 0 60 -> 2
			b poll -> 2
			b release 2 5 2
			+2s
			a put 6 0 60 -> 3
			b poll -> 2
			b poll -> 3`},
	})
}

// What becomes of the order at a restart, and a reload.
func TestAgingGoesOn(t *testing.T) {
	runScripts(t, []script{
		{"after a restart, it has waited since its put", `
			policy default aging=1s
			a put 9 0 600 -> 1
			+20s
			b poll -> 1
			b release 1 9 0
			a put 5 0 60 -> 2
			restart
			b poll -> 1
			b poll -> 2`},
		{"a reload begins and ends it", `
			a put 9 0 60 -> 1
			+20s
			a put 5 0 60 -> 2
			a peek-ready -> 2
			policy default aging=1s
			a peek-ready -> 1
			policy default aging=10s
			a peek-ready -> 2
			policy default
			a peek-ready -> 2
			policy default aging=1s
			policy default jobs=9
			a peek-ready -> 2`},
	})
}

// Offers of several jobs, and claims, know how far jobs have aged.
func TestAgingBySeveral(t *testing.T) {
	w := newWorld(t)
	w.run(`
		policy one aging=1s
		a use one
		a put 9 0 60 -> 1
		+4s
		a put 3 0 60 -> 2
		a use default
		a put 4 0 60 -> 3
		a put 6 0 60 -> 4
		b watch one`)
	b := w.user("b")
	offered, batch := b.apply(Op{Kind: OfferSeveral, Limit: 9})
	var ids []uint64
	for _, k := range batch.Taken[offered.From:offered.To] {
		ids = append(ids, k.ID, uint64(k.Pri))
	}
	if want := [8]uint64{2, 3, 3, 4, 1, 5, 4, 6}; len(ids) != 8 || [8]uint64(ids) != want {
		t.Errorf("offered are %d, want %d", ids, want)
	}
	got, batch := b.apply(Op{Kind: ClaimSeveral, Limit: 9, Pri: 5, ID: 1, Size: 1000})
	if got.Count != 3 || batch.Taken[2].ID != 1 {
		t.Errorf("claimed are %+v", batch.Taken)
	}
	w.run(`
		a use one
		a put 9 0 60 -> 5
		a put 2 0 60 -> 6
		+20s`)
	// Both have come to 0, and 6 goes first all the same, although a claim of the better one of two equals names 5.
	if got, batch = b.apply(Op{Kind: ClaimSeveral, Limit: 1, Pri: 0, ID: 5, Size: 1000}); got.Count != 1 ||
		batch.Taken[0].ID != 6 {
		t.Errorf("claimed are %+v", batch.Taken)
	}
}

// A tube with very many ready jobs goes on in its order until it has been empty.
func TestAgingOfManyJobs(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	w.fill(a, rekeyMost+1, 0)
	w.run("policy default aging=1s")
	d := w.s.tubes["default"]
	if d.isAging() {
		t.Error("very many jobs are re-keyed at once")
	}
	for d.ready.N > 0 {
		a.apply(Op{Kind: Reserve, Poll: true})
	}
	w.fill(a, rekeyMost+1, 0)
	if !d.isAging() {
		t.Error("a tube that has been empty does not follow its policy")
	}
	w.run("policy default")
	if d.policy == nil || !d.isAging() {
		t.Error("the order ends with the policy")
	}
	if err := w.s.Check(); err != nil {
		t.Error(err)
	}
}
