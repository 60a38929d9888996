package queue

import "testing"

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
