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
		"* State.setTags":      "as before",
		"* State.applyService": "the operations of the queue service",
		"* State.describeItem": "a job's record in the log has what items add to it",
		"* State.describeDone": "as before",
		"* State.restoreItem":  "as before",
		"* State.dropItem":     "as before",
		"* State.unlogQueue":   "the record of a queue ends with its tube",
		"* pushed":             "a figure for the metrics",
		"* rebalanced":         "as before",
	}},
	{"conn/beanstalk", []layer{
		{"options", []string{"options.go"}},
	}, nil},
	{"storage/pebblestore", []layer{
		{"errors", []string{"errors.go"}},
	}, nil},
	{"storage/pebblestore/format", []layer{
		{"keys and fields", []string{"keys.go", "fields.go"}},
		{"items and manifests", []string{"item.go", "manifest.go"}},
		{"records", []string{"record.go"}},
		{"queues and places", []string{"queue.go", "place.go"}},
	}, nil},
}
