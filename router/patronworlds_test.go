package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
)

// putFor puts a job with a TTR.
func putFor(seconds uint32) deed {
	return deed{plain, func(a *actor) { a.put(10, 0, seconds, nil) }}
}

// founder makes "f" the queue's first group, by a consumer that has no window. So a group
// with another name is a view.
func (w *world) founder(tube string) { w.patron(tube, "f", "none", watch(0)).now(1) }

// mustEnd lets the world's leaves have no item left.
func (w *world) mustEnd() {
	w.leaf = func() error {
		if n := len(w.crew.l.items); n != 0 {
			return fmt.Errorf("%d items have not ended", n)
		}
		return nil
	}
}

// oneHand lets each leaf find that one of these has the item.
func (w *world) oneHand(has ...func() bool) {
	w.leaf = func() error {
		n := 0
		for _, h := range has {
			if h() {
				n++
			}
		}
		if n != 1 {
			return fmt.Errorf("%d have the item", n)
		}
		return nil
	}
}

func (a *actor) has() bool  { return len(a.held) > 0 }
func (p *patron) has() bool { return p.w.crew.l.has(p.k.holder) > 0 }

func reserversAndConsumers() []scenario {
	return []scenario{
		{"a consumer and a reserver begin, and there is one job", 2, false, func(w *world, d *bed) {
			w.producer(d.tube(0, 0), put).now(1)
			a := w.add("reserver", "", both(d), reserve)
			w.oneHand(a.has, w.patron(d.tube(0, 0), "f", "a", watch(1)).has)
		}},
		{"a waiter over two shards, a consumer begins, and a put", 2, false, func(w *world, d *bed) {
			a := w.add("waiter", "", both(d), reserve).now(1)
			w.oneHand(a.has, w.patron(d.tube(1, 0), "f", "a", watch(1)).has)
			w.producer(d.tube(1, 0), put)
		}},
		{"a reserver searches over several turns, a consumer begins, and a put", 1, false, func(w *world, d *bed) {
			a := w.add("searcher", "", []string{d.tube(0, 0), d.tube(0, 1), d.tube(0, 2)}, reserve)
			w.oneHand(a.has, w.patron(d.tube(0, 1), "f", "a", watch(1)).has)
			w.producer(d.tube(0, 1), put)
		}},
		{"a consumer waits, a reserver begins and times out, and a put", 2, true, func(w *world, d *bed) {
			p := w.patron(d.tube(1, 0), "f", "a", watch(1)).now(1)
			w.oneHand(w.add("reserver", "", both(d), reserve, cancel).has, p.has)
			w.producer(d.tube(1, 0), put)
		}},
		{"the first waiter times out, a consumer waits behind it, and a put", 2, false, func(w *world, d *bed) {
			a := w.add("waiter", "", both(d), reserve, cancel).now(1)
			w.oneHand(a.has, w.patron(d.tube(1, 0), "f", "a", watch(1)).now(1).has)
			w.producer(d.tube(1, 0), put)
		}},
		{"the first waiter hangs up, a consumer waits behind it, and a put", 2, false, func(w *world, d *bed) {
			w.add("waiter", "", both(d), reserve, hangUp).now(1)
			w.oneHand(w.patron(d.tube(1, 0), "f", "a", watch(1)).now(1).has)
			w.producer(d.tube(1, 0), put)
		}},
	}
}

func connections(group string) []scenario {
	in := "group " + group + ": "
	return []scenario{
		{in + "a connection is replaced while an item is pushed and committed", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.patron(d.tube(0, 0), group, "a", watch(1), commit).now(1)
			w.patron(d.tube(0, 0), group, "a", watch(1))
			w.producer(d.tube(0, 0), put)
		}},
		{in + "two new connections, and an item is pushed", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.patron(d.tube(0, 0), group, "a", watch(1)).now(1)
			w.patron(d.tube(0, 0), group, "a", watch(2), disconnect)
			w.patron(d.tube(0, 0), group, "a", watch(1))
			w.producer(d.tube(0, 0), put)
		}},
		{in + "a commit, the connection is lost, and its time passes", 1, false, func(w *world, d *bed) {
			*w.crew.limits = queue.Limits{Leaving: 1e9}
			w.founder(d.tube(0, 0))
			p := w.patron(d.tube(0, 0), group, "a", watch(1), commit).now(1)
			p.also(disconnect)
			w.patron(d.tube(0, 0), group, "b", watch(1)).now(1)
			w.producer(d.tube(0, 0), put)
			w.lapse = aSecond
			w.leaf = func() error {
				for id := range w.crew.l.items {
					if p.dealt > 0 && w.crew.l.items[id].of(p.k.holder.group).user != nil {
						return fmt.Errorf("item %d was committed, and is pending", id)
					}
				}
				return nil
			}
		}},
		{in + "a commit makes room while an item is put", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.producer(d.tube(0, 0), put).now(1)
			p := w.patron(d.tube(0, 0), group, "a", watch(1), commit, commit).now(1)
			w.producer(d.tube(0, 0), put)
			w.leaf = func() error {
				if n := len(p.k.heard); n != 2 || p.k.heard[0] >= p.k.heard[1] {
					return fmt.Errorf("%s was sent %d", p.name, p.k.heard)
				}
				return nil
			}
		}},
	}
}

func refusals(group string) (list []scenario) {
	for _, most := range []int{0, 2} {
		name := fmt.Sprintf("group %s: an item is refused, its time passes, at most %d deliveries", group, most)
		list = append(list, scenario{name, 1, false, func(w *world, d *bed) {
			*w.crew.limits = queue.Limits{MaxDelivery: most, MaxIdle: 1e9}
			w.founder(d.tube(0, 0))
			w.patron(d.tube(0, 0), group, "a", watch(1), refuse).now(1)
			w.patron(d.tube(0, 0), group, "b", watch(1), refuse)
			w.producer(d.tube(0, 0), putFor(1))
			w.lapse = aSecond
			w.leaf = func() error {
				if n := len(w.crew.l.items); n != 1 {
					return fmt.Errorf("there are %d items", n)
				}
				return nil
			}
		}})
	}
	return list
}

func removals() []scenario {
	return []scenario{
		{"a view is removed while an item is pushed and committed", 1, false, func(w *world, d *bed) {
			w.patron(d.tube(0, 0), "f", "a", watch(1), commit).now(1)
			w.patron(d.tube(0, 0), "v", "b", watch(1), commit).now(1).also(dropGroup)
			w.producer(d.tube(0, 0), put)
			w.mustEnd()
		}},
		{"the first group is removed while an item is pushed and committed, and one waits", 2, false, func(w *world, d *bed) {
			w.patron(d.tube(0, 0), "f", "a", watch(1), commit).now(1).also(dropGroup)
			a := w.add("waiter", "", both(d), reserve).now(1)
			w.producer(d.tube(0, 0), put)
			w.oneHand(a.has, func() bool { return len(w.crew.l.items) == 0 })
		}},
	}
}

func waitingGets() []scenario {
	return []scenario{
		{"a get that waits hangs up, another waits, and a put", 1, false, func(w *world, d *bed) {
			first := w.patron(d.tube(0, 0), "", "first", takeOne, giveUp).now(1)
			second := w.patron(d.tube(0, 0), "", "second", takeOne).now(1)
			w.producer(d.tube(0, 0), put)
			w.oneHand(first.took, second.took)
		}},
		{"a get that was called for an item takes another, and the next wants that item", 1, false, func(w *world, d *bed) {
			w.producer(d.tube(0, 0), put).now(1)
			w.add("holder", "", []string{d.tube(0, 0)}, reserve, release).now(1).mute = true
			w.patron(d.tube(0, 0), "", "any", takeOne).now(1)
			w.patron(d.tube(0, 0), "", "the second", takeFrom(2)).now(1)
			w.producer(d.tube(0, 0), put)
		}},
		{"a get begins and hangs up, and a put", 1, false, func(w *world, d *bed) {
			p := w.patron(d.tube(0, 0), "", "get", takeOne, giveUp)
			w.producer(d.tube(0, 0), put)
			w.oneHand(p.took, func() bool { return len(w.crew.l.items) == 1 })
		}},
		{"a get that takes, one that looks, a consumer, and a put", 1, true, func(w *world, d *bed) {
			get := w.patron(d.tube(0, 0), "", "taker", takeOne, giveUp).now(1)
			w.patron(d.tube(0, 0), "", "looker", lookAtOne)
			consumer := w.patron(d.tube(0, 0), "f", "a", watch(1))
			w.producer(d.tube(0, 0), put)
			w.oneHand(get.took, consumer.has)
		}},
	}
}

// The first group and a view have the same worlds.
func TestEveryInterleavingWithTheQueueService(t *testing.T) {
	list := reserversAndConsumers()
	for _, group := range []string{"f", "v"} {
		list = append(list, connections(group)...)
		list = append(list, refusals(group)...)
	}
	list = append(list, removals()...)
	exploreAll(t, append(list, waitingGets()...), []exploreMode{{}, {late: true}, {wide: 1, share: 1}}, true)
}
