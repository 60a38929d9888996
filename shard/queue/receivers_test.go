package queue

import "fmt"

// subscriber is a consumer's connection.
type subscriber struct {
	w        *world
	name     string
	unsent   int
	spent    []*DeliveryBatch
	replaced bool
}

func (r *subscriber) Receive(p *DeliveryBatch, ok bool) {
	w := r.w
	w.t.Helper()
	if !ok {
		w.t.Fatalf("%s receives a batch of a turn that has failed", r.name)
	}
	if r.replaced {
		return // it was on its way
	}
	r.unsent += p.Weight()
	for i, it := range p.Items {
		text := fmt.Sprint(it.Index)
		if it.Delivery != 1 {
			text += fmt.Sprintf("/%d", it.Delivery)
		}
		r.hears(text)
		if body := string(p.Small(i)) + string(joined(it.Large)); body != w.bodies[it.Index] && body != "" ||
			int(it.Size) != len(w.bodies[it.Index]) {
			w.t.Fatalf("item %d is pushed with body %q, want %q", it.Index, body, w.bodies[it.Index])
		}
		if got := p.Tags(i); string(got) != string(w.tags[it.Index]) {
			w.t.Fatalf("item %d is pushed with tags %q, want %q", it.Index, got, w.tags[it.Index])
		}
	}
	if p.Over {
		r.hears("over")
	}
	r.spent = append(r.spent, p)
}

func (r *subscriber) hears(what string) { r.w.pushed = append(r.w.pushed, r.name+":"+what) }

func (r *subscriber) Replaced() {
	r.replaced = true
	r.hears("replaced")
}

func (r *subscriber) Removed() {
	r.replaced = true
	r.hears("removed")
}

// caller is a get that waits.
type caller struct {
	w    *world
	name string
}

func (c *caller) TryAgain() { c.w.called = append(c.w.called, c.name+"!") }

func (w *world) caller(name string) *caller {
	if w.getters[name] == nil {
		w.getters[name] = &caller{w, name}
	}
	return w.getters[name]
}

// tryAgain tells the gets that were called.
func (w *world) tryAgain() {
	called := w.s.Called
	w.s.Called = nil
	for _, g := range called {
		g.TryAgain()
	}
}

// feed ends the turn for the consumers that may be sent something.
func (w *world) feed() {
	for w.s.withRoom.N+len(w.s.ending)+len(w.s.parting) > 0 {
		w.s.renew()
		w.s.feed()
	}
	w.take()
}

// service runs an operation of the queue service to its end, and ends the turns that it takes.
func (w *world) service(op *Op) {
	w.t.Helper()
	b := &Batch{Ops: []Op{*op}}
	w.begin(&course{b: b, serve: true, say: func() string { return "" }})
	*op = b.Ops[0]
}
