package main

import (
	"encoding/json"
	"fmt"
	"time"
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

// leaving: what a consumer had that does not come back others get.
func leaving(x *client) {
	at := x.fill(3, "")
	w := x.watch("2")
	w.wants("first", at[0], at[1])
	y := x.another("u2")
	other := y.watch("9")
	other.wants("the rest", at[2])
	other.quiet("what another has")
	start := time.Now()
	w.cut()
	x.until("status", "Leaving", func() any { return x.consumer()["Status"] })
	other.wants("what has been left", at[0], at[1])
	x.Within("after a while", start, 900*time.Millisecond, 4*time.Second)
	x.Equal("commit by the user that left", x.ask("PUT", fmt.Sprint("_indexes_=", at[0]), "").status, 200)
	y.commit(at...)
	x.Equal("length", x.length(), 0)
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
	x.Equal("pending", fmt.Sprint(x.search(at[1])), fmt.Sprint(found{ConsumerId: "eas.u1", IsPending: true, Deliveries: 1}))
	y := x.another("u2")
	other := y.watch("1")
	x.negative("_code_=Busy&_reason_=no+room+%26+no+time", at[1])
	other.wants("refused", at[1])
	x.Equal("by another", fmt.Sprint(y.search(at[1])),
		fmt.Sprint(found{ConsumerId: "eas.u2", IsPending: true, Deliveries: 2, Code: "Busy", Reason: "no room & no time"}))
	w.quiet("what it refused")
	more := x.put("", "")
	w.wants("it is still sent others", more)
	y.commit(at[1])
	x.commit(at[0], more)
	x.Equal("length", x.length(), 0)
}

// farewell: Shutdown ends pushes until the next watch.
func farewell(x *client) {
	w := x.watch("5")
	at := x.fill(2, "")
	w.wants("first", at...)
	x.negative("_code_=Shutdown&_reason_=going+away", at[1])
	last := x.put("", "")
	w.quiet("after the farewell")
	x.Equal("it keeps the others", x.pending(), 1)
	y := x.another("u2")
	other := y.watch("5")
	other.wants("others are sent them", at[1], last)
	y.commit(at[1], last)
	y.negative("_code_=Shutdown") // of nothing
	next := x.put("", "")
	other.quiet("after the farewell")
	w.cut()
	w = x.watch("5")
	w.wants("after a new watch", at[0], next)
	other.cut()
	x.clear()
}

// deadLetters: what is refused too often goes to the rear queue.
func deadLetters(x *client) {
	w := x.watch("5")
	id := x.put("poison", "k=v")
	w.wants("first", id)
	x.negative("_code_=Bad", id)
	w.wants("there is nobody else", id)
	x.negative("_code_=Worse&_reason_=why", id)
	w.quiet("a dead letter")
	rear := x.rear()
	x.Equal("lengths", fmt.Sprint(x.length(), rear.length()), "01")
	x.Equal("its last words", fmt.Sprint(rear.search(id).Code, rear.search(id).Reason), "Worsewhy")
	rw := rear.stream("1")
	it := rw.wants("in the rear queue", id)
	x.Equal("it is whole", fmt.Sprint(it.data, it.tags["k"]), "poisonv")
	rear.commit(id)
	x.Equal("lengths", fmt.Sprint(x.length(), rear.length()), "00")
}

// idle: what takes too long another gets.
func idle(x *client) {
	w := x.watch("5")
	id := x.put("", "")
	w.wants("first", id)
	start := time.Now()
	y := x.another("u2")
	other := y.watch("5")
	other.wants("after max_idle", id)
	x.Within("max_idle", start, 500*time.Millisecond, 4*time.Second)
	y.commit(id)
	x.Equal("length", x.length(), 0)
}

// rears: a queue and its rear queue share a limit, here of four.
func rears(x *client) {
	rear := x.rear()
	at := x.fill(3, "")
	id := rear.put("in the rear", "")
	for _, q := range []*client{x, rear} {
		r := q.ask("POST", "", "one too many")
		x.Equal("a full queue", fmt.Sprint(r.status, r.body), "429queue too long")
		x.Equal("its limit", q.attributes()["stream.approxMaxLength"], 4)
	}
	x.Equal("lengths", fmt.Sprint(x.length(), rear.length(), x.attributes()["stream.rearLength"]), "311")
	x.delete(at[0])
	rear.put("fits again", "")
	list := rear.get(fmt.Sprint("_auto_delete_=true&_raw_=false&_index_=", id))
	x.Equal("from the rear", list[0].data, "in the rear")
	x.Equal("count in the rear", rear.ask("GET", "_count_=true", "").body, 1)
	rear.clear()
	x.clear()
}

// ending: after the end nothing is put, what is there is delivered, and then the socket ends. Who
// connects again, as SDKs do for ever, stays.
func ending(x *client) {
	id := x.put("last", "")
	x.done("end", x.ask("POST", "_eos_=true", ""))
	x.Equal("put", x.ask("POST", "", "late").status, 410)
	x.Equal("state", x.attributes()["meta.state"], "End")
	w := x.watch("1")
	w.wants("what was there", id)
	x.commit(id)
	w.ends("the socket")
	again := x.watch("1")
	again.quiet("the socket of who was told stays")
	x.Equal("length", x.length(), 0)
	forced := newClient(x.section, x.queue+"-forced", "u1")
	forced.fill(3, "")
	x.done("end", forced.ask("POST", "_eos_=true&_force_=true", ""))
	forced.until("length", 0, func() any { return forced.length() })
}
