package router

import (
	"fmt"
	"testing"
	"time"

	"beanfield/shard/queue/policy"
)

// founder makes "f" the queue's first group, by a consumer that has no window. So a group
// with another name is a view.
func (w *world) founder(tube string) { w.consumer(tube, "f", "none", watch(0)).now(1) }

// items counts those that are left, of a run with one.
func (w *world) items() (n int) {
	for id := w.first + 1; id <= w.bed.r.ids.last.Load(); id++ {
		if _, known := w.bed.r.ids.find(id); known {
			n++
		}
	}
	return n
}

// left lets each leaf find so many items.
func (w *world) left(want int) {
	w.leaf = func() error {
		if n := w.items(); n != want {
			return fmt.Errorf("%d items are left, want %d", n, want)
		}
		return nil
	}
}

// oneHand lets each leaf find that one of these has the item, or that nobody has it and it is as it was put or has
// ended.
func (w *world) oneHand(orLeft int, all ...*actor) {
	w.leaf = func() error {
		n := 0
		for _, a := range all {
			if a.player != nil && len(a.held) > 0 || a.conn != nil && (len(a.has()) > 0 || a.get != nil && a.get.took) {
				n++
			}
		}
		if n == 0 && w.items() == orLeft {
			return nil
		}
		if n != 1 {
			return fmt.Errorf("%d have the item", n)
		}
		return nil
	}
}

func reserversAndConsumers() []scenario {
	return []scenario{
		{"a consumer and a reserver begin, and there is one job", 2, false, func(w *world, d *bed) {
			w.producer(d.tube(0, 0), put).now(1)
			a := w.add("reserver", "", both(d), reserve)
			w.oneHand(-1, a, w.consumer(d.tube(0, 0), "f", "a", watch(1)))
		}},
		{"a waiter over two shards, a consumer begins, and a put", 2, false, func(w *world, d *bed) {
			a := w.add("waiter", "", both(d), reserve).now(1)
			w.oneHand(-1, a, w.consumer(d.tube(1, 0), "f", "a", watch(1)))
			w.producer(d.tube(1, 0), put)
		}},
		{"a reserver searches over several turns, a consumer begins, and a put", 1, false, func(w *world, d *bed) {
			a := w.add("searcher", "", []string{d.tube(0, 0), d.tube(0, 1), d.tube(0, 2)}, reserve)
			w.oneHand(-1, a, w.consumer(d.tube(0, 1), "f", "a", watch(1)))
			w.producer(d.tube(0, 1), put)
		}},
		{"a consumer waits, a reserver begins and times out, and a put", 2, true, func(w *world, d *bed) {
			p := w.consumer(d.tube(1, 0), "f", "a", watch(1)).now(1)
			w.oneHand(-1, w.add("reserver", "", both(d), reserve, cancel), p)
			w.producer(d.tube(1, 0), put)
		}},
		{"the first waiter times out, a consumer waits behind it, and a put", 2, false, func(w *world, d *bed) {
			a := w.add("waiter", "", both(d), reserve, cancel).now(1)
			w.oneHand(-1, a, w.consumer(d.tube(1, 0), "f", "a", watch(1)).now(1))
			w.producer(d.tube(1, 0), put)
		}},
		{"the first waiter hangs up, a consumer waits behind it, and a put", 2, false, func(w *world, d *bed) {
			w.add("waiter", "", both(d), reserve, hangUp).now(1)
			w.oneHand(-1, w.consumer(d.tube(1, 0), "f", "a", watch(1)).now(1))
			w.producer(d.tube(1, 0), put)
		}},
	}
}

func connections(group string) []scenario {
	in := "group " + group + ": "
	return []scenario{
		{in + "a connection is replaced while an item is pushed and committed", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.consumer(d.tube(0, 0), group, "a", watch(1), commit).now(1)
			w.consumer(d.tube(0, 0), group, "a", watch(1))
			w.producer(d.tube(0, 0), put)
		}},
		{in + "two new connections, and an item is pushed", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.consumer(d.tube(0, 0), group, "a", watch(1)).now(1)
			w.consumer(d.tube(0, 0), group, "a", watch(2), disconnect)
			w.consumer(d.tube(0, 0), group, "a", watch(1))
			w.producer(d.tube(0, 0), put)
		}},
		{in + "a commit, the connection is lost, and its time passes", 1, false, func(w *world, d *bed) {
			*w.limits = policy.Limits{Leaving: 1e9}
			w.founder(d.tube(0, 0))
			p := w.consumer(d.tube(0, 0), group, "a", watch(1), commit).now(1)
			p.also(disconnect)
			b := w.consumer(d.tube(0, 0), group, "b", watch(1)).now(1)
			w.producer(d.tube(0, 0), put)
			w.lapse = passes(time.Second)
			w.leaf = func() error {
				if n := len(p.has()) + len(b.has()); p.dealt > 0 && n > 0 {
					return fmt.Errorf("the item was committed, and is pending")
				}
				return nil
			}
		}},
		{in + "a commit makes room while an item is put", 1, false, func(w *world, d *bed) {
			w.founder(d.tube(0, 0))
			w.producer(d.tube(0, 0), put).now(1)
			p := w.consumer(d.tube(0, 0), group, "a", watch(1), commit, commit).now(1)
			w.producer(d.tube(0, 0), put)
			w.leaf = func() error {
				if n := len(p.heard); n != 2 || p.heard[0] >= p.heard[1] {
					return fmt.Errorf("%s was sent %d", p.title, p.heard)
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
			*w.limits = policy.Limits{MaxDelivery: most, MaxIdle: 1e9}
			w.founder(d.tube(0, 0))
			w.consumer(d.tube(0, 0), group, "a", watch(1), refuse).now(1)
			w.consumer(d.tube(0, 0), group, "b", watch(1), refuse)
			w.producer(d.tube(0, 0), putting(10, 1, nil))
			w.lapse = passes(time.Second)
			w.left(1)
		}})
	}
	return list
}

func removals() []scenario {
	return []scenario{
		{"a view is removed while an item is pushed and committed", 1, false, func(w *world, d *bed) {
			w.consumer(d.tube(0, 0), "f", "a", watch(1), commit).now(1)
			w.consumer(d.tube(0, 0), "v", "b", watch(1), commit).now(1).also(dropGroup)
			w.producer(d.tube(0, 0), put)
			w.left(0)
		}},
		{"the first group is removed while an item is pushed and committed, and one waits", 2, false,
			func(w *world, d *bed) {
				w.consumer(d.tube(0, 0), "f", "a", watch(1), commit).now(1).also(dropGroup)
				a := w.add("waiter", "", both(d), reserve).now(1)
				w.producer(d.tube(0, 0), put)
				w.oneHand(0, a)
			}},
	}
}

func waitingGets() []scenario {
	return []scenario{
		{"a get that waits hangs up, another waits, and a put", 1, false, func(w *world, d *bed) {
			first := w.consumer(d.tube(0, 0), "", "first", takeOne, giveUp).now(1)
			second := w.consumer(d.tube(0, 0), "", "second", takeOne).now(1)
			w.producer(d.tube(0, 0), put)
			w.oneHand(-1, first, second)
		}},
		{"a get that was called for an item takes another, and the next wants that item", 1, false,
			func(w *world, d *bed) {
				w.producer(d.tube(0, 0), put).now(1)
				w.add("holder", "", []string{d.tube(0, 0)}, reserve, release).now(1).mute = true
				w.consumer(d.tube(0, 0), "", "any", takeOne).now(1)
				w.consumer(d.tube(0, 0), "", "the second", getting(2, true)).now(1)
				w.producer(d.tube(0, 0), put)
			}},
		{"a get begins and hangs up, and a put", 1, false, func(w *world, d *bed) {
			p := w.consumer(d.tube(0, 0), "", "get", takeOne, giveUp)
			w.producer(d.tube(0, 0), put)
			w.oneHand(1, p)
		}},
		{"a get that takes, one that looks, a consumer, and a put", 1, true, func(w *world, d *bed) {
			get := w.consumer(d.tube(0, 0), "", "taker", takeOne, giveUp).now(1)
			w.consumer(d.tube(0, 0), "", "looker", getting(0, false))
			consumer := w.consumer(d.tube(0, 0), "f", "a", watch(1))
			w.producer(d.tube(0, 0), put)
			w.oneHand(-1, get, consumer)
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
	exploreAll(t, append(list, waitingGets()...), exploreMode{}, exploreMode{late: true},
		exploreMode{wide: 1, share: 1})
}
