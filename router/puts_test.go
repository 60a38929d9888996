package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// namedPuts are the puts of a batch, each with a key and a name; those of an odd number are for another tube, which
// may be in another shard.
func namedPuts(batch, jobs int) (puts []queue.Op) {
	for i := range jobs {
		name := fmt.Appendf(nil, "%d %d", batch, i)
		puts = append(puts, aPut(body))
		puts[i].Options = &queue.Options{TTR: 60e9, Key: name, Once: name}
		if i%2 == 1 {
			puts[i].Tube = afar(DefaultTube, 2)
		}
	}
	return puts
}

// Puts of one command go on when each of their shards has answered.
func TestPutsOverBusyShards(t *testing.T) {
	d := newBed(2)
	p := d.newPlayer("p")
	d.set(never, false)
	v := &Puts{}
	for i := range 4 {
		v.Ops = append(v.Ops, queue.Op{Kind: queue.Put, Tube: d.tube(i%2, 0), TTR: 9})
	}
	for done := p.PutMany(v); !done; done = p.Resume() {
		d.drain()
	}
	all, _ := d.jobs()
	for i, op := range v.Ops {
		if op.Status != queue.OK || op.ID != uint64(i+1) {
			t.Errorf("put %d: %v, job %d", i, op.Status, op.ID)
		}
	}
	if all != 4 {
		t.Errorf("%d jobs are there", all)
	}
}

func (c *client) putMany(v *Puts) []queue.Op {
	c.Finish(c.PutMany(v))
	ops := c.Puts.Ops
	c.Trim()
	return ops
}

// Whatever turn a crash comes after, the jobs of a batch that were to be put together are all there, with their keys
// and names, or none is (Y4); of one that was answered all are. Of other batches, each job is there with its key and
// name. They get their ids in their order, also where they go to several shards.
func TestPutsSurviveCrashes(t *testing.T) {
	for _, shards := range []int{1, 2} {
		p := &putsLife{store: newCutStore(shards), shards: shards}
		r := must.Get(New(Options{Shards: shards, Store: p.store}))
		c := newClient(r)
		if near := r.TubeShard([]byte(afar(DefaultTube, 2))) == c.UsedShard(); near != (shards == 1) {
			t.Fatal("the tubes are in one shard")
		}
		for n := range p.ids {
			p.before[n] = p.store.count()
			for i, op := range c.putMany(p.batch(n)) {
				if p.ids[n][i] = op.ID; op.Status != queue.OK || i > 0 && op.ID <= p.ids[n][i-1] {
					t.Fatalf("put %d of batch %d: %v, job %d", i, n, op.Status, op.ID)
				}
			}
			p.after[n] = p.store.count()
		}
		end(t, r, c)
		for first := range len(p.store.turns) + 1 {
			r := must.Get(New(Options{Shards: shards, Store: p.store.cut(first, nil)}))
			c := newClient(r)
			for n := range p.ids {
				p.check(t, c, first, n)
			}
			end(t, r, c)
		}
	}
}

// putsLife is a life in which batches of puts are put: by turns together, where they can be, and each for itself.
type putsLife struct {
	store         *cutStore
	shards        int
	before, after [4]int // turns
	ids           [4][5]uint64
}

func (p *putsLife) batch(n int) *Puts {
	return &Puts{Ops: namedPuts(n, len(p.ids[n])), All: p.together(n)}
}

func (p *putsLife) together(n int) bool { return n%2 == 0 && p.shards == 1 }

// check looks for the jobs of a batch after some turns, and puts it once more.
func (p *putsLife) check(t *testing.T, c *client, first, n int) {
	t.Helper()
	there, jobs := 0, len(p.ids[n])
	for i, op := range namedPuts(n, jobs) {
		op.Options.Once = nil
		switch got := c.putMany(&Puts{Ops: []queue.Op{op}})[0]; {
		case got.Status == queue.Exists && got.ID == p.ids[n][i]:
			there++
		case got.Status != queue.OK || first >= p.after[n]:
			t.Fatalf("after turn %d, put %d of batch %d: %v %d", first, i, n, got.Status, got.ID)
		default:
			c.delete(got.ID) // its key is free again
		}
	}
	if there > 0 && first <= p.before[n] || p.together(n) && there != 0 && there != jobs {
		t.Fatalf("after turn %d, %d jobs of batch %d are there", first, there, n)
	}
	for i, op := range c.putMany(p.batch(n)) { // whoever had no answer
		if op.Status != queue.OK || there == jobs && op.ID != p.ids[n][i] {
			t.Fatalf("after turn %d, put %d of batch %d once more: %v %d", first, i, n, op.Status, op.ID)
		}
	}
}
