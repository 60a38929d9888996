package router

import (
	"fmt"
	"testing"

	"beanfield/shard/queue"
)

const second = int64(1e9)

var (
	red, large = queue.MakeTags(map[string]string{"colour": "red"}), queue.MakeTags(map[string]string{"size": "large"})
	largeRed   = queue.MakeTags(map[string]string{"colour": "red", "size": "large"})
)

// asked are the tags that the player's latest reserve asks for.
func (p *player) asked() queue.Tags {
	if p.wants == nil {
		return nil
	}
	return p.wants.Tags
}

// toldOf checks what the player is told of a job.
func (p *player) toldOf(id uint64, a *queue.About) {
	if (a != nil) != (p.wants != nil) || a != nil && (a.Reserves == 0 || !a.Tags.Has(p.wants.Tags)) {
		panic(fmt.Sprintf("R1: %s asks for %q, and is told %+v of job %d", p.name, p.asked(), a, id))
	}
	if a == nil {
		return
	}
	for _, name := range p.Watched().all() {
		if name == a.Tube {
			return
		}
	}
	panic(fmt.Sprintf("R1: %s has got job %d of tube %s, which it does not watch", p.name, id, a.Tube))
}

// readyWith says that a tube has a ready job with certain tags.
func (d *bed) readyWith(tube string, tags queue.Tags) bool {
	p := d.shards[d.r.TubeShard([]byte(tube))]
	b := queue.Batch{Ops: []queue.Op{{Kind: queue.List}}, List: &queue.Listing{Most: 1, Filter: queue.Filter{
		Tube: tube, States: queue.States(0).With(queue.Ready), Tags: tags,
	}}}
	for len(b.List.Jobs) == 0 {
		b.Next = 0
		for !p.state.Run(p.now(), &b) {
		}
		if b.List.Next == 0 {
			break
		}
		b.List.From = b.List.Next
	}
	return len(b.List.Jobs) > 0
}

// someTags are what a job may have, and a reserve may ask for.
func (s *simulation) someTags() queue.Tags {
	return []queue.Tags{nil, red, large, largeRed}[s.rnd.IntN(4)]
}

func putTagged(pri uint32, tags queue.Tags) deed {
	return deed{plain, func(a *actor) { a.tags = tags; a.put(pri, 0, 100, nil) }}
}

func reserveTagged(most int, tags queue.Tags, poll bool) deed {
	return deed{plain, func(a *actor) {
		a.onGot = a.gotOneOfSeveral
		a.reserveSeveral(most, &queue.Options{Tags: tags}, poll)
	}}
}

// tagged are the worlds of reserves that ask for tags.
var tagged = []scenario{
	{"a job with the tag and one without, at both shards", 2, false, func(w *world, d *bed) {
		w.add("asker", "", both(d), reserveTagged(1, red, false))
		w.producer(d.tube(0, 0), put)
		w.producer(d.tube(1, 0), putTagged(5, red))
	}},
	{"a waiter, and jobs with its tags at both shards", 2, true, func(w *world, d *bed) {
		w.add("asker", "", both(d), reserveTagged(1, red, false), cancel).now(1)
		w.producer(d.tube(0, 0), putTagged(5, large), putTagged(5, red))
		w.producer(d.tube(1, 0), putTagged(5, largeRed))
	}},
	{"two that ask for other tags, and a job with both", 2, true, func(w *world, d *bed) {
		w.add("first", "", both(d), reserveTagged(1, red, false)).now(1)
		w.add("second", "", both(d), reserveTagged(1, large, false)).now(1)
		w.producer(d.tube(0, 0), putTagged(5, largeRed))
		w.producer(d.tube(1, 0), putTagged(5, large))
	}},
	{"one asks and another takes any job", 2, true, func(w *world, d *bed) {
		w.add("asker", "", both(d), reserveTagged(1, red, false))
		w.add("any", "", []string{d.tube(0, 0)}, reserve)
		w.producer(d.tube(0, 0), putTagged(5, red))
	}},
	{"one asks and another takes any job, in one tube", 1, true, func(w *world, d *bed) {
		w.add("asker", "", []string{d.tube(0, 0)}, reserveTagged(1, red, false))
		w.add("any", "", []string{d.tube(0, 0)}, reserve).now(1)
		w.producer(d.tube(0, 0), putTagged(5, red), put)
	}},
	{"what is offered to one that asks is deleted, and a put elsewhere", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putTagged(5, red)).now(1)
		w.add("asker", "", both(d), reserveTagged(1, red, false))
		w.producer("default", removeNth(1))
		w.producer(d.tube(1, 0), putTagged(5, red))
	}},
	{"a timeout against jobs with the tags and without", 2, true, func(w *world, d *bed) {
		w.add("asker", "", both(d), reserveTagged(1, red, false), cancel).now(1)
		w.producer(d.tube(0, 0), put, putTagged(5, red))
	}},
	{"a hang-up of the first, another behind it asks for the same", 2, true, func(w *world, d *bed) {
		w.add("first", "", both(d), reserveTagged(1, red, false), hangUp).now(1)
		w.add("second", "", both(d), reserveTagged(1, red, false)).now(1)
		w.producer(d.tube(1, 0), putTagged(5, red))
	}},
	{"a holder releases while another asks", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putTagged(5, red), put).now(2)
		w.add("holder", "", both(d), reserve, release).now(1).mute = true
		w.add("asker", "", both(d), reserveTagged(1, red, false))
	}},
	{"a holder hangs up while another asks for several", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(1, 0), putTagged(5, red), putTagged(5, red)).now(2)
		w.add("holder", "", both(d), severally(2, false), hangUp).now(1)
		w.add("asker", "", both(d), reserveTagged(2, red, false)).now(1)
	}},
	{"a pause ends a tube for one that asks, and a put elsewhere", 2, true, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putTagged(5, red), pauseTube(d.tube(0, 0), 100)).now(2)
		w.add("asker", "", both(d), reserveTagged(1, red, false)).now(1)
		w.producer(d.tube(1, 0), pauseTube(d.tube(0, 0), 0), putTagged(5, red))
	}},
	{"one asks for the first time, and jobs come and go", 1, false, func(w *world, d *bed) {
		w.producer(d.tube(0, 0), putTagged(5, red), put).now(2)
		w.add("asker", "", []string{d.tube(0, 0), d.tube(0, 1)}, reserveTagged(1, red, false))
		w.producer(d.tube(0, 1), removeNth(1), putTagged(5, red))
		w.producer(d.tube(0, 0), putTagged(5, large))
	}},
}

// R1 to R3 hold for reserves that ask for tags in any order of steps, and nobody waits while a job that it asks
// for is ready.
func TestEveryInterleavingWithTags(t *testing.T) { exploreAll(t, tagged, sessionModes, false) }
