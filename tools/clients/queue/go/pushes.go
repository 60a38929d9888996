package main

import (
	"fmt"
	"strings"
)

// fill puts items with the numbers from 0 as bodies.
func (x *client) fill(n int, query string) (indexes []uint64) {
	for i := range n {
		indexes = append(indexes, x.put(fmt.Sprint(i), query))
	}
	return indexes
}

// windows: no more is pushed than the window takes.
func windows(x *client) {
	at := x.fill(8, "k=v")
	w := x.watch("5")
	for i := range 5 {
		it := w.next()
		x.Equal("index", it.index, at[i])
		x.Equal("body", it.data, i)
		x.Equal("tag", it.tags["k"], "v")
		x.Equal("length of the request id", len(it.tags["requestId"]), 36)
	}
	w.quiet("a full window")
	line := x.consumer()
	for key, want := range map[string]string{
		"Index": fmt.Sprint(at[4]), "Pending": "5", "Status": "Running", "Window": "5", "Slots": "0", "AutoCommit": "false",
	} {
		x.Equal(key, line[key], want)
	}
	x.commit(at[1])
	w.wants("a slot", at[5])
	w.quiet("a full window")
	x.commit(at[0], at[2], at[3], at[4], at[5])
	w.wants("two slots", at[6], at[7])
	x.Equal("length", x.length(), 2)
	x.commit(at[6], at[7])
	x.Equal("length", x.length(), 0)
	id := x.put("later", "")
	w.wants("what comes later", id)
	x.commit(id)
	large := x.put(strings.Repeat("z", 64<<10), "")
	x.Equal("a large one in one frame", len(w.wants("a large one", large).data), 64<<10)
	x.commit(large)
	x.until("slots", 5, func() any { return x.consumer()["Slots"] })
	group := x.listed("groups", firstGroup)
	x.Equal("group", fmt.Sprint(group["Pending"], group["Delivered"], group["Consumers"]), "0101")
}

// orders: higher priorities come first, and first come first in each.
func orders(x *client) {
	normal := x.fill(2, "")
	high := x.fill(2, "_priority_=1")
	higher := x.fill(2, "_priority_=7")
	w := x.watch("3")
	w.wants("most urgent", higher[0], higher[1], high[0])
	x.commit(higher...)
	w.wants("then", high[1], normal[0])
	urgent := x.put("", "_priority_=9")
	x.commit(high[0])
	w.wants("an urgent one overtakes", urgent)
	x.commit(high[1])
	w.wants("at last", normal[1])
	x.clear()
}

// commits that change nothing, automatic ones, items without bodies.
func commits(x *client) {
	for _, indexes := range []string{"", "0", "18446744073709551615", "123456789", "0,,7"} {
		x.done("commit of "+indexes, x.ask("PUT", "_indexes_="+indexes, ""))
		x.done("negative of "+indexes, x.ask("PUT", "_negative_=true&_indexes_="+indexes, ""))
		x.done("delete of "+indexes, x.ask("DELETE", "_indexes_="+indexes, ""))
	}
	x.Equal("commit of nonsense", x.ask("PUT", "_indexes_=1,x", "").status, 400)
	at := x.fill(20, "")
	w, err := x.dial("_watch_=true&_auto_commit_=true&_index_=0&_window_=2&_index_only_=false")
	must(err)
	w.wants("automatic", at...)
	x.until("length", 0, func() any { return x.length() })
	line := x.consumer()
	x.Equal("as shown", fmt.Sprint(line["AutoCommit"], line["Window"], line["Slots"]), "true00")
	w.cut()
	x.until("status", "Complete", func() any { return x.consumer()["Status"] })

	tagged := x.put("unseen", "k=v")
	w, err = x.dial("_watch_=true&_index_only_=true&_window_=2")
	must(err)
	it := w.wants("index only", tagged)
	x.Equal("without its body", it.data, "")
	x.Equal("with its tags", it.tags["k"], "v")
	body := x.get(fmt.Sprint("_raw_=false&_auto_delete_=false&_index_=", tagged))
	x.Equal("its body", body[0].data, "unseen")
	x.commit(tagged)
	x.Equal("length", x.length(), 0)
}

// starts: a watch may begin at any index, or with what is new.
func starts(x *client) {
	at := x.fill(4, "")
	for _, newest := range []string{"-1", "18446744073709551615"} {
		w, err := x.dial("_watch_=true&_window_=9&_index_=" + newest)
		must(err)
		w.quiet("old items")
		id := x.put("new", "")
		w.wants("new ones", id)
		x.commit(id)
		w.cut()
	}
	w, err := x.dial(fmt.Sprint("_watch_=true&_window_=9&_index_=", at[2]))
	must(err)
	w.wants("from an index", at[2], at[3])
	w.quiet("items before it")
	w.cut()
	w = x.watch("9")
	// Pending ones first.
	w.wants("the rest", at[2], at[3], at[0], at[1])
	x.clear()
}

// filters: a consumer with tags gets only what has them all.
func filters(x *client) {
	odd := x.fill(2, "odd=true&k=v")
	even := x.fill(2, "odd=false&k=v")
	w := x.watch("5&odd=true&k=v")
	w.wants("with its tags", odd...)
	later := x.put("", "k=v&odd=true&more=1")
	w.wants("later", later)
	w.quiet("others")
	x.Equal("as shown", x.consumer()["Tags"], "tags[k=v odd=true]")
	all := x.another("u2").watch("9")
	all.wants("without tags", even...)
	x.clear()
}

// stream is the watch over plain HTTP.
func stream(x *client) {
	w := x.stream("2")
	at := x.fill(3, "k=v")
	it := w.wants("over HTTP", at[0], at[1])
	x.Equal("body", it.data, 1)
	x.Equal("tag", it.tags["k"], "v")
	w.quiet("a full window")
	x.commit(at[0], at[1])
	w.wants("a slot", at[2])
	socket := x.watch("2")
	w.ends("another connection takes over")
	socket.wants("pending", at[2])
	x.commit(at[2])
	rear := x.rear()
	w = rear.stream("5")
	id := rear.put("in the rear", "")
	w.wants("the rear queue", id)
	socket.quiet("the rear queue's item")
	rear.commit(id)
	x.Equal("length of the rear queue", rear.length(), 0)
}
