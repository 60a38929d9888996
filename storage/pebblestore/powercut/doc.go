// Package powercut is a disk in memory whose power can fail, for tests of what is built on storage.
// It is below pebblestore because it uses Pebble's file system.
package powercut
