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
	stop func()
	over chan struct{} // closed when its goroutine has ended

	mu         sync.Mutex
	why, links string // as far as that is known
	text       string // all of it
}

// saying begins to say it, until done is called.
func (n *Node) saying(what string) *delay {
	ctx, stop := context.WithCancel(context.Background())
	w := &delay{node: n, what: what, text: what, stop: stop, over: make(chan struct{})}
	n.o.Waiting(what)
	go w.run(ctx)
	return w
}

func (w *delay) run(ctx context.Context) {
	defer close(w.over)
	tick := time.NewTicker(linksEach)
	defer tick.Stop()
	for said := time.Now(); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		links := w.node.links(ctx)
		if ctx.Err() != nil {
			return
		}
		w.note(func() { w.links = links })
		if time.Since(said) >= sayEach {
			said = time.Now()
			w.node.o.Logger.Warn("this node waits", "for", w.says())
		}
	}
}

// links says what is wrong with the links to other nodes, as far as the engine knows.
func (n *Node) links(ctx context.Context) string {
	if n.server == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, linksEach)
	defer cancel()
	var all []string
	for _, name := range n.names() {
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

// done returns when nothing more is said.
func (w *delay) done() {
	w.stop()
	<-w.over
}
