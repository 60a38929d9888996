package queue

// group is a set of consumers that share the items of a queue: each item goes to one
// of them.
type group struct {
	name      string
	service   *service
	users     map[string]*consumer
	consumers []*consumer // the same, in no order that means anything
	index     uint64      // the highest that any of them was sent
	delivered uint64
	pending   int   // of all of them together
	view      *view // nil for the first group

	parted   bool // its consumers have been told that it is over, or are in State.parting
	parting  bool // it is in State.parting
	uncalled int  // there: how many of its consumers have not been woken
}

func newGroup(v *service, name string) *group {
	return &group{name: name, service: v, users: map[string]*consumer{}}
}

// add takes in a consumer.
func (g *group) add(c *consumer) {
	g.users[c.user] = c
	c.at = len(g.consumers)
	g.consumers = append(g.consumers, c)
}

// remove takes a consumer out. The last one gets its place.
func (g *group) remove(c *consumer) {
	delete(g.users, c.user)
	last := len(g.consumers) - 1
	g.consumers[c.at] = g.consumers[last]
	g.consumers[c.at].at = c.at
	g.consumers[last] = nil
	g.consumers = g.consumers[:last]
}

// groupNamed finds a group of a queue; nil if there is none of that name.
func (v *service) groupNamed(name string) *group {
	if v == nil {
		return nil
	}
	if v.first != nil && v.first.name == name {
		return v.first
	}
	if w := v.viewNamed(name); w != nil {
		return w.group
	}
	return nil
}
