package nodes

import (
	"time"
)

// A Network is the links between nodes: one for each ordered pair, for what the first says to the
// second. Whoever opened the connection, its bytes go through the links of both directions.
type Network struct {
	gates   map[way]*gate
	proxies map[way]*proxy // by who dials, and whom
	names   []string
}

type way struct{ from, to string }

// newNetwork makes the links and their proxies. An address is where a node really listens.
func newNetwork(names []string, address func(name string) string) (*Network, error) {
	n := &Network{gates: map[way]*gate{}, proxies: map[way]*proxy{}, names: names}
	for w := range n.ways() {
		n.gates[w] = newGate()
	}
	for w := range n.ways() {
		p, err := newProxy(address(w.to), n.gates[w], n.gates[way{w.to, w.from}])
		if err != nil {
			n.close()
			return nil, err
		}
		n.proxies[w] = p
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
func (n *Network) Hold(from, to string) { n.gates[way{from, to}].hold() }

// Slow has everything that a node says to another arrive so much later.
func (n *Network) Slow(from, to string, d time.Duration) { n.gates[way{from, to}].slow(d) }

// Refuse ends the connections between two nodes, and refuses new ones.
func (n *Network) Refuse(a, b string) {
	n.proxies[way{a, b}].resetAll(true)
	n.proxies[way{b, a}].resetAll(true)
}

// Isolate keeps back whatever a node says to the others, and they to it.
func (n *Network) Isolate(name string) {
	for w := range n.ways() {
		if w.from == name || w.to == name {
			n.gates[w].hold()
		}
	}
}

// Heal ends all that was done to the links. What has been held goes on, or, if the network has
// forgotten the connections of these links meanwhile, they are reset.
func (n *Network) Heal(forgotten bool) {
	for w := range n.ways() {
		if p := n.proxies[w]; forgotten && (n.gates[w].harmed() || n.gates[way{w.to, w.from}].harmed()) {
			p.resetAll(false)
		} else {
			p.allow()
		}
	}
	for w := range n.ways() {
		n.gates[w].slow(0)
		n.gates[w].free()
	}
}

func (n *Network) close() {
	for _, p := range n.proxies {
		p.close()
	}
}
