// Package storage is the log that a shard writes.
package storage
