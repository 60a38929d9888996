package house

// rooms are the packages whose files have layers (H13): from the lowest up, with the
// references that may go up and their reasons.
var rooms = []room{
	{"shard/queue", []layer{
		{"queue", []string{"[^i]*.go", "index.go"}}, // above it: items_….go
	}, map[string]string{
		"* items_hooks.go":     "what the queue tells those who have items, if a tube or a client has any",
		"* items":              "the state of items is a part of the state of a shard",
		"* newItems":           "as before",
		"* service":            "a tube's items; nil for most tubes",
		"* consumer":           "whose client it is; nil for most clients",
		"* row":                "a consumer's deadlines, beside those in its client's heap",
		"* Ask":                "an operation of the queue service has more to say",
		"* Tags":               "a put by the queue service has tags",
		"* Tags.pairs":         "sieves are found by pairs of tags",
		"* Tags.marks":         "and most of them need no second look",
		"* State.setTags":      "as before",
		"* State.applyService": "the operations of the queue service",
		"* State.describeItem": "a job's record in the log has what items add to it",
		"* State.describeDone": "as before",
		"* State.restoreItem":  "as before",
		"* recordItem":         "what a put has taken is recorded beside that",
		"* State.dropItem":     "as before",
		"* State.unlogQueue":   "the record of a queue ends with its tube",
		"* pushed":             "a figure for the metrics",
		"* rebalanced":         "as before",
	}},
	{"conn/beanstalk", []layer{
		{"what there is", []string{"options.go", "commands.go", "conn.go", "loop.go", "server.go", "door.go", "timers.go", "run.go",
			"incoming.go", "skipper.go", "guard.go", "debts.go", "figures.go", "borrowed.go"}},
		{"sockets", []string{"tls.go", "send.go"}},
		{"answers, waits and rights", []string{"slow.go", "refused.go", "auditing.go", "listing.go", "serverstats.go", "submit.go", "rules.go", "wait.go", "room.go"}},
		{"what commands do", []string{"exec.go", "reserve.go", "put.go", "whole.go", "severalids.go", "policies.go", "putbatch.go", "login.go", "recall.go", "skip.go", "http.go"}},
		{"turns of connections and loops", []string{"turn.go", "serve.go", "pay.go", "clients.go", "recheck.go"}},
	}, map[string]string{
		"conn.go Conn.begun":    "the time of a call is taken where it begins",
		"conn.go Conn.timeCall": "and where it ends",
	}},
	{"storage/pebblestore", []layer{
		{"errors and options", []string{"errors.go", "options.go"}},
	}, nil},
	{"storage/pebblestore/database", []layer{
		{"files that are read and written", []string{"errors.go", "frozen.go", "checkedtable.go", "tablefile.go", "progress.go"}},
		{"what becomes of errors", []string{"fault.go", "progressfile.go", "scheduler.go"}},
		{"what Pebble is given", []string{"reporter.go", "strict.go"}},
	}, nil},
	{"storage/pebblestore/contents", []layer{
		{"single values", []string{"read.go", "relay.go"}},
	}, nil},
	{"storage/pebblestore/repair", []layer{
		{"what is known", []string{"witness.go", "ids.go", "doubts.go"}},
	}, nil},
	{"storage/pebblestore/format", []layer{
		{"keys and fields", []string{"keys.go", "fields.go"}},
		{"items and manifests", []string{"terms.go", "item.go", "manifest.go"}},
		{"records", []string{"record.go"}},
		{"queues and places", []string{"queue.go", "place.go"}},
	}, nil},
	{"conn/queueservice", []layer{
		{"on the wire", []string{"frames.go", "protobuf.go", "json.go"}},
		{"words", []string{"options.go", "query.go", "failure.go"}},
		{"what is to be sent", []string{"socket.go", "outbox.go", "direct.go"}},
		{"server, requests and consumers", []string{"server.go", "refusals.go", "request.go", "accept.go", "operation.go", "visit.go",
			"consumer.go", "input.go", "jsonmessage.go", "writer.go", "guard.go"}},
		{"operations", []string{"put.go", "batch.go", "form.go", "operations.go", "attributes.go", "get.go", "watch.go"}},
	}, map[string]string{
		"request.go request.operation": "a request looks itself up in the table of operations",
	}},
	{"conn/admin/console", []layer{
		{"answers", []string{"answer.go", "table.go"}},
		{"what all pages share", []string{"kept.go", "census.go", "roster.go", "client.go", "machine.go", "console.go"}},
		{"rights", []string{"action.go", "rights.go"}},
		{"pages", []string{"kick.go", "many.go", "latency.go", "history.go", "slow.go", "policies.go", "connections.go", "jobs.go", "tube*.go", "overview.go"}},
	}, nil},
	{"cmd/beanfield", []layer{
		{"values", []string{"exit.go", "mistake.go", "lines.go", "address.go", "user.go", "garbage.go"}},
		{"configuration", []string{"config.go", "flags.go", "value.go", "setting.go", "permissions.go", "tls.go", "http.go",
			"queue.go", "tube.go", "policyset.go", "schedule.go", "access.go", "storage.go", "cluster.go", "clustercheck.go", "doubt.go", "file.go", "log.go", "check.go"}},
	}, map[string]string{
		"check.go version": "the linker sets it in package main",
	}},
}
