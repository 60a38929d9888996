package lanes

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// P2 to P12: without any one of the rules, or a part of one, random courses find a violation. What takes a rare course
// begins to look near one. (P1 is in TestTwoAppendsAreNoChain.)
func TestEachRuleIsNeeded(t *testing.T) {
	const most = 20_000
	for name, c := range map[string]struct {
		from uint64
		set  func(t *town)
	}{
		"P2: a refusal tells where the lane ends":               {0, func(t *town) { t.without.place = true }},
		"P3: what is in doubt is not appended again":            {0, func(t *town) { t.without.repeat = true }},
		"P4: newer epochs that are read end no ownership":       {0, func(t *town) { t.without.looking = true }},
		"P5: what is not found is not there":                    {0, func(t *town) { t.without.doubt = true }},
		"P6: an epoch's record lands wherever the lane ends":    {0, func(t *town) { t.without.expect = true }},
		"P6: any record of the epoch is the own one":            {0, func(t *town) { t.without.nonce = true }},
		"P7: a new owner has read one lane":                     {0, func(t *town) { t.without.union = true }},
		"P7: a new owner goes on with turns of the one before":  {0, func(t *town) { t.without.parts = true }},
		"P8: a purge takes the last record":                     {0, func(t *town) { t.without.last = true }},
		"P8: an answer counts, however old":                     {6170, func(t *town) { t.wanting.late = true }},
		"P8: copies that are being made are of the majority":    {3000, func(t *town) { t.wanting.majority = true }},
		"P8: a store without what was imported is a copy":       {0, func(t *town) { t.wanting.base = true }},
		"P9: what is newer is folded, whether it chains or not": {0, func(t *town) { t.without.chain = true }},
		"P10: a new owner waits for nobody's answers":           {0, func(t *town) { t.wanting.rest = true }},
		"P10: an answer counts from when it comes":              {0, func(t *town) { t.wanting.hears = true }},
		"P10: a voter answers before its promise is kept":       {0, func(t *town) { t.wanting.eager = true }},
		"P10: an answer counts for any epoch":                   {1250, func(t *town) { t.wanting.mixes = true }},
		"P10: an owner without a lease writes":                  {1960, func(t *town) { t.wanting.writes = true }},
		"P11: it is said before the end":                        {0, func(t *town) { t.wanting.early = true }},
		"P11: whatever ends, the epoch that was promised ended": {0, func(t *town) { t.wanting.any = true }},
		"P12: a voter without promises answers everybody":       {5380, func(t *town) { t.wanting.blank = true }},
		"P12: what had been begun before shows a life, too":     {4950, func(t *town) { t.wanting.shown = true }},
		"P12: any life is shown":                                {15900, func(t *town) { t.wanting.stale = true }},
		"P12: a candidate beats":                                {0, func(t *town) { t.wanting.asks = true }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for seed := c.from; seed < c.from+most; seed++ {
				if _, err := live(seed, 1500, c.set); err != nil {
					t.Logf("seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("%d courses found nothing", most)
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
	}{{false, true, false}, {true, false, true}, {false, false, false}, {true, true, true}, {false, true, true},
		{false, true, false}} {
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

// P7: a candidate that has both its records, and has read a number before which one is missing, owns nothing.
func TestTakeoverWithAGap(t *testing.T) {
	l := New("a", origin0)
	lane := [][]byte{recordOf(0, 2, 7, "x"), beginning(origin, 1, 1, "a")}
	l.Stand(1)
	reads := 0
	for all := l.Requests(); len(all) > 0; all = l.Requests() {
		for _, r := range all {
			var err error
			switch reads++; {
			case r.Data == nil && (reads <= 2 || r.Lane == 1): // both lanes look empty at first
				err = l.Read(r.ID, 0, nil, false)
			case r.Data == nil:
				err = l.Read(r.ID, 0, lane[r.Place:], false)
			case r.Lane == 0:
				err = l.Refused(r.ID, 2)
			default:
				err = l.Appended(r.ID, 1)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if role, why := l.Role(); role != Follower || !errors.Is(why, ErrGap) || !l.lanes[1].mine {
		t.Errorf("it is %d because of %v", role, why)
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
		for l := range w.engine {
			seq := w.nodes[0].log.Purge(l, w.nodes[1].store.durable.Number)
			w.messages = append(w.messages, message{Request: Request{Lane: l}, purge: seq})
		}
		for k := len(w.messages) - 1; k > 0; k-- {
			w.deliver(k, 0)
		}
		if w.nodes[1].log.epoch != 1 || w.engine[0].purged != 2 || w.engine[1].purged != 1 {
			t.Fatalf("the node stands for epoch %d; %d and %d records are purged", w.nodes[1].log.epoch,
				w.engine[0].purged, w.engine[1].purged)
		}
		all(0)
		if _, why := w.nodes[1].log.Role(); (w.wrong == nil) == left.purged || !left.purged &&
			!errors.Is(why, ErrOvertaken) {
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
		"no record":       {[][]byte{[]byte("something else")}, "no record of the log: at 1"},
		"another log's":   {[][]byte{foreign()}, "no record of the log: at 1"},
		"a flipped bit":   {[][]byte{flipped(recordOf(1, 1, 0, "x"))}, "no record of the log: at 1"},
		"bytes behind it": {[][]byte{append(recordOf(1, 1, 0, "x"), 0)}, "no record of the log: at 1"},
		"an older epoch": {[][]byte{beginning(origin, 2, 1, "a"), recordOf(1, 1, 0, "x")},
			"epoch 1 behind epoch 2 at 2 of lane 0"},
		"another chain": {[][]byte{recordOf(1, 1, 0, "x"), recordOf(1, 2, 7, "y")},
			"record 2, at 2 of lane 0, does not go on"},
		"the same number again": {[][]byte{recordOf(1, 1, 0, "x"), recordOf(1, 1, 0, "y")},
			"record 1, at 2 of lane 0, does not go on"},
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
