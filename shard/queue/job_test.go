package queue

import (
	"testing"

	"beanfield/shard/queue/cells"
)

func TestKeys(t *testing.T) {
	ids := []uint64{1, 2, 1<<32 - 1, 1 << 32, 1<<32 + 1, 1<<53 - 1}
	pris := []uint32{0, 1, 1023, 1024, 1<<32 - 1}
	var keys []cells.Entry
	for _, pri := range pris {
		for _, id := range ids {
			keys = append(keys, readyKey(pri, id, 0))
		}
	}
	for i := range keys {
		for k := range keys {
			if keys[i].Before(keys[k]) != (i < k) {
				t.Errorf("keys %d and %d are in the wrong order", i, k)
			}
		}
	}
}
