// Package powercut is a disk in memory whose power can fail, for tests of what
// is built on storage. It stands here because Pebble, whose file system this
// is, is imported by pebblestore alone.
package powercut
