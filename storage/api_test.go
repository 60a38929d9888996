package storage

// The stores and logs are what the rest of the program takes them for.
var (
	_ Store        = (*pebbleStore)(nil)
	_ Checkpointer = (*pebbleStore)(nil)
	_ Log          = (*pebbleLog)(nil)
	_ Store        = memoryStore{}
	_ Log          = memoryLog{}
)
