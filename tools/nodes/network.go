package nodes

import (
	"fmt"
	"net"
	"strconv"
	"time"
)

// A Network is the links between nodes: one for each ordered pair, for what the first says to the
// second. Whoever opened the connection, its bytes go through the links of both directions.
type Network struct {
	links map[way]*link
	names []string
}

type way struct{ from, to string }

// newNetwork makes the links. An address is where a node's engine really listens.
func newNetwork(names []string, address func(name string) string) (*Network, error) {
	n := &Network{links: map[way]*link{}, names: names}
	for w := range n.ways() {
		l := newLink()
		n.links[w] = l
		if err := l.serves(hostOf(len(n.links)), address(w.to)); err != nil {
			n.close()
			return nil, err
		}
	}
	for w, l := range n.links {
		l.back = n.links[way{w.to, w.from}]
		for _, d := range l.doors {
			go l.accept(d)
		}
	}
	return n, nil
}

// hostOf is an address of this machine for each link: a node finds at one host, as its configuration has it, the other
// node's engine and, at the port that the other tells of, whatever passes clients on.
func hostOf(link int) string { return fmt.Sprintf("127.0.1.%d", link) }

// serves has a link listen for the engine of a node, at any port, and for the clients that are passed on to it, at
// that very port, which is the one after the engine's.
func (l *link) serves(host, engine string) error {
	if err := l.open(net.JoinHostPort(host, "0"), engine); err != nil {
		return err
	}
	to, port, _ := net.SplitHostPort(engine)
	number, err := strconv.Atoi(port)
	if err != nil {
		return err
	}
	port = strconv.Itoa(number + 1)
	return l.open(net.JoinHostPort(host, port), net.JoinHostPort(to, port))
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
