package router

import (
	"strings"
	"testing"
)

// served are worlds of the queue service. "f" is the first group of a queue, by a consumer that may have no window. So
// a group with another name is a view.
var served = []scenario{
	{"a consumer and a reserver begin, and there is one job", 2, false, `
		producer 0.0: put!
		reserver 0.0 1.0: reserve
		consumer 0.0 f a: watch:1
		one-hand -1`},
	{"a waiter over two shards, a consumer begins, and a put", 2, false, `
		waiter 0.0 1.0: reserve!
		consumer 1.0 f a: watch:1
		producer 1.0: put
		one-hand -1`},
	{"a reserver searches over several turns, a consumer begins, and a put", 1, false, `
		searcher 0.0 0.1 0.2: reserve
		consumer 0.1 f a: watch:1
		producer 0.1: put
		one-hand -1`},
	{"a consumer waits, a reserver begins and times out, and a put", 2, true, `
		consumer 1.0 f a: watch:1!
		reserver 0.0 1.0: reserve cancel
		producer 1.0: put
		one-hand -1`},
	{"the first waiter times out, a consumer waits behind it, and a put", 2, false, `
		waiter 0.0 1.0: reserve! cancel
		consumer 1.0 f a: watch:1!
		producer 1.0: put
		one-hand -1`},
	{"the first waiter hangs up, a consumer waits behind it, and a put", 2, false, `
		waiter 0.0 1.0: reserve! hang-up
		consumer 1.0 f a: watch:1!
		producer 1.0: put
		one-hand -1`},
}

// grouped are such worlds for the first group, and for a view: $ is either.
var grouped = []scenario{
	{"a connection is replaced while an item is pushed and committed", 1, false, `
		consumer 0.0 f none: watch:0!
		consumer 0.0 $ a: watch:1! commit
		consumer 0.0 $ a: watch:1
		producer 0.0: put`},
	{"two new connections, and an item is pushed", 1, false, `
		consumer 0.0 f none: watch:0!
		consumer 0.0 $ a: watch:1!
		consumer 0.0 $ a: watch:2 disconnect
		consumer 0.0 $ a: watch:1
		producer 0.0: put`},
	{"a commit, the connection is lost, and its time passes", 1, false, `
		leaving 1s
		consumer 0.0 f none: watch:0!
		consumer 0.0 $ a: watch:1! commit
		connection: disconnect
		consumer 0.0 $ b: watch:1!
		producer 0.0: put
		lapse 1s
		committed`},
	{"a commit makes room while an item is put", 1, false, `
		consumer 0.0 f none: watch:0!
		producer 0.0: put!
		consumer 0.0 $ a: watch:1! commit commit
		producer 0.0: put
		heard 2`},
	{"an item is refused, its time passes, any number of deliveries", 1, false, `
		idle 1s
		consumer 0.0 f none: watch:0!
		consumer 0.0 $ a: watch:1! refuse
		consumer 0.0 $ b: watch:1 refuse
		producer 0.0: put:10:1
		lapse 1s
		left 1`},
	{"an item is refused, its time passes, at most 2 deliveries", 1, false, `
		idle 1s
		deliveries 2
		consumer 0.0 f none: watch:0!
		consumer 0.0 $ a: watch:1! refuse
		consumer 0.0 $ b: watch:1 refuse
		producer 0.0: put:10:1
		lapse 1s
		left 1`},
}

var removalsAndGets = []scenario{
	{"a view is removed while an item is pushed and committed", 1, false, `
		consumer 0.0 f a: watch:1! commit
		consumer 0.0 v b: watch:1! commit
		connection: drop-group
		producer 0.0: put
		left 0`},
	{"the first group is removed while an item is pushed and committed, and one waits", 2, false, `
		consumer 0.0 f a: watch:1! commit
		connection: drop-group
		waiter 0.0 1.0: reserve!
		producer 0.0: put
		one-hand 0`},
	{"a get that waits hangs up, another waits, and a put", 1, false, `
		getter 0.0 first: get:0! give-up
		getter 0.0 second: get:0!
		producer 0.0: put
		one-hand -1`},
	{"a get that was called for an item takes another, and the next wants that item", 1, false, `
		producer 0.0: put!
		holder mute 0.0: reserve! release
		getter 0.0 any: get:0!
		getter 0.0 second: get:2!
		producer 0.0: put`},
	{"a get begins and hangs up, and a put", 1, false, `
		getter 0.0 one: get:0 give-up
		producer 0.0: put
		one-hand 1`},
	{"a get that takes, one that looks, a consumer, and a put", 1, true, `
		getter 0.0 taker: get:0! give-up
		getter 0.0 looker: look:0
		consumer 0.0 f a: watch:1
		producer 0.0: put
		one-hand -1`},
}

// The first group and a view have the same worlds.
func TestEveryInterleavingWithTheQueueService(t *testing.T) {
	list := served
	for _, group := range []string{"f", "v"} {
		for _, c := range grouped {
			c.name, c.text = "group "+group+": "+c.name, strings.ReplaceAll(c.text, "$", group)
			list = append(list, c)
		}
	}
	exploreAll(t, append(list, removalsAndGets...), exploreMode{}, exploreMode{late: true},
		exploreMode{wide: 1, share: 1})
}
