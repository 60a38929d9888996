package lanes

import (
	"fmt"
	"slices"
	"testing"

	"beanfield/storage/effort"
)

// version is who the members of a town are, as a turn of the log says.
type version struct {
	number uint64
	nodes  []entry
}

// entry is one of them. A name may get another machine, which is another voter then.
type entry struct {
	name, machine int
	since         uint64
	guest         bool
}

func (e *entry) vote() string { return fmt.Sprint(e.name, ".", e.since) }

// founders are the nodes for which the lanes are made.
func founders(n int) *version {
	v := &version{}
	for i := range n {
		v.nodes = append(v.nodes, entry{name: i, machine: i})
	}
	return v
}

// moving has members come and go.
func moving(t *town) { t.moves = true }

// voters are those that vote.
func (v *version) voters() (all []entry) {
	for _, e := range v.nodes {
		if !e.guest {
			all = append(all, e)
		}
	}
	return all
}

func (v *version) votes() (all []string) {
	for _, e := range v.voters() {
		all = append(all, e.vote())
	}
	return all
}

// named is the node of a name, and at that of a machine; nil if there is none.
func (v *version) named(name int) *entry {
	return v.find(func(e entry) bool { return e.name == name })
}

func (v *version) at(machine int) *entry {
	return v.find(func(e entry) bool { return e.machine == machine })
}

func (v *version) find(is func(entry) bool) *entry {
	if i := slices.IndexFunc(v.nodes, is); i >= 0 {
		return &v.nodes[i]
	}
	return nil
}

// voter tells whether the node of a machine does.
func (v *version) voter(machine int) bool {
	e := v.at(machine)
	return e != nil && !e.guest
}

// members are those by a node's copy.
func (t *town) members(i int) *version {
	if m := t.contents(i).members; m != nil {
		return m
	}
	return t.founded
}

// decided is when a node has taken a version.
func (t *town) decided(i int, v *version) {
	n, p := t.nodes[i], t.people[i]
	if v.number > t.last.number {
		t.last = v
		for l := range t.engine {
			t.remains(l, 0)
		}
	}
	if p.lease == nil {
		return
	}
	if former := p.lease.Until(p.at(t.now)); t.wanting.former {
		p.former = max(p.former, former)
	}
	p.lease.Members(v.votes()...)
	if n.counts == nil {
		return
	}
	for _, e := range v.nodes {
		if _, known := n.counts[e.machine]; !known {
			n.counts[e.machine], p.counted[e.machine] = 0, p.at(t.now)
			delete(p.given, e.machine)
		}
	}
	for k := range n.counts {
		if v.at(k) == nil {
			delete(n.counts, k)
		}
	}
}

// changes has an owner change the members.
func (t *town) changes(i int) {
	n, p := t.nodes[i], t.people[i]
	if n.log.Ready() && t.serves(i) {
		now := t.members(i)
		next := t.next(i, now)
		if next.number == now.number || !t.bears(i, now, next) {
			return
		}
		for k := range next.nodes {
			if e := &next.nodes[k]; e.since == next.number && now.at(e.machine) == nil {
				t.invite(e)
			}
		}
		p.made++
		p.turned = p.made
		t.proposed = next
		t.begin(i, change, next.number, max(1, t.r.IntN(6)-3))
		if t.wanting.free { // that would be rare
			t.giveUp(i, t.r.IntN(len(t.nodes)))
			t.purges(i, t.r.IntN(2))
		}
	}
}

// next is a version behind another one: a guest votes, or another machine is invited, or a node goes.
func (t *town) next(i int, v *version) *version {
	next := &version{v.number + 1, slices.Clone(v.nodes)}
	k := t.r.IntN(len(next.nodes))
	machine, name := t.r.IntN(len(t.people)), t.r.IntN(len(t.people))
	e := &next.nodes[k]
	switch {
	case e.guest && t.r.IntN(4) > 0:
		e.guest = false
	case v.at(machine) == nil && v.named(name) == nil:
		next.nodes = append(next.nodes, entry{name, machine, next.number, true})
	case e.machine != i && len(next.nodes) > 2 && t.r.IntN(2) == 0:
		next.nodes = slices.Delete(next.nodes, k, k+1)
	default:
		return v
	}
	return next
}

// stays tells whether a machine votes, whatever becomes of the versions that are under way.
func (t *town) stays(machine int) bool {
	for _, v := range t.decisions {
		if v.number > t.last.number && !v.voter(machine) {
			return false
		}
	}
	return t.last.voter(machine)
}

// invite starts a machine that is new, or begins anew, under a name. A process of this name that may get the same
// number ends before (K7); one that has made promises under another number may live on.
func (t *town) invite(e *entry) {
	for k, p := range t.people {
		if k == e.machine || p.name == e.name && p.promises == 0 {
			if p.up {
				t.down(k, true)
			}
			*p = resident{clock: p.clock, boot: p.boot, cut: p.cut, name: -1}
			t.nodes[k].store = copyOf{origin0, origin0}
		}
	}
	t.people[e.machine].name, t.meant[e.name] = e.name, e.machine
}

// bears tells whether an owner may append a version behind another one: it would go on with the lease, and if the
// voters change, most have durable copies. Who lacks one folds what it has, as nodes do while a change is under way.
func (t *town) bears(i int, now, next *version) bool {
	n, p := t.nodes[i], t.people[i]
	clock, whole, voters, need := p.at(t.now), 0, next.voters(), max(1, p.from)
	careful := t.r.IntN(4) > 0 // else the change may end its lease
	if careful && p.lease.Among(clock, next.votes()...) <= clock {
		return false
	}
	if slices.Equal(now.votes(), next.votes()) {
		return true
	}
	for _, e := range voters {
		durable, counts := n.counts[e.machine]
		_, made := p.given[e.machine]
		if t.wanting.places {
			durable = t.nodes[e.machine].store.now.Number
		}
		has := counts && !made && durable >= need || t.wanting.copies
		if has {
			whole++
			continue
		}
		t.syncs(e.machine)
		if !now.voter(e.machine) {
			return false
		}
	}
	return whole > len(voters)/2
}

// P1 to P17, K1 to K8: as in TestTerms, while nodes come and go, and machines get the names of others.
func TestMembers(t *testing.T) {
	seeds := effort.Courses(5000, 300)
	var acked, purged, holders, versions, names int
	for seed := range seeds {
		w, err := live(uint64(seed), 2500, moving)
		if err == nil {
			w.settles()
			err = w.wrong
		}
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		acked += int(w.acked)
		purged += w.engine[0].purged + w.engine[1].purged
		holders += w.holders
		versions += int(w.last.number)
		for _, e := range w.last.nodes {
			if e.since > 0 && e.name != e.machine {
				names++
			}
		}
	}
	if n := seeds; acked < 10*n || purged < 3*n || holders < 2*n || versions < 3*n/2 || names < n/4 {
		t.Error("too little happens")
	}
	t.Logf("%d acknowledged, %d purged, %d epochs with a lease, %d versions, %d names of other machines", acked, purged,
		holders, versions, names)
}

// P13, P16, P17: as in TestEachRuleIsNeeded. (The rest is in TestSmallWorldOfMembers.)
func TestEachRuleOfMembersIsNeeded(t *testing.T) {
	const most = 1000
	for name, c := range map[string]struct {
		from uint64
		set  func(t *town)
	}{
		"P13: what former voters have granted counts on": {0, func(t *town) { t.wanting.former = true }},
		"P16: voters need no copies":                     {0, func(t *town) { t.wanting.copies = true }},
		"P16: a copy counts before it is durable":        {12_800, func(t *town) { t.wanting.places = true }},
		"P16: an owner purges while it changes the members": {400, func(t *town) {
			t.wanting.free, t.founded = true, founders(5)
		}},
		"P17: whoever has a voter's name is this voter": {0, func(t *town) { t.wanting.names = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := c.from; seed < c.from+most; seed++ {
				if _, err := live(seed, 2500, func(t *town) { moving(t); c.set(t) }); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d courses found nothing", most)
		})
	}
}
