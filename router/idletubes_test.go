package router

import (
	"fmt"
	"runtime"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/effort"
)

// A worker that watches one busy tube and 1,000 idle ones over many shards,
// and reserves 200,000 times, costs the idle shards nothing (R3): no waiter
// is left in them, and their memory does not grow.
func TestIdleTubesDoNotGrow(t *testing.T) {
	count := 200_000
	if effort.Brief() {
		count = 20_000
	}
	r := newRouterOf(8)
	watch := []string{"busy"}
	for i := range 1000 {
		watch = append(watch, fmt.Sprint("idle ", i))
	}
	worker, producer := newClient(r, watch...), newClient(r)
	producer.use("busy")
	reserveMany(t, worker, producer, count/20) // until all that is kept for reuse is there
	before := heapInUse()
	reserveMany(t, worker, producer, count)
	after := heapInUse()
	for i, s := range r.states {
		if n := s.Waits(); n != 0 {
			t.Errorf("R3: shard %d has %d waiters after %d reserves", i, n, count)
		}
	}
	t.Logf("%d reserves; heap %d bytes before, %d after", count, before, after)
	// The directory may have gained pages; a stale entry per wait would be
	// hundreds of megabytes.
	if after > before+1<<20 {
		t.Errorf("the heap has grown by %d bytes", after-before)
	}
	worker.close()
	producer.close()
	mustBeEmpty(t, r)
}

// reserveMany reserves and deletes count jobs: mostly jobs that are there, and
// each 32nd time one that is put while the worker waits.
func reserveMany(t *testing.T, worker, producer *client, count int) {
	for i := range count {
		wait := i%32 == 0
		var want uint64
		if !wait {
			want = producer.put(1, 100)
		}
		id, status := worker.begin(false)
		if wait {
			if status != queue.Waiting {
				t.Fatalf("reserve %d: status %d, job %d, want a wait", i, status, id)
			}
			want = producer.put(1, 100)
			id, _ = worker.await(nil)
		}
		if id != want || !worker.delete(id) {
			t.Fatalf("reserve %d: job %d, want %d", i, id, want)
		}
	}
}

func heapInUse() uint64 {
	runtime.GC()
	runtime.GC() // the first only begins to sweep what pools have let go
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}
