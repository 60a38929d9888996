package queue

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// madeRoom hears how a put ended that has waited for room.
func (u *user) madeRoom(d Delivery) {
	switch d.Status {
	case OK:
		u.w.bodies[d.ID] = *u.puts
		u.w.lastID = u.w.dir.Last
		u.w.given = append(u.w.given, fmt.Sprintf("%s:+%d", u.name, d.ID))
	case Exists:
		u.w.given = append(u.w.given, fmt.Sprintf("%s:exists-%d", u.name, d.ID))
	default:
		u.w.given = append(u.w.given, fmt.Sprintf("%s:%s", u.name, answerOf[d.Status]))
	}
	u.puts = nil
}

// checkLines looks at the lines of those who wait for room (RW1, RW2), and counts who uses tubes because of that.
func (s *State) checkLines(clients []*Client, using map[*tube]int) error {
	n, rooms := 0, 0
	for _, c := range clients {
		if c.room != nil {
			using[c.room.tube]++
			rooms++
		}
	}
	for _, t := range s.lines.tubes {
		for _, w := range t.line {
			if w.tube != t || w.client.room != w {
				return fmt.Errorf("RW1: a put in the line of %q does not know that it waits there", t.name)
			}
			n++
		}
		if len(t.line) == 0 {
			return fmt.Errorf("RW1: tube %q has no line", t.name)
		}
		if first := t.line[0]; !first.taken && s.hasRoom(t, &first.op) && !s.lines.due() {
			return fmt.Errorf("RW2: there is room for the first put in the line of %q", t.name)
		}
	}
	q, is := s.quota.(*quota)
	if n != rooms || is && n != q.waits {
		return fmt.Errorf("RW1: %d puts wait, %d clients know of it, %d are counted", n, rooms, q.waits)
	}
	return nil
}

// What clients see of puts that wait for room. After each step nobody waits for whom there is room (RW1, RW2).
func TestWaitingForRoom(t *testing.T) {
	runScripts(t, []script{
		{"a delete makes room for the first in line", `
			policy default jobs=1
			a put-with wait=9s -> 1
			b put-with wait=9s -> waiting
			c put-with wait=9s -> waiting
			d put-with -> noroom
			a delete 1 => b:+2
			a delete 2 => c:+3
			d put-with -> noroom
			a peek 3 -> 3
			a stats-tube default -> total=3 using=4`},
		{"who comes later stands behind, even if he would fit", `
			policy default bytes=10
			a put-with size=8 -> 1
			b put-with size=5 wait=9s -> waiting
			c put-with size=1 wait=9s -> waiting
			d put-with size=1 -> 2
			a delete 2
			a delete 1 => b:+3 c:+4`},
		{"each tube has a line of its own, and the server's limit is for all", `
			server jobs=2
			a put-with tube=one -> 1
			a put-with tube=two -> 2
			b put-with tube=one wait=9s -> waiting
			c put-with tube=two wait=9s -> waiting
			d put-with tube=one wait=9s -> waiting
			a delete 1 => b:+3
			a delete 3 => c:+4       # lines take turns
			a delete 2 => d:+5`},
		{"whoever gives up leaves the line", `
			policy default jobs=1
			a put-with -> 1
			b put-with wait=9s tube=default -> waiting
			c put-with wait=9s -> waiting
			b withdraw
			a delete 1 => c:+2
			b put-with wait=9s -> waiting
			b detach
			a delete 2
			a put-with -> 3`},
	})
}

// What makes room for them, what does not, and how a wait ends otherwise (RW1, RW2).
func TestRoomForThoseWhoWait(t *testing.T) {
	runScripts(t, []script{
		{"a purge, an expiry and other limits make room", `
			policy default jobs=2 expire=5s
			a put-with -> 1
			a put-with -> 2
			b put-with wait=9s -> waiting
			c put-with wait=9s -> waiting
			a truncate default -> 2 => b:+3 c:+4
			b put-with wait=9s -> waiting
			c put-with wait=9s -> waiting
			+5s => b:+5 c:+6
			b put-with wait=9s -> waiting
			policy default jobs=3 => b:+7
			b put-with wait=9s -> waiting
			policy default => b:+8
			server jobs=4
			b put-with wait=9s -> waiting
			server => b:+9`},
		{"a job that goes to another tube makes room", `
			policy default deliveries=1 to=grave jobs=1
			a put-with -> 1
			b put-with wait=9s -> waiting
			a poll -> 1
			a release 1 5 0 => b:+2
			a poll -> 2
			b put-with wait=9s -> waiting
			a delete 2 => b:+3`},
		{"a full tube that drops jobs makes nobody wait, unless it cannot", `
			policy default jobs=1 full=oldest
			a put-with -> 1
			b put-with wait=9s -> 2
			a poll -> 2
			b put-with wait=9s -> waiting
			a release 2 5 0 => b:+3
			a peek 2 -> no`},
	})
}

// How waits for room end otherwise (RW1).
func TestWaitsThatEndWithoutRoom(t *testing.T) {
	runScripts(t, []script{
		{"keys and names are looked at when the put is made, too", `
			policy default jobs=1
			a put-with -> 1
			b put-with wait=9s key=k -> waiting
			c put-with wait=9s key=k -> waiting
			a delete 1 => b:+2
			policy default jobs=2 => c:exists-2
			a put-with -> 3
			b put-with wait=9s key=k -> exists 2`},
		{"a server that drains answers all, and lets nobody wait", `
			policy default jobs=1
			a put-with -> 1
			b put-with wait=9s -> waiting
			c put-with wait=9s -> waiting
			drain
			close => b:noroom c:noroom
			b put-with wait=9s -> noroom`},
		{"nobody waits for the disk", `
			policy default jobs=1
			a put-with -> 1
			b put-with wait=9s -> waiting
			log full
			c put-with wait=9s tube=other -> noroom
			a delete 1 => b:noroom`},
	})
}

// A wait that its client has ended by the gate (RW1) makes no job, whatever room there is, and the next one gets the
// place.
func TestWaitForRoomThatHasEnded(t *testing.T) {
	w := newWorld(t)
	w.run(`
		server jobs=1
		a put-with -> 1
		b put-with wait=9s -> waiting
		c put-with wait=9s -> waiting`)
	w.users["b"].open = false // its time is over, and its shard has not heard of it
	w.run("a delete 1 => c:+2")
	w.users["b"].puts = nil
	w.run("b withdraw\nb put-with -> noroom")
	if w.quota.used[policy.BoundJobs] != 1 {
		t.Errorf("%v are used", w.quota.used)
	}
}

// A put whose body the log must have first does not wait.
func TestLargePutsDoNotWait(t *testing.T) {
	w := newWorld(t)
	w.run("policy default jobs=1\na put-with -> 1")
	u := w.user("a")
	big := strings.Repeat("x", storage.LargeBody+1)
	op, _ := u.apply(Op{Kind: Put, Parts: [][]byte{[]byte(big)}, Size: uint32(len(big)), Options: &Options{TTR: second,
		Timeout: second}})
	if op.Status != NoRoom {
		t.Errorf("it is answered %v", op.Status)
	}
}

// crowded is a world of small turns in which a put has to drop two jobs of a full tube, which takes more than one.
func crowded(t *testing.T) *world {
	w := newManyWorld(t, 0, 1)
	w.run(`
		policy default bytes=30 full=oldest
		a put-with size=10 -> 1
		a put-with size=10 -> 2
		a put-with size=10 -> 3`)
	return w
}

// A put that drops jobs waits, too, if others take those that are left before it has dropped enough (RW1).
func TestPutWaitsWhileItDrops(t *testing.T) {
	w := crowded(t)
	u, body := w.user("b"), strings.Repeat("x", 30)
	b := &Batch{Client: &u.client, Ops: []Op{putSaying("", []string{"size=30", "wait=9s"})}}
	w.s.Apply(w.now, b, &b.Ops[0])
	if b.Ops[0].Status != More {
		t.Fatalf("one turn is enough: %v", b.Ops[0].Status)
	}
	w.s.Tick(w.now)
	for w.s.totals.Ready > 0 {
		w.user("a").apply(Op{Kind: Reserve, Poll: true})
	}
	if w.s.Apply(w.now, b, &b.Ops[0]); b.Ops[0].Status != Waiting {
		t.Fatalf("it is answered %v", b.Ops[0].Status)
	}
	u.puts = &body
	w.run("a detach\n+1ms => b:+4\na peek 4 -> 4")
}

// A put that is being made over several turns is not given up with an earlier wait of its client (RW1).
func TestPutIsMadeBesideAnEarlierWait(t *testing.T) {
	w := crowded(t)
	w.run("a poll -> 1\nb put-with size=30 wait=9s -> waiting")
	u := w.users["b"]
	w.s.ended = append(w.s.ended, &u.client) // a reserve of this client, which has ended
	u.w.users["a"].apply(Op{Kind: Delete, ID: 1})
	for w.s.Tick(w.now) && u.client.room != nil {
		w.s.renew()
		if w.s.sweep(); u.client.room == nil {
			t.Fatal("nobody will hear of it any more")
		}
	}
	if len(w.given) != 1 || w.given[0] != "b:+4" {
		t.Errorf("given are %v", w.given)
	}
}

// However many tubes have a line, a turn looks at some of them, and nothing is left to do when all have been looked at.
func TestTurnsLookAtSomeLines(t *testing.T) {
	const lines = 5*aLook + 1
	w := newWorld(t)
	w.run("server jobs=1\na put-with -> 1")
	for i := range lines {
		w.run(fmt.Sprintf("u%d put-with tube=t%d wait=9s -> waiting", i, i))
	}
	look := func() (turns int) {
		for more := true; more; turns++ {
			w.quota.asked = 0
			if more = w.s.Tick(w.now); w.quota.asked > aLook+1 {
				t.Fatalf("a turn has looked at %d lines", w.quota.asked)
			}
		}
		return turns
	}
	look()
	w.s.Apply(w.now, &Batch{}, &Op{Kind: Peek, ID: 99})
	if turns := look(); turns < lines/aLook || turns > lines/aLook+2 {
		t.Errorf("it takes %d turns to look at all lines", turns)
	}
	w.user("a").apply(Op{Kind: Delete, ID: 1})
	if look(); len(w.given) != 1 || w.given[0] != "u0:+2" {
		t.Errorf("given are %v", w.given)
	}
}

// A put is not begun while a tube does not know yet which jobs it may drop: perhaps there are none, and the put waits
// on (RW1).
func TestPutWaitsUntilItIsKnownWhatToDrop(t *testing.T) {
	w := newManyWorld(t, 0, 1)
	w.run("policy default jobs=10")
	for id := range 10 {
		w.run(fmt.Sprintf("a put-with -> %d\na poll -> %d", id+1, id+1))
	}
	w.run(`
		b put-with wait=9s -> waiting
		policy default jobs=10 full=oldest
		+1ms
		a release 3 5 0 => b:+11`)
}

// A log that fails turns the answer of a put that waits into a failure, and its client knows of no wait. What the
// shard still has of that goes when the client waits again, and takes nobody down with it (RW1).
func TestWaitsAgainAfterTheLogHasFailed(t *testing.T) {
	w := newWorld(t)
	w.run("policy default jobs=1\na put-with -> 1\nb put-with wait=9s -> waiting")
	b := w.users["b"]
	b.puts = nil // it was told that the log has failed
	w.run(`
		b put-with wait=9s -> waiting
		c put-with wait=9s -> waiting
		b detach
		a delete 1 => c:+2`)
}
