package queue

import "fmt"

// tags picks tags of an item, or those that somebody asks for; mostly none.
func (x *machine) tags(some int) []string {
	if x.pick(some+1, "tags") > some/2 {
		return nil
	}
	return choose(x, "which", []string{"k=v"}, []string{"requestId=r"}, []string{"requestId=s"},
		[]string{"k=v", "requestId=r"})
}

// index picks where to begin; mostly at the head.
func (x *machine) index(some int) uint64 {
	switch x.pick(2*some, "where") {
	case 0:
		return NewestIndex
	case 1:
		return uint64(x.pick(int(x.w.dir.Last)+2, "from"))
	}
	return 0
}

// machineGets is how many gets may wait.
const machineGets = 6

// getter is one of the gets that do not wait, or nil.
func (x *machine) getter() *caller {
	c := x.w.caller(fmt.Sprint(x.pick(machineGets, "get")))
	for _, g := range x.m.Gets {
		if g.Name == c.name {
			return nil
		}
	}
	return c
}

// find looks for items, and may wait for them.
func (x *machine) find() {
	a := Ask{
		What: AskGet, Queue: choose(x, "queue", "default", "one", "two", "one;rear"), Length: 1 + x.pick(3, "length"),
		Take: x.pick(2, "take") == 0, Index: x.index(3),
	}
	if x.pick(2, "any") == 0 {
		x.words = x.tags(2)
	}
	if c := x.getter(); c != nil && x.pick(3, "wait") > 0 {
		a.Wait, a.Getter = true, c
	}
	x.say(x.consumer(), a, Op{}, "")
}

// findAgain lets a get that was called try again, or one that waits give up.
func (x *machine) findAgain() {
	all := x.m.Gets
	if len(all) == 0 {
		return
	}
	g := *choose(x, "get", all...)
	if g.Called == 0 && x.pick(3, "patience") > 0 {
		return
	}
	a := Ask{What: AskUnget, Queue: g.Queue, Getter: x.w.caller(g.Name)}
	if g.Called != 0 && x.pick(2, "gives up") > 0 {
		a = Ask{What: AskGet, Queue: g.Queue, Index: g.From, Take: g.Take, Length: 1, Wait: true, Getter: a.Getter}
		if x.words = g.Tags; x.pick(4, "another wish") == 0 {
			x.words = x.tags(2)
		}
	}
	x.say(x.consumer(), a, Op{}, "")
}

// endSome deletes an item, or truncates.
func (x *machine) endSome() {
	a := Ask{What: AskDelete, Queue: choose(x, "queue", "default", "one", "two", "one;rear")}
	if first := x.id(); x.pick(2, "how") == 0 {
		a.Indexes = []uint64{first, first + 1}
	} else {
		a.What, a.Index = AskTruncate, first
	}
	x.say(x.consumer(), a, Op{}, "")
}
