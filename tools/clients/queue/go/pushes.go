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
		"Index": fmt.Sprint(at[4]), "Pending": "5", "Status": "Running", "Window": "5", "Slots": "0",
		"AutoCommit": "false",
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
