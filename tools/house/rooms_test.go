package house

// rooms are the packages whose files have layers (H13): from the lowest up, with the
// references that may go up and their reasons.
var rooms = []room{
	{"shard/queue", []layer{
		{"cells", []string{"slab.go", "slots.go", "pages.go", "heap.go", "line.go"}},
	}, nil},
	{"conn/beanstalk", []layer{
		{"sockets", []string{"poller.go", "parking.go"}},
	}, nil},
	{"storage/pebblestore", []layer{
		{"format", []string{"record.go", "place.go", "errors.go"}},
	}, map[string]string{
		"record.go appendItem":  "the attributes of an item have a file of their own, with those that log them",
		"record.go appendMoved": "as before",
		"record.go changedItem": "as before",
		"record.go tagsOf":      "as before",
		"record.go fields.item": "as before",
		"record.go setItem":     "as before",
		"record.go appendText":  "as before",
		"record.go fields.text": "as before",
	}},
}
