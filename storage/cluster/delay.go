package cluster

import (
	"sync"
	"time"
)

// sayEach is how often a node that waits for others says so.
const sayEach = 10 * time.Second

// delay is what a node waits for while it starts: it says so now and then.
type delay struct {
	node *Node
	what string
	stop chan struct{}

	mu   sync.Mutex
	text string // with why, as far as that is known
}

// saying begins to say it, until done is called.
func (n *Node) saying(what string) *delay {
	w := &delay{node: n, what: what, text: what, stop: make(chan struct{})}
	n.o.Waiting(what)
	go func() {
		tick := time.NewTicker(sayEach)
		defer tick.Stop()
		for {
			select {
			case <-w.stop:
				return
			case <-tick.C:
				n.o.Logger.Warn("this node waits", "for", w.says())
			}
		}
	}()
	return w
}

func (w *delay) says() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.text
}

// because notes what the last try has failed with.
func (w *delay) because(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if text := w.what + ": " + err.Error(); text != w.text {
		w.text = text
		w.node.o.Waiting(text)
	}
}

func (w *delay) done() { close(w.stop) }
