package cluster

import (
	"context"
	"strings"
	"sync"
	"time"
)

const (
	// sayEach is how often a node that waits for others says so, linksEach how often it looks what is wrong with
	// the links to them.
	sayEach   = 10 * time.Second
	linksEach = time.Second
)

// delay is what a node waits for while it starts: it says so now and then.
type delay struct {
	node *Node
	what string
	stop chan struct{}

	mu         sync.Mutex
	why, links string // as far as that is known
	text       string // all of it
}

// saying begins to say it, until done is called.
func (n *Node) saying(what string) *delay {
	w := &delay{node: n, what: what, text: what, stop: make(chan struct{})}
	n.o.Waiting(what)
	go w.run()
	return w
}

func (w *delay) run() {
	tick := time.NewTicker(linksEach)
	defer tick.Stop()
	for said := time.Now(); ; {
		select {
		case <-w.stop:
			return
		case <-tick.C:
		}
		w.note(func() { w.links = w.node.links() })
		if time.Since(said) >= sayEach {
			said = time.Now()
			w.node.o.Logger.Warn("this node waits", "for", w.says())
		}
	}
}

// links says what is wrong with the links to other nodes, as far as the engine knows.
func (n *Node) links() string {
	if n.server == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(context.Background(), linksEach)
	defer cancel()
	var all []string
	for _, name := range n.o.names() {
		if name == n.o.Node {
			continue
		}
		if why := n.server.Link(ctx, name); why != "" {
			all = append(all, "node "+name+", "+why)
		}
	}
	return strings.Join(all, "; ")
}

func (w *delay) says() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// because notes what the last try has failed with.
func (w *delay) because(err error) { w.note(func() { w.why = err.Error() }) }

func (w *delay) note(what func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	what()
	text := w.what
	for _, more := range []string{w.why, w.links} {
		if more != "" {
			text += ": " + more
		}
	}
	if text != w.text {
		w.text = text
		w.node.o.Waiting(text)
	}
}

func (w *delay) done() { close(w.stop) }
