package main

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"beanfield/tools/clients/checks"
)

// parts are those of the scenario.
var parts = []struct {
	name string
	play func(*client)
}{
	{"attributes", attributes}, {"addresses", addresses}, {"puts", puts}, {"gets", gets}, {"waiting", waiting}, {"truncate", truncate},
	{"windows", windows}, {"orders", orders}, {"commits", commits}, {"starts", starts}, {"filters", filters}, {"stream", stream},
	{"takeover", takeover}, {"leaving", leaving}, {"negatives", negatives}, {"farewell", farewell}, {"twice", deadLetters}, {"idle", idle},
	{"rears-limited", rears}, {"ending", ending},
	{"groups", groups}, {"groups-twice", groupLetters}, {"groups-idle", groupIdle},
	{"producer", producer}, {"worker", reserving}, {"both", both}, {"kicks", kicks},
}

// attributes looks at a queue that is not there, in both encodings.
func attributes(x *client) {
	all := x.attributes()
	for key, want := range map[string]string{
		"meta.name": x.queue, "meta.state": "OK", "meta.backend": "memory", "meta.maxPayloadBytes": "65536", "stream.length": "0",
		"consumers.stats.total": "0", "consumers.status.total": "0",
	} {
		x.Equal(key, all[key], want)
	}
	_, there := all["stream.lastEntry"]
	x.That("no last entry", !there, all)
	for _, accept := range []string{"", "*/*", "application/json"} {
		r := x.send("GET", x.path()+"?_attrs_=true", "", "Accept", accept)
		var texts map[string]string
		must(json.Unmarshal([]byte(r.body), &texts))
		x.Equal("as JSON", texts, all)
		x.Equal("type", r.header.Get("Content-Type"), "application/json")
	}
	x.Equal("type", x.ask("GET", "_attrs_=true", "").header.Get("Content-Type"), typeProtobuf)
	w := x.worker()
	w.say("use default")
	w.say("watch default")
	w.say("ignore " + x.queue)
	x.Equal("no tube is made", w.say("stats-tube "+x.queue), "NOT_FOUND")
}

// addresses checks who is let in, and what paths mean.
func addresses(x *client) {
	for _, wrong := range []string{"", "secre", "secret2", "Bearer secret"} {
		r := x.ask("GET", "_attrs_=true", "", "Authorization", wrong)
		x.That("a wrong token", r.status == 401 && r.body != "", r)
	}
	x.Equal("another token", x.ask("GET", "_attrs_=true", "", "Authorization", "another").status, 200)
	stranger := *x
	stranger.headers = x.headers.Clone()
	stranger.headers.Set("Authorization", "wrong")
	_, err := stranger.dial(plainWatch + "&_window_=1")
	x.That("a watch with a wrong token", err != nil, err)
	for path, want := range map[string]string{
		"/": "plain", "/sink": "plain/sink", "/sink/more": "plain/sink", "/a/b": "plain",
		x.path() + "/sink": x.queue + "/sink", x.path() + "/a/b": x.queue, "/api/predict/g." + x.queue: "g." + x.queue,
	} {
		var all map[string]string
		must(json.Unmarshal([]byte(x.send("GET", path+"?_attrs_=true", "").needs(200).body), &all))
		x.Equal("the queue of "+path, all["meta.name"], want)
	}
	x.Equal("a method", x.ask("PATCH", "", "").status, 405)
	x.Equal("a name that no tube can have", x.send("GET", "/api/predict/a%20b?_attrs_=true", "").status, 400)
	for _, query := range []string{"_index_=x", "_length_=x", "_timeout_=x", "_auto_delete_=x", "_watch_=true&_window_=x", "a=%ff", "a=%zz"} {
		r := x.ask("GET", query, "")
		x.That(query, r.status == 400 && r.body != "", r.status)
	}
}

// puts adds items of many kinds and reads them back.
func puts(x *client) {
	var every strings.Builder
	for b := range 256 {
		every.WriteByte(byte(b))
	}
	var last uint64
	for what, body := range map[string]string{
		"empty": "", "bytes": every.String(), "form": "_index_=7&a=b", "largest": strings.Repeat("x", 64<<10), "middle": strings.Repeat("y", 5000),
	} {
		r := x.ask("POST", "kind="+what+"&task+id=%C3%A4+%26&_x_=1", body, "Content-Type", "application/x-www-form-urlencoded").needs(200)
		var index uint64
		_, err := fmt.Sscan(r.body, &index)
		must(err)
		x.Equal("the bare index", r.body, index)
		x.That("indexes grow", index > last, index)
		last = index
		list := x.get(fmt.Sprint("_index_=", index, "&_length_=1&_timeout_=0s&_raw_=false&_auto_delete_=false"))
		x.Equal("found", len(list), 1)
		x.Equal("index", list[0].index, index)
		x.That(what+": body", list[0].data == body, len(list[0].data))
		id := r.header.Get("X-Eas-Queueservice-Request-Id")
		x.Equal("length of the request id", len(id), 36)
		x.Equal("tags", list[0].tags, map[string]string{"kind": what, "task id": "ä &", "requestId": id})
	}
	x.Equal("length", x.length(), 5)
	x.Equal("too large", x.ask("POST", "", strings.Repeat("x", 64<<10+1)).status, 413)
	x.Equal("tags that are too large", x.ask("POST", "a="+strings.Repeat("v", 5000), "").status, 400)
	r := x.ask("POST", "requestId=mine", "own").needs(200)
	x.Equal("own request id", r.header.Get("X-Eas-Queueservice-Request-Id"), "mine")
	list := x.get("requestId=mine&_index_=0&_length_=1&_timeout_=0s&_raw_=false&_auto_delete_=true")
	x.Equal("by its request id", fmt.Sprint(len(list), " ", list[0].data), "1 own")
	x.send("POST", x.path()+"/api_prompt?task_id=1", "suffix", "Accept", typeProtobuf).needs(200)
	x.put("urgent", "_priority_=1")
	x.put("urgent", "", x.priorityHeader, "1")
	for query, want := range map[string]int{"": 8, "&task_id=1": 1, "&kind=form": 1, "&kind=none": 0, "&_priority_=1": 2, "&_priority_=0": 6} {
		x.Equal("count"+query, x.ask("GET", "_count_=true"+query, "").body, want)
	}
	x.clear()
	x.Equal("batch", x.ask("POST", "_batch_=true", `{"data":"a"}`+"\n"+`{"data64":"/w==","tags":{"k":"v"},"priority":1}`, "Content-Type", "application/x-ndjson").needs(200).status, 200)
	list = x.get("_length_=5&_auto_delete_=true")
	x.Equal("of the batch", fmt.Sprintf("%d %q %q %s", len(list), list[0].data, list[1].data, list[1].tags["k"]), `2 "a" "\xff" v`)
}

// gets reads by index, by tags, newest first, and with and without taking.
func gets(x *client) {
	var at []uint64
	for i := range 6 {
		at = append(at, x.put(fmt.Sprint("body", i), fmt.Sprintf("odd=%t&n=%d", i%2 == 1, i)))
	}
	bodies := func(query string) (text string) {
		for _, it := range x.get(query) {
			text += it.data[4:]
		}
		return text
	}
	const keep = "&_raw_=false&_auto_delete_=false"
	for query, want := range map[string]string{
		"_index_=0" + keep: "0", "_index_=0&_length_=3" + keep: "012", "_index_=0&_length_=99" + keep: "012345",
		fmt.Sprint("_index_=", at[2], "&_length_=2", keep): "23", fmt.Sprint("_index_=", at[5]+1, keep): "",
		"_index_=-1" + keep: "5", "_index_=18446744073709551615" + keep: "5",
		"_length_=9&odd=true" + keep: "135", "_length_=9&odd=true&n=3" + keep: "3", "n=9" + keep: "",
		"_length_=9&_timeout_=0&odd=false" + keep: "024",
	} {
		x.Equal(query, bodies(query), want)
	}
	x.Equal("nothing is taken", x.length(), 6)
	x.Equal("taken by index", bodies(fmt.Sprint("_index_=", at[1], "&_raw_=false&_auto_delete_=true")), "1")
	x.Equal("taken by tag", bodies("n=4"), "4")
	x.Equal("taken from the head", bodies("_length_=2"), "02")
	raw := x.send("GET", x.path()+"?_auto_delete_=false", "")
	x.Equal("raw", raw.body, "body3")
	encapsulated := x.send("GET", x.path()+"?_raw_=false&_auto_delete_=false", "")
	var list []struct {
		Index uint64
		Data  []byte
		Tags  map[string]string
	}
	must(json.Unmarshal([]byte(encapsulated.body), &list))
	x.Equal("as JSON", fmt.Sprintf("%d %s %s", list[0].Index, list[0].Data, list[0].Tags["n"]), fmt.Sprint(at[3], " body3 3"))
	x.delete(at[3], at[0], 0)
	x.Equal("left", bodies("_length_=9"), "5")
	x.Equal("nothing left", x.ask("GET", "", "").status, 204)
	x.Equal("length", x.length(), 0)
}

// waiting gets are answered when there is something, or a little before their time.
func waiting(x *client) {
	for timeout, low := range map[string]time.Duration{"0s": 0, "0": 0, "1s": 800 * time.Millisecond, "0.5s": 400 * time.Millisecond, "1": 800 * time.Millisecond} {
		start := time.Now()
		x.Equal("nothing", len(x.get("_index_=0&_length_=1&_timeout_="+timeout)), 0)
		x.Within("timeout "+timeout, start, low, low+900*time.Millisecond)
	}
	type found struct {
		list []item
		took time.Duration
	}
	for query, put := range map[string]string{"requestId=r1": "requestId=r1", "a=b": "a=b&c=d", "_length_=1": ""} {
		answer := make(chan found)
		start := time.Now()
		go func() {
			list := x.get(query + "&_timeout_=1m0s&_raw_=false&_auto_delete_=true")
			answer <- found{list, time.Since(start)}
		}()
		if query != "_length_=1" {
			x.delete(x.put("not this", "requestId=r2&a=c"))
		}
		x.put("this", put)
		got := <-answer
		x.Equal(query, fmt.Sprint(len(got.list), " ", got.list[0].data), "1 this")
		x.That("at once", got.took < checks.Patience, got.took)
	}
	x.Equal("length", x.length(), 0)
}

// truncate ends what comes before an index, pending or not.
func truncate(x *client) {
	var at []uint64
	for i := range 5 {
		at = append(at, x.put(fmt.Sprint(i), ""))
	}
	w := x.watch("2")
	w.wants("before", at[0], at[1])
	x.truncate(at[3])
	w.wants("its slots are free again", at[3], at[4])
	all := x.attributes()
	x.Equal("length", all["stream.length"], 2)
	x.Equal("first", all["stream.firstEntry"], at[3])
	x.Equal("last", all["stream.lastEntry"], at[4])
	x.Equal("pending", x.pending(), 2)
	x.clear()
	x.until("pending", 0, x.pending)
	search := x.ask("GET", fmt.Sprint("_search_=true&_index_=", at[4]), "")
	x.Equal("search", fmt.Sprint(search.status, " ", search.body), "404 no data in stream")
}
