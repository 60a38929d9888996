package ownership

import (
	"slices"
	"testing"
)

// O11, P13 to P17: what one election does when the members change.
func TestTalksOfMembers(t *testing.T) {
	for name, steps := range map[string]string{
		"P13, O11: who votes is what the log says; a guest is heard, and its answers count from when it is a member": `elected
			kept; a answer 0; role is owner; decided 1 abcd1?; nodes is abc; d answer 0; decided 2 abcd1; nodes is abcd
			role is owner; serves is true; 600ms; a answer 0; 500ms; tick; role is follower; lose is 1`,
		"P13: what the former voters have granted ends with them": `elected; kept; a answer 0; role is owner
			serves is true; decided 1 abcd1; role is follower; lose is 1`,
		"P14: the members change by one, and the owner stays": `elected; kept; may 1 abc is this node does not own the shards
			a answer 0; c answer 0; may 2 abc is the members have version 0 by now
			may 1 b is the members change by one node at a time
			may 1 ac is the owner cannot be removed: another node is to serve first
			may 1 abc9 is node c has not been let in by version 9
			may 1 abc1 is node c is to be removed before another one gets its name
			may 1 bc is none; may 1 bc is the members are being changed; decided 1 bc; nodes is bc; a answer 0
			alive a is false; may 2 a2bc is node a does not answer yet, or has not caught up`,
		"P16: a new member has its copies first, and answers": `elected; kept; a answer 0; c answer 0; may 1 abcd1? is none
			decided 1 abcd1?; least is 0; may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer {"report":{"broken":true}}; may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer {"report":{"promised":[9],"since":2}}; d answer {"report":{"promised":[9]}}; strange d is it was removed from the cluster, and another one has its name
			may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer {"report":{"promised":[9],"since":1}}; may 2 abcd1 is none`,
	} {
		t.Run(name, func(t *testing.T) { hold(t, steps) })
	}
}

// O11: an owner appends to the shards that lack it what a former one has not come to append.
func TestUnfinishedChange(t *testing.T) {
	w := newWorld(t, 1, 3).begin()
	owner, m := w.holder(), members("1 abcd1?")
	owner.s.Decided(owner.clock(), 0, m)
	got, lack := owner.s.Unfinished()
	if got.Version != 1 || !slices.Equal(lack, []int{1}) || owner.s.MayChange(owner.clock(), members("2 abc")) == nil {
		t.Error("it is not finished:", got, lack)
	}
	owner.s.Decided(owner.clock(), 1, m)
	if _, lack = owner.s.Unfinished(); len(lack) > 0 || owner.s.MayChange(owner.clock(), members("2 abc")) != nil {
		t.Error("it is finished")
	}
}
