package ownership

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/storage/effort"
	"beanfield/storage/lanes"
)

// O11, P13 to P17: what one election does when the members change.
func TestTalksOfMembers(t *testing.T) {
	for name, steps := range map[string]string{
		"P13, O11: who votes is what the log says; a guest is heard, and its answers count from when it is a member": `elected
			kept; a answer 0; role is owner; decided 1 abcd1?; nodes is abc; d answer 0; decided 2 abcd1; nodes is abcd
			role is owner; serves is true; 600ms; a answer 0; 500ms; tick; role is follower; lose is 1`,
		"P13: what the former voters have granted ends with them": `elected; kept; a answer 0; role is owner
			serves is true; decided 1 abcd1; role is follower; lose is 1`,
		"P14: the members change by one, and the owner stays": `elected; copy 1; kept
			may 1 abc is this node does not own the shards; a answer 1; c answer 1; may 2 abc is the members have version 0 by now
			may 1 b is the members change by one node at a time
			may 1 ac is the owner cannot be removed: another node is to serve first
			may 1 abc9 is node c has not been let in by version 9
			may 1 abc1 is node c is to be removed before another one gets its name
			may 1 bc is none; may 1 bc is none; decided 1 bc; nodes is bc; a answer 0
			alive a is false; may 2 a2bc is node a does not answer yet, or has not caught up`,
		"P16: who is to vote has durable copies first, and answers; so do most of those that will": `elected; copy 1; kept
			a answer 0; c answer 0; may 1 abcd1? is none
			decided 1 abcd1?; least is 0; may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer 0; may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer {"report":{"promised":[9],"since":2}}; d answer {"report":{"promised":[9]}}; strange d is it was removed from the cluster, and another one has its name
			may 2 abcd1 is node d does not answer yet, or has not caught up
			d answer {"report":{"promised":[9],"since":1,"durable":[1]}}
			may 2 abcd1 is too few of the nodes that are to be members have durable copies yet
			c answer 1; may 2 abcd1 is none`,
		"P16: durable is what the epoch began with, and what was purged in it": `copy 200; elected; kept
			a answer 99; c answer 99; may 1 bc is too few of the nodes that are to be members have durable copies yet
			a answer 200; c answer 200; tick; purged is [200] 200; c answer 199
			may 1 bc is too few of the nodes that are to be members have durable copies yet; c answer 200; may 1 bc is none
			c hello {"report":{"broken":true}}
			may 1 bc is too few of the nodes that are to be members have durable copies yet`,
	} {
		t.Run(name, func(t *testing.T) { hold(t, steps) })
	}
}

// P17: what a blank node keeps, as that it is drained, it keeps as the member that it is.
func TestBlankNodeKeepsWhoItIs(t *testing.T) {
	k := hold(t, "")
	k.begin(Kept{Since: 4}, 0)
	k.do(Drain, "b")
	if k.kept.Since != 4 || !k.kept.Drained {
		t.Errorf("it keeps %+v", k.kept)
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

// voters are the members by the newest version that is on all lanes.
func (w *world) voters() (names []string) {
	if d := w.decided[shards-1]; len(d) > 0 {
		return d[len(d)-1].Voters()
	}
	for _, m := range w.nodes[:w.founders] {
		names = append(names, m.name)
	}
	return names
}

// take has a node's copy take so many versions.
func (m *member) take(i, n int) {
	for m.s != nil && m.copies[i] < n {
		m.copies[i]++
		m.s.Decided(m.clock(), i, m.w.decided[i][m.copies[i]-1])
	}
}

// alter has whoever serves change the members, if he may, in one way or another: somebody is invited, votes or goes.
func (w *world) alter() {
	h := w.holder()
	if h == nil || w.founders == len(w.nodes) || w.now < h.paused || h.busy() {
		return
	}
	now := h.s.Members()
	next := Members{Version: now.Version + 1}
	other := w.nodes[w.r.IntN(len(w.nodes))]
	for _, n := range now.Nodes {
		if n.Name == other.name && (n.Guest || other == h) {
			n.Guest = false
		} else if n.Name == other.name && len(now.Nodes) > 2 {
			continue
		}
		next.Nodes = append(next.Nodes, n)
	}
	if now.Find(other.name) == nil {
		next.Nodes = append(next.Nodes, Member{Name: other.name, Since: next.Version, Guest: true})
		slices.SortFunc(next.Nodes, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
	}
	if h.s.MayChange(h.clock(), next) != nil {
		return
	}
	if now.Find(other.name) == nil { // it begins anew
		other.crash()
		other.disk, other.copies = Kept{}, [shards]int{}
		w.after(w.upTo(time.Second), nil, other.start)
	}
	for i := range shards {
		h.append(i, h.s.Epochs()[i], next)
	}
}

// busy tells whether it is appending a version.
func (m *member) busy() bool {
	for i, epoch := range m.s.Epochs() {
		if m.appends[i] == epoch {
			return true
		}
	}
	return false
}

// append has a version come to a shard's lanes, if no newer epoch has begun there by then.
func (m *member) append(i int, epoch uint64, v Members) {
	w := m.w
	if m.appends[i] = epoch; !m.engine() {
		w.after(50*time.Millisecond, m, func() { m.append(i, epoch, v) })
		return
	}
	w.after(m.answer(), nil, func() {
		if w.epochs[i] != epoch {
			return
		}
		if n := uint64(len(w.decided[i])); v.Version == n+1 {
			w.decided[i] = append(w.decided[i], v)
		} else if v.Version > n || !slices.Equal(w.decided[i][v.Version-1].Nodes, v.Nodes) {
			w.wrong = fmt.Sprintf("O11: shard %d has version %d behind %d", i, v.Version, n)
		}
		w.after(m.answer(), m, func() {
			m.take(i, len(w.decided[i]))
			m.appends[i] = 0
		})
	})
}

// complete has an owner append what a former one has not come to append.
func (m *member) complete() {
	if m.busy() {
		return
	}
	v, lack := m.s.Unfinished()
	for _, i := range lack {
		if m.drivers[i].role == lanes.Owner {
			m.append(i, m.drivers[i].epoch, v)
		}
	}
}

// O2, O11, K7: as in TestOneTermAtATime, while members come and go.
func TestOneTermWhileMembersChange(t *testing.T) {
	seeds := effort.Courses(2000, 40)
	versions, terms := 0, 0
	for seed := range seeds {
		w := course(t, uint64(2*seed+1), func(w *world) { w.founders = 3 }) // of five
		w.calm()
		if w.wrong != "" {
			t.Fatalf("seed %d: %s", seed, w.wrong)
		}
		versions, terms = versions+len(w.decided[0]), terms+w.terms
	}
	if t.Logf("%d versions, %d terms", versions, terms); versions < 2*seeds {
		t.Error("too few versions")
	}
}

// O11: members that change while all is well end no term.
func TestChangesInPeace(t *testing.T) {
	for seed := range uint64(8) {
		w := newWorld(t, seed, 5)
		w.founders = 3
		w.begin()
		terms := w.terms
		w.quiet()
		for range 40 {
			w.alter()
			w.run(time.Second)
		}
		if w.play("idle 30ms"); w.terms != terms || len(w.decided[0]) < 10 || len(w.decided[0]) != len(w.decided[1]) {
			t.Errorf("seed %d: %d terms, %d versions", seed, w.terms-terms, len(w.decided[0]))
		}
	}
}
