package queue

import (
	"testing"

	"beanfield/shard/queue/queuetest"
)

// Delivery batches that come back are used again, as far as they take little memory together.
func TestSpareBatches(t *testing.T) {
	s := NewState(Config{Directory: queuetest.Deaf{}})
	for range 100 {
		s.spare(&DeliveryBatch{Bytes: make([]byte, 30<<10)})
		s.spare(&DeliveryBatch{Bytes: make([]byte, spareMost)})
	}
	kept := len(s.spares)
	if s.spareBytes > sparesMost || kept < 60 || kept > 70 {
		t.Errorf("%d batches of %d bytes are kept", kept, s.spareBytes)
	}
	for range kept {
		if p := s.newDeliveryBatch(); cap(p.Bytes) != 30<<10 {
			t.Errorf("a batch of %d bytes", cap(p.Bytes))
		}
	}
	if p := s.newDeliveryBatch(); p.Bytes != nil || s.spareBytes != 0 {
		t.Errorf("%d bytes are kept of none", s.spareBytes)
	}
}
