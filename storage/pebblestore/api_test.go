package pebblestore

import "beanfield/storage"

// The store and its logs are what the rest of the program takes them for.
var (
	_ storage.Store        = (*store)(nil)
	_ storage.Checkpointer = (*store)(nil)
	_ storage.Log          = (*shardLog)(nil)
	_ storage.Pusher       = (*shardLog)(nil)
)
