package router

import (
	"io"
	"log/slog"
	"testing"
	"time"

	"beanfield/shard/queue"
	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
	"beanfield/storage/pebblestore/powercut"
)

// policyLife is a router over a disk, that much later than its clock says, with one policy.
func policyLife(t *testing.T, disk *powercut.Disk, later time.Duration, p *queue.Policy) (*Router, *client) {
	t.Helper()
	store := pebblestore.New(pebblestore.Options{
		Dir: "data", FS: disk.FS(), Sync: storage.Always, CacheBytes: 1 << 20, MaxOpenFiles: 100, Ballast: -1, MinFree: -1,
		Logger: slog.New(slog.NewTextHandler(io.Discard, nil)),
	})
	r := must.Get(New(Options{Shards: 3, Store: restartCalendar{store, int64(later), func(int) {}}, PolicyFor: func(tube string) *queue.Policy {
		if tube != "mail" {
			return nil
		}
		return p
	}}))
	c := newClient(r, "mail")
	c.use("mail")
	return r, c
}

// tube is what there is of the tube.
func (c *client) tube(name string) queue.TubeInfo {
	c.run(c.r.TubeShard([]byte(name)), queue.Op{Kind: queue.StatsTube, Data: []byte(name)}, false)
	return c.batch.Tubes[0]
}

// A start applies the policies that hold then to what the disk has. Jobs that have got too old
// while no server ran end, for good; the last of them in later turns. What was counted of
// the others still is.
func TestPoliciesAfterARestart(t *testing.T) {
	const old = 5000
	disk := powercut.NewDisk()
	r, c := policyLife(t, disk, 0, &queue.Policy{MaxDeliveries: 2, DeadLetter: queue.FateBury})
	for range old {
		c.put(9, 60)
	}
	end := func() { c.Finish(c.Close()); must.Do(t, r.Close()) }
	end()

	r, c = policyLife(t, disk, 50*time.Minute, &queue.Policy{MaxDeliveries: 2, DeadLetter: queue.FateBury})
	id := c.put(1, 60)
	if got, _ := c.begin(true); got != id {
		t.Fatalf("got job %d, want %d", got, id)
	}
	end() // with the job: it comes back

	r, c = policyLife(t, disk, 70*time.Minute, &queue.Policy{MaxDeliveries: 2, DeadLetter: queue.FateBury, Expire: int64(time.Hour)})
	if got, _ := c.begin(true); got != id {
		t.Fatalf("got job %d, want %d", got, id)
	}
	if op := c.run(c.WatchShard(), queue.Op{Kind: queue.Release, ID: id, Pri: 1}, true); op.Status != queue.OK {
		t.Fatalf("release: %v", op.Status)
	}
	if n := c.tube("mail").Buried; n != 1 {
		t.Errorf("%d jobs are buried after two deliveries, one before the restart", n)
	}
	for c.tube("mail").Ready > 0 { // a few in each turn
	}
	end()

	r, c = policyLife(t, disk, 70*time.Minute, nil)
	if n := c.tube("mail"); n.Ready != 0 || n.Buried != 1 {
		t.Errorf("without policies a restart finds %+v", n)
	}
	end()
}
