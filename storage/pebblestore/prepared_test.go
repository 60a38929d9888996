package pebblestore

import (
	"math/rand"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/format"
	"beanfield/storage/storagetest"
	"beanfield/storage/turns"
)

// Who replays a copy that goes on, and makes up for what has changed since, has what the copy has: also
// beside folds, with large bodies, and whenever the replay happened.
func TestPreparedCopyFollows(t *testing.T) {
	for seed := range int64(12) {
		r := rand.New(rand.NewSource(seed))
		log := &kept{origin: turns.Place{Origin: 1}, most: 6_000}
		owner, other := newNode(t, log), newNode(t, log)
		s, l := owner.serve()
		look(t, l)
		h := newHistory(r)
		h.large, h.queueless = seed%6 == 5, true
		h.some(t, l, r.Intn(60))
		other.catchUp(uint64(r.Intn(len(log.records) + 1)))

		p := other.r.Prepare()
		var now mirror
		now.replay(t, mustOpen(t, p, 1)[0])
		for range 5 {
			h.some(t, l, r.Intn(40))
			other.catchUpSome(r)
			foldSome(t, other.r.store.logs[0], r.Intn(3))
			if !now.amend(t, p) {
				t.Fatalf("seed %d: it is to begin anew", seed)
			}
		}
		other.catchUpAll()
		now.amend(t, p)
		p.Own(func(int) Upstream { return other })
		must.Do(t, p.Settled())
		want := h.now()
		storagetest.SameJobs(t, valuesInOrder(now), valuesInOrder(want.jobs))
		if got := p.own[0].MaxID(); got != want.maxID {
			t.Errorf("seed %d: the highest id is %d, not %d", seed, got, want.maxID)
		}
		must.Do(t, s.Close())
		h.some(t, p.own[0], 5) // and now it is the owner's
		must.Do(t, p.Close())
		owner.close()
		other.close()
	}
}

// mirror is what somebody knows of a copy's jobs.
type mirror map[uint64]storagetest.Stored

func (m *mirror) replay(t *testing.T, l storage.Log) {
	t.Helper()
	*m = mirror{}
	replayedQueues(t, l)
	for _, s := range replayed(t, l) {
		(*m)[s.ID] = s
	}
}

func (m mirror) amend(t *testing.T, p *Prepared) (ok bool) {
	t.Helper()
	rank := uint64(0)
	ok, err := p.Amend(0, func(string, *storage.Queue) bool {
		return false
	}, func(id uint64, j *storage.Job, body []byte) {
		if j == nil {
			delete(m, id)
			return
		}
		if j.State == storage.Buried && j.BuryRank < rank || j.State != storage.Buried && rank > 0 {
			t.Errorf("job %d comes out of its order", id)
		}
		rank = j.BuryRank
		m[id] = storagetest.Keep(j, body)
	})
	must.Do(t, err)
	return ok
}

// A change of a queue, or of very many jobs, is said; and so is a store that has been replaced.
func TestPreparedCopyBeginsAnew(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 6_000}
	n := newNode(t, log)
	for what, change := range map[string]func(){
		"a queue": func() { log.add(turns.AppendSetQueue(nil, "q", []byte("anything"))); n.catchUpAll() },
		"jobs": func() {
			var b []byte
			for id := range uint64(mostChanges + 1) {
				b = turns.AppendDelete(b, id+1, false, false)
			}
			log.most = 1 << 30
			must.Do(t, n.r.store.logs[0].copied.changes.note(b))
		},
		"a checkpoint": func() { n.fetch(n) },
	} {
		p := n.r.Prepare()
		var now mirror
		now.replay(t, mustOpen(t, p, 1)[0])
		if !now.amend(t, p) {
			t.Errorf("%s: nothing has changed, and it is to begin anew", what)
		}
		change()
		if now.amend(t, p) {
			t.Errorf("%s: nobody is told", what)
		}
		must.Do(t, p.Close())
		if what == "a queue" {
			log.add(turns.AppendDropQueue(nil, "q"))
			n.catchUpAll()
		}
	}
}

// What has changed of what is kept of tubes is told, in its newest form, once; and whoever cannot take it in
// begins anew.
func TestPreparedCopyTellsQueues(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 6_000}
	n := newNode(t, log)
	p := n.r.Prepare()
	var now mirror
	now.replay(t, mustOpen(t, p, 1)[0])
	set := func(tube, value string) {
		q := &storage.Queue{Tube: tube, Notes: []storage.Note{{Kind: storage.NoteTick, Name: "s",
			Value: []byte(value)}}}
		b := format.AppendQueue(nil, q)
		format.Seal(format.QueueKey(tube), b)
		log.add(turns.AppendSetQueue(nil, tube, b))
	}
	told := map[string]string{}
	amend := func(takes bool) bool {
		clear(told)
		ok, err := p.Amend(0, func(tube string, q *storage.Queue) bool {
			if told[tube] = "none"; q != nil {
				told[tube] = string(q.Notes[0].Value)
			}
			return takes
		}, func(uint64, *storage.Job, []byte) {})
		must.Do(t, err)
		return ok
	}
	set("a", "1")
	set("b", "1")
	set("a", "2")
	log.add(turns.AppendDropQueue(nil, "b"))
	n.catchUpAll()
	if !amend(true) || len(told) != 2 || told["a"] != "2" || told["b"] != "none" {
		t.Errorf("told are %v", told)
	}
	if !amend(false) || len(told) != 0 {
		t.Errorf("told again are %v", told)
	}
	set("a", "3")
	n.catchUpAll()
	if amend(false) {
		t.Error("nobody has taken it in, and it is not to begin anew")
	}
	must.Do(t, p.Close())
}

// A copy that is read for something else is amended all the same, or the router would begin without what has
// changed; one that is being closed is not.
func TestPreparedCopyIsReadTwice(t *testing.T) {
	log := &kept{origin: turns.Place{Origin: 1}, most: 6_000}
	n := newNode(t, log)
	p := n.r.Prepare()
	var now mirror
	now.replay(t, mustOpen(t, p, 1)[0])
	n.r.store.logs[0].copied.changes.jobs[7] = struct{}{}
	now[7] = storagetest.Stored{}
	_, leave, ok := n.r.gates[0].enter(t.Context())
	if !ok || !now.amend(t, p) || len(now) != 0 {
		t.Errorf("beside another reader (%v) job 7 is still there: %v", ok, now)
	}
	leave()
	open := n.r.gates[0].shut()
	if now.amend(t, p) {
		t.Error("it says that nothing has changed in a copy that is being closed")
	}
	open()
	must.Do(t, p.Close())
}

// A replay has what there was when it began, though an owner appends something of its own meanwhile.
func TestReplayBesideTake(t *testing.T) {
	n, s, l := owns(t, 6_000)
	log := n.log
	h := newHistory(rand.New(rand.NewSource(1)))
	h.some(t, l, 30)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
				n.catchUp(log.add(turns.AppendRaise(nil, 0)))
			}
		}
	}()
	for range 300 {
		if got := look(t, l); len(got.jobs) != len(h.now().jobs) {
			t.Fatalf("%d jobs of %d", len(got.jobs), len(h.now().jobs))
		}
	}
	close(stop)
	<-stopped
	must.Do(t, s.Close())
}
