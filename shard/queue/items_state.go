package queue

import (
	"beanfield/shard/queue/cells"
	"beanfield/storage"
)

// items is what a State has for the queue service.
type items struct {
	added      cells.Slab[item] // to jobs
	numbered   uint32           // consumers
	pushed     uint64           // items sent to consumers
	rebalanced uint64           // jobs given to others because a consumer has not dealt with them
	recordItem storage.Item     // scratch for the log

	spares     []*DeliveryBatch // to be used again
	spareBytes int              // their footprints

	withRoom cells.Ring[*consumer] // consumers that may have got room, by turns
	leaving  cells.Timeline        // consumers without a connection, by when their items go to others
	departed cells.List[*consumer] // those that are only remembered
	shownFor int64                 // Limits.Forget: how long they are
	ending   []*service            // queues that have ended, and of which a group may be over
	parting  []*group              // whose consumers are to be told that it is over

	views     cells.Pages[*view]
	freeViews []uint32
	pendings  cells.Slab[pending] // what views have sent
	idling    cells.Timeline      // views by when what they have sent is to be taken back

	// Called lists the gets that were called since the caller last emptied it; they may be
	// told to try again when the log has what they are to see.
	Called []Getter
	// Deliveries is what was pushed to consumers since TakeDeliveries was called; it may be
	// sent when the log has what it shows.
	Deliveries []*DeliveryBatch
}

func newItems() items {
	return items{added: cells.NewSlab[item](), pendings: cells.NewSlab[pending]()}
}
