package lanes

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// P2 to P9: without any one of the rules, random schedules find a violation soon. (P1 is in
// TestTwoAppendsAreNoChain.)
func TestEachRuleIsNeeded(t *testing.T) {
	const most = 20_000
	for name, set := range map[string]func(*world){
		"P2: a refusal tells where the lane ends":               func(w *world) { w.without.place = true },
		"P3: what is in doubt is not appended again":            func(w *world) { w.without.repeat = true },
		"P4: newer epochs that are read end no ownership":       func(w *world) { w.without.looking = true },
		"P5: what is not found is not there":                    func(w *world) { w.without.doubt = true },
		"P6: an epoch's record lands wherever the lane ends":    func(w *world) { w.without.expect = true },
		"P6: any record of the epoch is the own one":            func(w *world) { w.without.nonce = true },
		"P7: a new owner has read one lane":                     func(w *world) { w.without.union = true },
		"P7: a new owner goes on with turns of the one before":  func(w *world) { w.without.parts = true },
		"P8: a purge takes the last record":                     func(w *world) { w.without.last = true },
		"P8: a copy counts when it is there":                    func(w *world) { w.late = true },
		"P9: what is newer is folded, whether it chains or not": func(w *world) { w.without.chain = true },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(most) {
				if _, err := play(seed, 400, set); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d schedules found nothing", most)
		})
	}
}

// P1: two appends that expect places one after the other are no chain: the engine takes the second
// behind somebody else's record, when the first has been refused. So a number is given only when
// the one before it is acknowledged.
func TestTwoAppendsAreNoChain(t *testing.T) {
	w := newWorld(2)
	w.stand(0)
	for w.nodes[0].log.role != Owner {
		w.deliver(0, 0)
	}
	first := Request{Lane: 0, Place: 1, Data: recordOf(1, 1, 0, "first")}
	second := Request{Lane: 0, Place: 2, Data: recordOf(1, 2, 0, "second")}
	w.stand(1)
	for len(w.engine[0].records) < 2 {
		w.deliver(0, 0)
	}
	if answer, _ := w.engine.run(message{Request: first}, 0); !answer.refused {
		t.Fatal("the engine takes an append behind a place where it does not end")
	}
	if answer, _ := w.engine.run(message{Request: second}, 0); answer.appended != 3 {
		t.Fatal("the engine refuses an append behind its end")
	}
	w.write(0)
	if n := w.nodes[0].log; n.Ready() || len(w.messages) == 0 {
		t.Error("an owner is ready for new turns while it writes")
	}
	defer func() {
		if recover() == nil {
			t.Error("an owner that writes takes more turns")
		}
	}()
	w.write(0)
}

// Turns that go on with others need their beginning in the same epoch, and what was taken is folded
// before anything is written.
func TestTurnsInTheirOrder(t *testing.T) {
	w := newWorld(1)
	w.stand(0)
	all := func() {
		for len(w.messages) > 0 {
			w.deliver(0, 0)
		}
	}
	all()
	l := w.nodes[0].log
	text := []byte("text")
	for _, c := range []struct {
		more, rest, right bool
	}{{false, true, false}, {true, false, true}, {false, false, false}, {true, true, true}, {false, true, true}, {false, true, false}} {
		func() {
			defer func() {
				if refused := recover() != nil; refused == c.right {
					t.Errorf("%+v: refused %v", c, refused)
				}
			}()
			l.Write(text, c.more, c.rest)
			w.settle(0, nil)
			all()
		}()
	}
	l.Write(text, false, false)
	r := l.Requests()[0]
	if err := l.Appended(r.ID, r.Place+1); err != nil || l.Ready() || len(l.Taken()) != 1 || !l.Ready() {
		t.Errorf("an owner is ready before what it took is folded, or never: %v", err)
	}
}

// Lanes that are made anew, or restored, are found, and nothing more is done with them.
func TestLanesThatAreCut(t *testing.T) {
	own := func() (w *world, l *Log) {
		w = newWorld(1)
		w.stand(0)
		for len(w.messages) > 0 {
			w.deliver(0, 0)
		}
		for range 3 {
			w.write(0)
			w.deliver(0, 0)
			w.deliver(0, 0)
		}
		return w, w.nodes[0].log
	}
	w, l := own()
	w.engine[0].records = w.engine[0].records[:2]
	w.write(0)
	w.deliver(0, 0)
	err := l.Refused(w.messages[0].ID, 2)
	if role, why := l.Role(); !errors.Is(err, ErrCut) || role != Follower || why != err || l.Ready() {
		t.Errorf("a lane that is cut while it is in use: %v", err)
	}
	l.Stand(100)
	l.Follow(0)
	if n := len(l.Requests()); n > 0 {
		t.Errorf("%d requests after that", n)
	}

	w, _ = own()
	w.sync(0)
	w.crash(0)
	w.engine = engine{}
	w.start(0)
	w.stand(0)
	for len(w.messages) > 0 && w.wrong == nil {
		w.deliver(0, 0)
	}
	if _, why := w.nodes[0].log.Role(); !errors.Is(why, ErrCut) || !errors.Is(w.wrong, ErrCut) {
		t.Errorf("empty lanes for a store that is not: %v, %v", why, w.wrong)
	}
}

// Whoever hears of a newer epoch chooses a newer one still, and is no owner any more.
func TestHeardEpochs(t *testing.T) {
	w := newWorld(1)
	l := w.nodes[0].log
	for _, want := range []uint64{1, 8} {
		w.stand(0)
		for len(w.messages) > 0 {
			w.deliver(0, 0)
		}
		if role, _ := l.Role(); role != Owner || l.Epoch() != want {
			t.Errorf("role %d in epoch %d, want %d", role, l.Epoch(), want)
		}
		l.Heard(l.Epoch())
		if role, _ := l.Role(); role != Owner {
			t.Error("its own epoch has ended an ownership")
		}
		l.Heard(7)
		if role, why := l.Role(); want < 7 && (role != Follower || !errors.Is(why, ErrOvertaken)) {
			t.Errorf("role %d, %v", role, why)
		}
	}
}

// P6: an epoch is noticed by any of its records. Its first ones may have been purged when a node
// that has the last ones reads what is left, having chosen the same epoch by a stale read.
func TestAnEpochWhoseRecordIsPurged(t *testing.T) {
	for _, left := range []without{{}, {purged: true}} {
		w := newWorld(2)
		w.without = left
		all := func(miss int) {
			for len(w.messages) > 0 {
				w.deliver(0, miss)
			}
		}
		write := func() {
			w.write(0)
			all(0)
		}
		w.stand(0)
		all(0)
		write()
		write()
		w.nodes[1].log.Follow(0)
		w.settle(1, nil)
		all(0)
		w.sync(0)
		w.sync(1)
		w.nodes[0].log.Use(1)
		write()
		w.crash(1)
		w.start(1)
		w.stand(1)
		for range 4 { // both lanes are read, and look empty
			w.deliver(0, 10)
		}
		w.purge(0, 0)
		w.purge(0, 1)
		for k := len(w.messages) - 1; k > 0; k-- {
			w.deliver(k, 0)
		}
		if w.nodes[1].log.epoch != 1 || w.engine[0].purged != 2 || w.engine[1].purged != 1 {
			t.Fatalf("the node stands for epoch %d; %d and %d records are purged", w.nodes[1].log.epoch, w.engine[0].purged, w.engine[1].purged)
		}
		all(0)
		if _, why := w.nodes[1].log.Role(); (w.wrong == nil) == left.purged || !left.purged && !errors.Is(why, ErrOvertaken) {
			t.Errorf("without %+v: %v, %v", left, w.wrong, why)
		}
	}
}

// A record whose number does not go on with the one before is found at once, as one of another log is.
func TestDamagedLanes(t *testing.T) {
	for name, c := range map[string]struct {
		records [][]byte
		want    string
	}{
		"no record":                {[][]byte{[]byte("something else")}, "no record of the log: at 1"},
		"another log's":            {[][]byte{foreign()}, "no record of the log: at 1"},
		"a flipped bit":            {[][]byte{flipped(recordOf(1, 1, 0, "x"))}, "no record of the log: at 1"},
		"bytes behind it":          {[][]byte{append(recordOf(1, 1, 0, "x"), 0)}, "no record of the log: at 1"},
		"an older epoch":           {[][]byte{beginning(origin, 2, 1, "a"), recordOf(1, 1, 0, "x")}, "epoch 1 behind epoch 2 at 2 of lane 0"},
		"another chain":            {[][]byte{recordOf(1, 1, 0, "x"), recordOf(1, 2, 7, "y")}, "record 2, at 2 of lane 0, does not go on"},
		"the same number again":    {[][]byte{recordOf(1, 1, 0, "x"), recordOf(1, 1, 0, "y")}, "record 1, at 2 of lane 0, does not go on"},
		"an epoch without a nonce": {[][]byte{recordOf(1, 0, 0, "short")}, "no record of the log: at 1"},
	} {
		l := New("a", origin0)
		l.Follow(0)
		err := l.Read(l.Requests()[0].ID, 1, c.records, false)
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// What is marked for purges is bounded, however long a lane gets, and a purge takes nearly all.
func TestMarksAreBounded(t *testing.T) {
	defer func(few int) { mostMarks = few }(mostMarks)
	mostMarks = 1024
	var a lane
	many := uint64(100 * mostMarks)
	for n := uint64(1); n <= many; n++ {
		e := Entry{Seq: n}
		e.Record.Number = n
		a.pass(&e)
		if len(a.marks) > mostMarks {
			t.Fatalf("%d marks", len(a.marks))
		}
	}
	for _, number := range []uint64{0, 1, many / 2, many} {
		seq := a.purgeable(number)
		if seq > number || seq == many || number > 1 && seq < number-number/4 {
			t.Errorf("up to number %d, a purge takes up to %d", number, seq)
		}
	}
	if fmt.Sprint(a.purgeable(many)) == "0" {
		t.Error("a second purge takes nothing")
	}
}
