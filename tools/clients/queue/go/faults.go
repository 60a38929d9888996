package main

import (
	"encoding/json"
	"fmt"
)

// takeover: a new connection of the same consumer gets what was pending, at once.
func takeover(x *client) {
	at := x.fill(7, "")
	w := x.watch("5")
	w.wants("first", at[:5]...)
	x.commit(at[1])
	w.wants("a slot", at[5])
	w.cut()
	w = x.watch("5")
	w.wants("pending again", at[0], at[2], at[3], at[4], at[5])
	w.quiet("a full window")
	again := x.watch("5") // while the old one lives
	w.ends("the old connection")
	again.wants("pending again", at[0], at[2], at[3], at[4], at[5])
	x.commit(at[0], at[2], at[3], at[4], at[5])
	again.wants("the rest", at[6])
	x.Equal("consumers", x.attributes()["consumers.stats.total"], 1)
	x.commit(at[6])
	x.Equal("length", x.length(), 0)
	again.cut()
	x.until("status", "Complete", func() any { return x.consumer()["Status"] })
}

// found is the answer of search.
type found struct {
	ConsumerId   string
	IsPending    bool
	WaitCount    int
	Deliveries   int
	Code, Reason string
}

func (x *client) search(index uint64) (f found) {
	must(json.Unmarshal([]byte(x.ask("GET", fmt.Sprint("_search_=true&_index_=", index), "").needs(200).body), &f))
	return f
}

// negatives: what one cannot process another gets.
func negatives(x *client) {
	at := x.fill(2, "")
	x.Equal("waits", fmt.Sprint(x.search(at[1])), fmt.Sprint(found{WaitCount: 1}))
	w := x.watch("2")
	w.wants("first", at...)
	x.Equal("pending", fmt.Sprint(x.search(at[1])), fmt.Sprint(found{ConsumerId: "eas.u1", IsPending: true,
		Deliveries: 1}))
	y := x.another("u2")
	other := y.watch("1")
	x.negative("_code_=Busy&_reason_=no+room+%26+no+time", at[1])
	other.wants("refused", at[1])
	x.Equal("by another", fmt.Sprint(y.search(at[1])),
		fmt.Sprint(found{ConsumerId: "eas.u2", IsPending: true, Deliveries: 2, Code: "Busy",
			Reason: "no room & no time"}))
	w.quiet("what it refused")
	more := x.put("", "")
	w.wants("it is still sent others", more)
	y.commit(at[1])
	x.commit(at[0], more)
	x.Equal("length", x.length(), 0)
}
