package nodes

import (
	"net"
	"strconv"
	"sync"
	"time"
)

// A Network is what stands between nodes. All find a node at one address, at its doors. What comes there goes through
// links, one for each ordered pair of nodes, for what the first says to the second: whoever opened the connection, its
// bytes go through the links of both directions. A node may look for itself, too.
type Network struct {
	links map[way]*link
	who   func(net.Conn) string // the node that has opened a connection; "": nobody knows

	mu      sync.Mutex
	hosts   int
	engines map[string]string // where each node's engine really listens
	doors   map[string][]net.Listener
}

type way struct{ from, to string }

// newNetwork makes the links. No node has doors yet.
func newNetwork(names []string, who func(net.Conn) string) *Network {
	n := &Network{links: map[way]*link{}, who: who, engines: map[string]string{}, doors: map[string][]net.Listener{}}
	for _, from := range names {
		for _, to := range names {
			n.links[way{from, to}] = newLink()
		}
	}
	for w, l := range n.links {
		l.back = n.links[way{w.to, w.from}]
	}
	return n
}

// host is one of this machine that no node has had.
func (n *Network) host() string {
	n.hosts++
	return net.IPv4(127, 0, 1, byte(n.hosts)).String()
}

// open has a node found at one more address: its engine, and, at the port after that, whatever takes clients that are
// passed on.
func (n *Network) open(name, address, engine string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.engines[name] = engine
	for offset := range 2 {
		d, err := net.Listen("tcp4", beside(address, offset))
		if err != nil {
			return err
		}
		n.doors[name] = append(n.doors[name], d)
		go n.accept(d, name, offset)
	}
	return nil
}

// shut closes all doors of a node.
func (n *Network) shut(name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, d := range n.doors[name] {
		d.Close()
	}
	n.doors[name] = nil
}

// beside is the same host, and a port some numbers later.
func beside(address string, offset int) string {
	host, port, _ := net.SplitHostPort(address)
	number, _ := strconv.Atoi(port)
	return net.JoinHostPort(host, strconv.Itoa(number+offset))
}

// accept takes connections to a node until the door is shut. What nobody knows of ends at once.
func (n *Network) accept(d net.Listener, to string, offset int) {
	for {
		conn, err := d.Accept()
		if err != nil {
			return
		}
		go func() {
			l := n.links[way{n.who(conn), to}]
			n.mu.Lock()
			q := &pair{target: beside(n.engines[to], offset), near: conn, ended: make(chan struct{})}
			n.mu.Unlock()
			if l == nil || !l.admit(q) {
				reset(conn)
				return
			}
			l.serve(q)
		}()
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
		if (w.from == name) != (w.to == name) {
			l.hold()
		}
	}
}

// Whole tells whether nothing is done to what two nodes say to each other. Without a network nothing ever is.
func (n *Network) Whole(a, b string) bool {
	if n == nil {
		return true
	}
	whole, l := true, n.links[way{a, b}]
	for range 2 {
		l.set(func() { whole = whole && !l.shut && !l.refuses && l.delay == 0 })
		l = l.back
	}
	return whole
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
	for name := range n.engines {
		n.shut(name)
	}
	for _, l := range n.links {
		l.close()
	}
}
