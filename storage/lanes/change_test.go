package lanes

import (
	"math/bits"
	"testing"

	"beanfield/storage/effort"
)

// A course is a small world of the rules of members, without clocks: four machines, three of which vote at first, and
// three epochs, one after the other. A voter's answer to an epoch ends what it has granted to older ones, because a
// newer owner counts it only after a Rest. A version is the set of machines that vote; who has landed what is settled
// by K3.
type course struct {
	log      [6]machines // versions that have landed; the first one is 0
	landed   int
	owners   [3]steward
	begun    int // epochs
	promised [4]int8
	blank    machines
}

// machines are a set.
type machines uint8

func (m machines) has(i int) bool { return m>>i&1 != 0 }

// steward is the owner of an epoch.
type steward struct {
	first, taken int // of the log: when its epoch began, and now
	writes       machines
	own          bool     // what it writes has landed
	granted      machines // who has answered, and nobody newer since
	was          machines // who had, by the version before
}

// rules are those of members, of which one may be left out.
type rules struct {
	begun, former bool // P13
	unheld        bool // P14
	two           bool // P15
	named         bool // machine 3 has the name of machine 1
	names         bool // P17
	shown         bool // P12: a blank voter answers everybody
}

// holds tells whether the owner of an epoch has the lease.
func (c *course) holds(e int, r rules) bool {
	o := &c.owners[e]
	by := c.log[o.taken]
	if r.begun {
		by = c.log[o.first]
	}
	granted := o.granted
	if r.names && r.named && (granted.has(1) || granted.has(3)) {
		granted |= 1<<1 | 1<<3
	}
	most := func(of, by machines) bool { return 2*bits.OnesCount8(uint8(of&by)) > bits.OnesCount8(uint8(by)) }
	return most(granted, by) || r.former && o.taken > 0 && most(o.was&granted, c.log[o.taken-1])
}

// next are all courses that are one event longer.
func (c course) next(r rules) (all []course) {
	add := func(d course) { all = append(all, d) }
	if c.begun < len(c.owners) {
		d := c
		d.owners[d.begun] = steward{first: c.landed, taken: c.landed}
		d.begun++
		add(d)
	}
	for e := range c.begun {
		o := &c.owners[e]
		for i := range 4 {
			if c.promised[i] <= int8(e) && (!c.blank.has(i) || r.shown) {
				d := c
				d.promised[i] = int8(e)
				for older := range e {
					d.owners[older].granted &^= 1 << i
				}
				d.owners[e].granted |= 1 << i
				add(d)
			}
		}
		if o.writes == 0 && (c.holds(e, r) || r.unheld) && c.landed+1 < len(c.log) {
			all = c.proposals(all, e, r)
		}
		if o.writes != 0 && !o.own && e == c.begun-1 && c.landed+1 < len(c.log) {
			d := c
			d.landed++
			d.log[d.landed], d.owners[e].own = o.writes, true
			add(d)
		}
		if o.own {
			d := c
			d.owners[e].was, d.owners[e].writes, d.owners[e].own = o.granted, 0, false
			d.owners[e].taken++
			add(d)
		}
	}
	for i := range 4 {
		d := c
		switch {
		case !c.blank.has(i) && c.promised[i] > 0: // its disk is lost
			d.promised[i] = 0
			d.blank |= 1 << i
			add(d)
		case c.blank.has(i) && c.begun > 0 && !r.shown: // the newest owner shows it its life
			d.promised[i] = int8(c.begun - 1)
			d.blank &^= 1 << i
			add(d)
		}
	}
	return all
}

// proposals are the versions that an owner may begin to append.
func (c course) proposals(all []course, e int, r rules) []course {
	now := c.log[c.owners[e].taken]
	for set := machines(1); set < 16; set++ {
		changed := bits.OnesCount8(uint8(set ^ now))
		if changed == 0 || changed > 1 && (!r.two || changed > 2) || r.named && set.has(1) && set.has(3) {
			continue
		}
		d := c
		d.owners[e].writes = set
		all = append(all, d)
	}
	return all
}

// visit looks at all courses with so many versions and epochs, and tells whether two owners have a lease in one.
func visit(r rules, versions, epochs int) (states int, wrong bool) {
	known := map[course]bool{}
	first := course{}
	first.log[0] = 1<<0 | 1<<1 | 1<<2
	for todo := []course{first}; len(todo) > 0; {
		c := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, d := range c.next(r) {
			if d.begun > epochs || d.landed > versions || known[d] {
				continue
			}
			known[d] = true
			holders := 0
			for e := range d.begun {
				if d.holds(e, r) {
					holders++
				}
			}
			if holders > 1 {
				return len(known), true
			}
			todo = append(todo, d)
		}
	}
	return len(known), false
}

// K7, P12 to P17: two epochs, and two versions that follow one that three machines are the members of, in every order
// of events; and a violation without each rule.
func TestSmallWorldOfMembers(t *testing.T) {
	for name, c := range map[string]struct {
		rules
		versions, epochs int
		wrong, long      bool
	}{
		"one version":                            {rules{}, 1, 2, false, false},
		"two":                                    {rules{}, 2, 2, false, true},
		"another machine gets a name":            {rules{named: true}, 2, 2, false, true},
		"P12: a blank voter answers everybody":   {rules{shown: true}, 1, 2, true, false},
		"P13: an owner counts as when it began":  {rules{begun: true}, 2, 2, true, false},
		"P13: what former voters granted counts": {rules{former: true}, 2, 2, true, false},
		"P14: an owner without a lease changes":  {rules{unheld: true}, 2, 2, true, true},
		"P15: the members change by two":         {rules{two: true}, 1, 2, true, false},
		"P17: whoever has a name is this voter":  {rules{names: true, named: true}, 1, 2, true, false},
	} {
		if c.long && effort.Brief() {
			continue
		}
		states, wrong := visit(c.rules, c.versions, c.epochs)
		if t.Logf("%s: %d states", name, states); wrong != c.wrong {
			t.Errorf("%s: a violation: %v", name, wrong)
		}
	}
}
