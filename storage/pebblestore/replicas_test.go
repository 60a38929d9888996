package pebblestore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// kept is a log as several machines keep it: all records that count.
type kept struct {
	origin  turns.Place
	records []keptRecord
	most    int // bytes of turns in a record
	copies  int
	lapsed  bool
	cut     bool
}

type keptRecord struct {
	rec  turns.Record
	data []byte
	hash uint64
}

// add appends turns, in parts if they are long, and returns the number of the last record.
func (k *kept) add(b []byte) uint64 {
	for rest := false; ; rest = true {
		n := min(len(b), k.most)
		last := k.origin
		if len(k.records) > 0 {
			r := k.records[len(k.records)-1]
			last.Number, last.Hash = r.rec.Number, r.hash
		}
		rec := turns.Record{Origin: last.Origin, Epoch: 1, Number: last.Number + 1, Before: last.Hash,
			Synced: last.Number, Rest: rest, More: n < len(b), Turns: b[:n]}
		data, hash := turns.Append(nil, rec)
		rec, _, _, _ = turns.Decode(data)
		k.records = append(k.records, keptRecord{rec, data, hash})
		if b = b[n:]; len(b) == 0 {
			return rec.Number
		}
	}
}

// node is one machine with a copy of the log's store.
type node struct {
	t    *testing.T
	log  *kept
	disk *vfs.MemFS
	dir  string // "data" if it has none
	r    *Replicas
}

func newNode(t *testing.T, log *kept) *node {
	n := &node{t: t, log: log, disk: vfs.NewCrashableMem()}
	n.open()
	t.Cleanup(n.close)
	return n
}

func (n *node) options() ReplicaOptions {
	o := small(n.disk, storage.Always)
	o.copySlot, o.LogBytes, o.foldRest = 8<<10, 1<<10, time.Millisecond
	if n.dir != "" {
		o.Dir = n.dir
	}
	return ReplicaOptions{Options: o, Cluster: "test", Origins: []turns.Place{n.log.origin}}
}

func (n *node) open() {
	n.t.Helper()
	r, err := OpenReplicas(n.options())
	if err != nil {
		n.t.Fatal(err)
	}
	n.r = r
}

func (n *node) close() { must.Do(n.t, n.r.Close()) }

// catchUp takes records up to a number.
func (n *node) catchUp(number uint64) {
	n.t.Helper()
	for at := n.r.Place(0).Number; at < number; at++ {
		k := n.log.records[at]
		must.Do(n.t, n.r.Take(0, k.rec, k.data, k.hash))
	}
}

// catchUpSome takes some of the records that it lacks.
func (n *node) catchUpSome(r *rand.Rand) {
	at := n.r.Place(0).Number
	n.catchUp(at + uint64(r.Intn(1+len(n.log.records)-int(at))))
}

func (n *node) catchUpAll() { n.catchUp(uint64(len(n.log.records))) }

// crash cuts the power, and opens what is left.
func (n *node) crash(r *rand.Rand, percent int) {
	n.t.Helper()
	l := n.r.store.logs[0]
	l.folding.Lock() // MemFS locks up if it is cloned while a share is linked into the database
	disk := n.disk.CrashClone(vfs.CrashCloneCfg{UnsyncedDataPercent: percent, RNG: randv2(r.Int63())})
	l.folding.Unlock()
	n.close()
	n.disk = disk
	n.open()
}

// Append and Holds make a node the Upstream of its own shard.
func (n *node) Append(b []byte) error {
	if n.log.cut {
		return errors.New("cut off")
	}
	n.catchUp(n.log.add(b))
	return nil
}

func (n *node) Holds() bool { return !n.log.lapsed }

// serve opens the node's store as its owner does.
func (n *node) serve() (storage.Store, storage.Log) {
	s := n.r.Serve(func(int) Upstream { return n })
	return s, mustOpen(n.t, s, 1)[0]
}

// owns is a node that owns the only shard, and its log, which has been replayed.
func owns(t *testing.T, most int) (n *node, s storage.Store, l storage.Log) {
	n = newNode(t, &kept{origin: turns.Place{Origin: 1}, most: most})
	s, l = n.serve()
	look(t, l)
	return n, s, l
}

// fetch replaces a node's store by a checkpoint of another's, or of its own.
func (n *node) fetch(from *node) {
	n.t.Helper()
	n.log.copies++ // a crash may bring back what was removed
	dir := fmt.Sprint("checkpoint ", n.log.copies)
	place, err := from.r.Checkpoint(0, dir)
	must.Do(n.t, err)
	if ok, err := vfs.Clone(from.disk, n.disk, dir, dir+" here", vfs.CloneSync); !ok || err != nil {
		n.t.Fatal(ok, err)
	}

	must.Do(n.t, n.r.Replace(0, dir+" here", false))
	if got := n.r.Place(0); got != place {
		n.t.Fatalf("the checkpoint stands at %v, and the store at %v", place, got)
	}
}

// A copy whose log could not be read for a moment, in the middle of a share, has lost nothing of what was read before.
func TestFoldAfterReadError(t *testing.T) {
	n, s, l := owns(t, 1000)
	h, other := newHistory(rand.New(rand.NewSource(5))), newNode(t, n.log)
	other.close()
	o := other.options()
	var reads atomic.Int64 // until one fails
	o.FS = faulty(other.disk, func(op errorfs.Op) error {
		if op.Kind == errorfs.OpFileReadAt && strings.HasSuffix(op.Path, ".turns") && reads.Add(-1) == 0 {
			return syscall.EIO
		}
		return nil
	})
	o.LogBytes = 1 << 20 // nothing is folded in the background
	other.r = must.Get(OpenReplicas(o))
	h.some(t, l, 50)
	must.Do(t, s.Close())
	other.catchUpAll()
	reads.Store(2)
	if err := other.r.Fold(0); !errors.Is(err, syscall.EIO) {
		t.Fatalf("%d more reads, and %v", reads.Load(), err)
	}
	must.Do(t, other.r.Fold(0))
	other.close()
	other.open()
	s, l = other.serve()
	h.isIn(t, l, "the copy")
	must.Do(t, s.Close())
}

// opening calls somebody once when the files of a shard are looked at.
type opening struct {
	vfs.FS
	then func()
}

func (o *opening) List(dir string) ([]string, error) {
	if then := o.then; then != nil && strings.HasSuffix(dir, "shard-000") {
		o.then = nil
		then()
	}
	return o.FS.List(dir)
}

// While a checkpoint takes the place of a store, nobody looks after it: its log has no database yet.
func TestNobodyLooksAfterALogThatOpens(t *testing.T) {
	n := filled(t)
	n.close()
	o, fs := n.options(), &opening{FS: n.disk}
	o.FS = fs
	n.r = must.Get(OpenReplicas(o))
	fs.then = n.r.store.compactWhatIsDue
	n.fetch(n)
	if fs.then != nil {
		t.Error("the log was not opened")
	}
}

// A store that has been replaced half way is there again after a crash, the old one or the new one.
func TestReplaceCutShort(t *testing.T) {
	n, s, l := owns(t, 1000)
	h := newHistory(rand.New(rand.NewSource(1)))
	h.some(t, l, 50)
	must.Do(t, s.Close())
	n.close()
	path := n.r.store.dir.Shard(1, 0)
	must.Do(t, n.disk.Rename(path, path+replacedSuffix))
	n.open()
	n.catchUpAll()
	s, l = n.serve()
	h.isIn(t, l, "the old store")
	must.Do(t, s.Close())
}

// Without a lease no turn is acknowledged, whether it wrote or not; nor when nothing can be
// appended. The copy goes on afterwards.
func TestOwnerWithoutLease(t *testing.T) {
	for name, end := range map[string]func(*kept){
		"lapsed": func(k *kept) { k.lapsed = true },
		"cut":    func(k *kept) { k.cut = true },
	} {
		n, s, l := owns(t, 1000)
		log := n.log
		h := newHistory(rand.New(rand.NewSource(1)))
		h.turn(l)
		mustCommit(t, l)
		if err := commit(l); err != nil {
			t.Errorf("%s: a turn that wrote nothing: %v", name, err)
		}
		end(log)
		if name == "cut" {
			h.turn(l)
		}
		if err := commit(l); err == nil {
			t.Errorf("%s: a turn was acknowledged", name)
		}
		if err := commit(l); err == nil {
			t.Errorf("%s: a later turn was acknowledged", name)
		}
		must.Do(t, s.Close())
		log.lapsed, log.cut = false, false
		n.catchUpAll()
		s, l = n.serve()
		if got := look(t, l); h.nth(1, got) < 0 {
			t.Errorf("%s: %d jobs afterwards", name, len(got.jobs))
		}
		mustCommit(t, l)
		must.Do(t, s.Close())
		n.close()
	}
}

// A directory belongs to one cluster, or to a server by itself.
func TestDirectoryOfACluster(t *testing.T) {
	n := newNode(t, &kept{origin: turns.Place{Origin: 1}})
	n.close()
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, directory.ErrForeign) {
			t.Errorf("%s: %v", what, err)
		}
	}
	_, err := newStore(small(n.disk, storage.Always)).Open(1, byName(1))
	refused("a server by itself", err)
	for what, change := range map[string]func(*ReplicaOptions){
		"another cluster":          func(o *ReplicaOptions) { o.Cluster = "other" },
		"another log":              func(o *ReplicaOptions) { o.Origins = []turns.Place{{Origin: 2}} },
		"another number of shards": func(o *ReplicaOptions) { o.Origins = make([]turns.Place, 2) },
		"jobs of a server by itself": func(o *ReplicaOptions) {
			o.FS = vfs.NewMem()
			s := newStore(small(o.FS, storage.Always))
			mustOpen(t, s, 1)
			must.Do(t, s.Close())
		},
	} {
		o := n.options()
		change(&o)
		_, err := OpenReplicas(o)
		refused(what, err)
	}
	n.open()
}

// A copy whose log is full waits for its store, and one turn may be longer than the log.
func TestCopyWaitsForItsStore(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 4_000}
	owner, other := newNode(t, log), newNode(t, log)
	s, l := owner.serve()
	look(t, l)
	body := make([]byte, 900_000)
	for id := range uint64(3) {
		j := largeJob(id+1, 0)
		j.Size = uint32(len(body))
		l.Put(&j.Job, body)
		mustCommit(t, l)
	}
	other.catchUpAll()
	for id := range uint64(3) {
		if got, err := l.Body(id+1, nil); err != nil || len(got) != len(body) {
			t.Errorf("job %d: %d bytes, %v", id+1, len(got), err)
		}
	}
	must.Do(t, s.Close())
	s, l = other.serve()
	if got := look(t, l); len(got.jobs) != 3 {
		t.Errorf("%d jobs", len(got.jobs))
	}
	must.Do(t, s.Close())
}

// A copy whose owner has died in the middle of turns, and which is opened again, makes durable what is whole. Nobody is
// told of the parts before the last one has come.
func TestPartsAtTheEnd(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 1000}
	n := newNode(t, log)
	whole := log.add(turns.AppendRaise(nil, 1))
	last := log.add(bytes.Repeat(turns.AppendRaise(nil, 2), 2000))
	n.catchUp(last - 1)
	n.close()
	n.open()
	must.Do(t, n.r.Fold(0))
	if got := n.r.Durable(0); got != whole {
		t.Errorf("record %d is durable, not %d", got, whole)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := n.r.Sum(ctx, 0, last-1); !errors.Is(err, context.Canceled) {
		t.Errorf("whoever waits for a part is told %v", err)
	}
	n.catchUp(last)
	must.Do(t, n.r.Fold(0))
	if got := n.r.Durable(0); got != last {
		t.Errorf("record %d is durable, not %d", got, last)
	}
}

// A copy on a full disk waits, and is told when it is to be closed.
func TestCopyOnAFullDiskCanBeClosed(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 4_000}
	for range 200 { // more than the log has room for
		log.add(turns.AppendRaise(bytes.Repeat(turns.AppendRaise(nil, 1), 1000), 2))
	}
	n := &node{t: t, log: log, disk: vfs.NewCrashableMem()}
	o := n.options()
	var full atomic.Bool
	o.FS = faulty(n.disk, func(op errorfs.Op) error {
		if full.Load() && op.Kind == errorfs.OpCreate && strings.Contains(op.Path, foldPrefix) {
			return syscall.ENOSPC
		}
		return nil
	})
	r := must.Get(OpenReplicas(o))
	full.Store(true)
	ended := make(chan error, 1)
	go func() {
		for _, k := range log.records {
			if err := r.Take(0, k.rec, k.data, k.hash); err != nil {
				ended <- err
				return
			}
		}
		ended <- nil
	}()
	for r.store.logs[0].tallies.waits.Load() == 0 && len(ended) == 0 {
		runtime.Gosched()
	}
	r.Stop()
	if err := <-ended; !errors.Is(err, errClosing) {
		t.Errorf("Take ends with %v", err)
	}
	must.Do(t, r.Close())
}
