package shard

import (
	"testing"
	"unsafe"
)

// No two shards share a cache line, and the words that strangers write share
// none with the owner's.
func TestShardsShareNoCacheLine(t *testing.T) {
	const line = 64
	var sh Shard
	if size := unsafe.Sizeof(sh); size != 4*line { // Go aligns 256 bytes to 256
		t.Errorf("a Shard has %d bytes", size)
	}
	if unsafe.Offsetof(sh.mail)/line == unsafe.Offsetof(sh.busy)/line ||
		unsafe.Offsetof(sh.now)/line == unsafe.Offsetof(sh.mail)/line {
		t.Error("the mailbox shares a line")
	}
}
