package nodes

import (
	"time"
)

// A Network is the links between nodes: one for each ordered pair, for what the first says to the
// second. Whoever opened the connection, its bytes go through the links of both directions.
type Network struct {
	links map[way]*link
	names []string
}

type way struct{ from, to string }

// newNetwork makes the links. An address is where a node really listens.
func newNetwork(names []string, address func(name string) string) (*Network, error) {
	n := &Network{links: map[way]*link{}, names: names}
	for w := range n.ways() {
		l, err := newLink(address(w.to))
		if err != nil {
			n.close()
			return nil, err
		}
		n.links[w] = l
	}
	for w, l := range n.links {
		l.back = n.links[way{w.to, w.from}]
		go l.accept()
	}
	return n, nil
}

func (n *Network) ways() func(yield func(way) bool) {
	return func(yield func(way) bool) {
		for _, from := range n.names {
			for _, to := range n.names {
				if from != to && !yield(way{from, to}) {
					return
				}
			}
		}
	}
}

// Hold keeps back, in silence, whatever a node says to another.
func (n *Network) Hold(from, to string) { n.links[way{from, to}].hold() }

// Slow has everything that a node says to another arrive so much later.
func (n *Network) Slow(from, to string, d time.Duration) { n.links[way{from, to}].slow(d) }

// Refuse ends the connections between two nodes, and refuses new ones.
func (n *Network) Refuse(a, b string) {
	n.links[way{a, b}].resetAll(true)
	n.links[way{b, a}].resetAll(true)
}

// Isolate keeps back whatever a node says to the others, and they to it.
func (n *Network) Isolate(name string) {
	for w, l := range n.links {
		if w.from == name || w.to == name {
			l.hold()
		}
	}
}

// Heal ends all that was done to the links. What has been held goes on, or, if the network has
// forgotten the connections of these links meanwhile, they are reset.
func (n *Network) Heal(forgotten bool) {
	for _, l := range n.links {
		if forgotten && (l.harmed() || l.back.harmed()) {
			l.resetAll(false)
		}
		l.set(func() { l.refuses = false })
	}
	for _, l := range n.links {
		l.free()
	}
}

func (n *Network) close() {
	for _, l := range n.links {
		l.close()
	}
}
