package house

// rooms are the packages whose files have layers (H13): from the lowest up, with the
// references that may go up and their reasons.
var rooms = []room{
	{"shard/queue", []layer{
		{"words", []string{"name.go", "tags.go"}},
	}, nil},
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
