package cluster

import (
	"encoding/json"
	"time"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
)

// acts does what the election has decided.
type acts struct{ n *Node }

func (a acts) Send(m *ownership.Message) {
	b, err := json.Marshal(m)
	if err != nil {
		a.n.o.Logger.Error("a message was not sent", "error", err)
		return
	}
	_ = a.n.talk.Publish(a.n.subjectOf(m.To), b) // it may be lost in other ways, too
}

func (a acts) Stand()  { a.each((*jetstream.Driver).Stand) }
func (a acts) Resign() { a.each((*jetstream.Driver).Resign) }

func (a acts) each(do func(*jetstream.Driver)) {
	for _, r := range a.n.replicas {
		if d := r.driver.Load(); d != nil {
			do(d)
		}
	}
}

func (a acts) Keep(k ownership.Kept) {
	a.n.mu.Lock()
	a.n.keeps = append(a.n.keeps, k)
	a.n.mu.Unlock()
	nudge(a.n.write)
}

func (a acts) Begin(epochs []uint64) {
	a.n.term = newTerm(a.n, epochs)
	nudge(a.n.steer)
}

// Hold also hands a new term out: one that does not hold yet would end when it is asked.
func (a acts) Hold(until time.Duration) {
	t := a.n.term
	if t.until.Swap(int64(until)) == 0 && t.Why() == nil {
		a.n.came <- t // there is room: the one before has been taken, or has ended
	}
}

func (a acts) Leave() {
	t := a.n.term
	t.leaveOnce.Do(func() { close(t.leave) })
	t.unwanted()
}

func (a acts) Lose(why error) {
	if t := a.n.term; t != nil {
		t.lose(why)
		t.unwanted()
	}
}

func (a acts) Purge(least []uint64) {
	for i, r := range a.n.replicas {
		if d := r.driver.Load(); d != nil && least[i] > 0 {
			d.Purge(least[i])
		}
	}
}

// keepAgain is how long the keeper waits when the disk has refused.
const keepAgain = time.Second

// keeper is the goroutine that writes promises. Until one is written, nothing is answered.
func (n *Node) keeper() {
	for {
		select {
		case <-n.ctx.Done():
			return
		case <-n.write:
		}
		n.mu.Lock()
		keeps := n.keeps
		n.keeps = nil
		n.mu.Unlock()
		for i, k := range keeps {
			for i == len(keeps)-1 { // the newest has all that the others have
				err := n.kept.keep(k)
				if err == nil {
					break
				}
				n.o.Logger.Error("this node does not vote", "error", err)
				if pause(n.ctx, keepAgain) != nil {
					return
				}
			}
		}
		for _, k := range keeps {
			n.do(func(now time.Duration) { n.election.Kept(now, k) })
		}
	}
}
