package router

import (
	"testing"

	"beanfield/shard/queue"

	"pgregory.net/rapid"
)

// A queue and its rear queue are on the same shard, whatever the name.
func TestARearQueueIsWithItsQueue(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.StringMatching(`[a-z;/]{0,6}(;rear){0,2}`).Draw(t, "name")
		n := rapid.IntRange(1, MaxShards).Draw(t, "shards")
		r := &Router{shards: make([]runner, n)}
		at := ShardOf(name, n)
		if rear := ShardOf(name+queue.RearSuffix, n); rear != at {
			t.Errorf("%q is on shard %d of %d, its rear queue on shard %d", name, at, n, rear)
		}
		if asBytes := r.TubeShard([]byte(name)); asBytes != at {
			t.Errorf("%q is on shard %d of %d, and on shard %d", name, at, n, asBytes)
		}
	})
}

// The shards are those that data directories were written with: whoever changes the rule
// must give it another number. The hashes are XXH64's as its authors publish them.
func TestTheRuleOfShards(t *testing.T) {
	for tube, hash := range map[string]uint64{
		";rear": 0xef46db3751d8e999, "a": 0xd24ec4f1a98c6e5b, "a;rear": 0xd24ec4f1a98c6e5b,
		"abc": 0x44bc2cf5ad770999, "abc;rear;rear": 0x44bc2cf5ad770999,
	} {
		for n := 1; n <= MaxShards; n++ {
			if got := ShardOf(tube, n); uint64(got) != hash%uint64(n) {
				t.Errorf("%q is on shard %d of %d", tube, got, n)
			}
		}
	}
}
