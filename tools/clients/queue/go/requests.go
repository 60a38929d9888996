package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"strings"
)

// parts are those of the scenario.
var parts = []struct {
	name string
	play func(*client)
}{
	{"attributes", attributes}, {"puts", puts}, {"windows", windows}, {"commits", commits}, {"stream", stream},
}

// backend is where the server keeps its jobs: a cluster does so on disk.
func backend() string { return cmp.Or(os.Getenv("BACKEND"), "memory") }

// attributes looks at a queue that is not there, in both encodings.
func attributes(x *client) {
	all := x.attributes()
	for key, want := range map[string]string{
		"meta.name": x.queue, "meta.state": "OK", "meta.backend": backend(), "meta.maxPayloadBytes": "65536",
		"stream.length":         "0",
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
}

// puts adds items of many kinds and reads them back.
func puts(x *client) {
	var every strings.Builder
	for b := range 256 {
		every.WriteByte(byte(b))
	}
	var last uint64
	for what, body := range map[string]string{
		"empty": "", "bytes": every.String(), "form": "_index_=7&a=b", "largest": strings.Repeat("x", 64<<10),
		"middle": strings.Repeat("y", 5000),
	} {
		r := x.ask("POST", "kind="+what+"&task+id=%C3%A4+%26&_x_=1", body, "Content-Type",
			"application/x-www-form-urlencoded").needs(200)
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
	for query, want := range map[string]int{"": 8, "&task_id=1": 1, "&kind=form": 1, "&kind=none": 0,
		"&_priority_=1": 2, "&_priority_=0": 6} {
		x.Equal("count"+query, x.ask("GET", "_count_=true"+query, "").body, want)
	}
	x.clear()
	x.Equal("batch", x.ask("POST", "_batch_=true", `{"data":"a"}`+"\n"+
		`{"data64":"/w==","tags":{"k":"v"},"priority":1}`, "Content-Type", "application/x-ndjson").needs(200).status,
		200)
	list = x.get("_length_=5&_auto_delete_=true")
	x.Equal("of the batch", fmt.Sprintf("%d %q %q %s", len(list), list[0].data, list[1].data, list[1].tags["k"]),
		`2 "a" "\xff" v`)
}
