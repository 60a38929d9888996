package jetstream

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/lanes"
	"beanfield/storage/turns"
)

// model is an engine that answers at once, unless a lane is silent. A lane that lags shows less to
// reads that are not sure.
type model struct {
	mu     sync.Mutex
	d      *Driver
	lanes  [2][][]byte
	silent [2]bool
	fails  [2]bool
	lag    [2]int
	first  [2]uint64 // what comes before is purged
	unsure bool      // no lane's leader may answer
	loses  bool      // a read goes to a replica that has vanished
	lost   map[uint64]func()
	sent   []time.Time
	slow   time.Duration   // until a request is answered
	waits  map[uint64]bool // requests that are neither answered nor dropped
}

func (m *model) Again(id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if again := m.lost[id]; again != nil {
		delete(m.lost, id)
		again()
	}
}

func (m *model) Drop(id uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.waits, id)
}
func (m *model) Close()            {}
func (m *model) Purge(int, uint64) {}

func (m *model) Send(r lanes.Request, sure bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	l := &m.lanes[r.Lane]
	m.sent = append(m.sent, time.Now())
	if m.waits == nil {
		m.waits = map[uint64]bool{}
	}
	if m.waits[r.ID] = true; !m.silent[r.Lane] {
		defer delete(m.waits, r.ID)
	}
	end := uint64(len(*l))
	switch {
	case m.fails[r.Lane]:
		m.d.Failed(r.ID, errors.New("broken"))
	case m.silent[r.Lane]:
	case r.Data != nil && r.Place != end:
		m.d.Refused(r.ID, end)
	case r.Data != nil:
		*l = append(*l, r.Data)
		time.AfterFunc(m.slow, func() { m.d.Appended(r.ID, end+1) })
	default:
		if !sure {
			end -= uint64(m.lag[r.Lane])
		}
		from, first := r.Place, uint64(0)
		if m.first[r.Lane] > from+1 {
			from, first = m.first[r.Lane]-1, m.first[r.Lane]
		}
		answer := func() { m.d.Read(r.ID, first, slices.Clone((*l)[from:max(from, end)]), false, sure && !m.unsure) }
		if m.loses {
			m.lost[r.ID] = answer
			return
		}
		if m.slow > 0 {
			time.AfterFunc(m.slow, func() { m.set(answer) })
			return
		}
		answer()
	}
}

// set changes the model between two requests.
func (m *model) set(f func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	f()
}

// events are what a driver has told.
type events struct {
	mu   sync.Mutex
	list []string
	data []byte
}

func (v *events) note(event string, data []byte) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.list, v.data = append(v.list, event), append(v.data, data...)
}

// told is what there was since the last call.
func (v *events) told() (list []string, data []byte) {
	synctest.Wait()
	v.mu.Lock()
	defer v.mu.Unlock()
	list, data, v.list, v.data = v.list, v.data, nil, nil
	return list, data
}

func (m *model) drive(t *testing.T, name string) *events {
	v := &events{}
	m.d = newDriver(DriverOptions{
		Node: name, Store: turns.Place{Origin: 9},
		Taken: func(records []lanes.Entry) {
			for _, e := range records {
				v.note(fmt.Sprintf("taken %d %v %v", e.Record.Number, e.Record.Rest, e.Record.More), e.Record.Turns)
			}
		},
		Changed: func(role lanes.Role, epoch uint64, _ error) {
			v.note(fmt.Sprint("role ", role, " epoch ", epoch), nil)
		},
		Gap:    func() { v.note("gap", nil) },
		Broken: func(err error) { v.note("broken", []byte(err.Error())) },
	})
	m.d.begin(m)
	t.Cleanup(m.d.Close)
	return v
}

func (v *events) append(d *Driver, b string) {
	d.Append([]byte(b), func(err error) { v.note(fmt.Sprint("done ", err), nil) })
}

func (v *events) are(t *testing.T, want ...string) (data []byte) {
	t.Helper()
	list, data := v.told()
	if !slices.Equal(list, want) {
		t.Errorf("%s\nwant\n%s", strings.Join(list, "\n"), strings.Join(want, "\n"))
	}
	return data
}

// TestDriverAppends holds E7: an append ends after its record was taken.
func TestDriverAppends(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		v := m.drive(t, "a")
		v.append(m.d, "too early")
		v.are(t, "done "+ErrNotOwner.Error())
		m.d.Stand()
		v.are(t, "role 1 epoch 0", "role 2 epoch 1")
		v.append(m.d, "one")
		v.are(t, "taken 1 false false", "done <nil>")
		long := strings.Repeat("0123456", longest/3)
		m.set(func() { m.silent[0] = true })
		v.append(m.d, "two")
		synctest.Wait()
		for _, b := range []string{"three", "four", long, "five"} { // they gather meanwhile
			v.append(m.d, b)
		}
		v.are(t)
		time.Sleep(doubt) // then the driver turns to the other lane
		data := v.are(t, "taken 2 false false", "done <nil>", "taken 3 false false", "done <nil>", "done <nil>",
			"taken 4 false true", "taken 5 true true", "taken 6 true false", "done <nil>", "taken 7 false false",
			"done <nil>")
		if !bytes.Equal(data, []byte("twothreefour"+long+"five")) {
			t.Error("the bytes are others")
		}
		if s := m.d.State(); s.Doubts != 1 || s.Place.Number != 7 || s.Role != lanes.Owner {
			t.Errorf("%+v", s)
		}
	})
}

// TestDoubtGrows: while nothing succeeds, requests come more and more rarely.
func TestDoubtGrows(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		v := m.drive(t, "a")
		m.d.Stand()
		v.told()
		m.set(func() { m.silent, m.fails, m.sent = [2]bool{true, true}, [2]bool{true, false}, nil })
		v.append(m.d, "one")
		time.Sleep(time.Minute)
		synctest.Wait()
		if n := len(m.sent); n < 12 || n > 40 {
			t.Error("requests in a minute:", n)
		}
		m.set(func() { m.silent, m.fails = [2]bool{}, [2]bool{} })
		time.Sleep(2 * mostDoubt)
		v.are(t, "taken 1 false false", "done <nil>")
		if m.d.patience != doubt {
			t.Error("after an answer it waits", m.d.patience)
		}
	})
}

// E9: a replica that has vanished does not hold up a read, nor what waits for it.
func TestReadsAreRepeated(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{lost: map[uint64]func(){}}
		v := m.drive(t, "a")
		m.d.Stand()
		v.told()
		m.set(func() { m.silent[0], m.loses = true, true })
		v.append(m.d, "one")
		time.Sleep(doubt + readAgain)
		v.are(t, "taken 1 false false", "done <nil>")
	})
}

// A candidate whose engine takes longer than candidateDoubt has seen that while it followed, and waits for it.
func TestSlowEngine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{slow: 2 * time.Second}
		v := m.drive(t, "a")
		time.Sleep(10 * m.slow)
		if s := m.d.State(); s.Unread || s.Took != m.slow {
			t.Errorf("it has learned %+v", s)
		}
		m.d.Stand()
		for begun := time.Now(); m.d.State().Role != lanes.Owner && time.Since(begun) < 4*m.slow; synctest.Wait() {
			time.Sleep(followEach)
		}
		v.are(t, "role 1 epoch 0", "role 2 epoch 1")
		if m.d.patience != doubt { // it has another lane to turn to
			t.Error("as an owner it waits", m.d.patience)
		}
	})
}

// What a candidacy has asked for is not waited for after it.
func TestCandidaciesLeaveNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{silent: [2]bool{true, true}}
		m.drive(t, "a")
		for range 10 {
			m.d.Stand()
			synctest.Wait()
			m.d.Resign()
			time.Sleep(followEach)
		}
		if synctest.Wait(); len(m.waits) > 2 {
			t.Errorf("%d requests are waited for", len(m.waits))
		}
	})
}

// TestEndsOfAnOwner: who waits for an append is told whether anybody knows its fate.
func TestEndsOfAnOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &model{}
		v := m.drive(t, "a")
		m.d.Stand()
		synctest.Wait()
		other := &model{lanes: m.lanes}
		w := other.drive(t, "b")
		other.d.Stand()
		w.are(t, "role 1 epoch 0", "role 2 epoch 2")
		other.d.Use(1) // where the first owner looks first, when it is in doubt
		w.append(other.d, "theirs")
		w.are(t, "taken 1 false false", "done <nil>")
		v.told()
		m.set(func() { m.lanes, m.silent = other.lanes, [2]bool{true, true} })
		v.append(m.d, "under way") // it would be record 1 too
		synctest.Wait()
		v.append(m.d, "waits")
		synctest.Wait()
		m.set(func() { m.silent = [2]bool{} })
		time.Sleep(mostDoubt)
		list, _ := v.told()
		if len(list) != 4 || list[0] != "taken 1 false false" ||
			!strings.Contains(list[1], lanes.ErrOvertaken.Error()) ||
			list[2] != "done "+ErrNotOwner.Error() || list[3] != "role 0 epoch 1" {
			t.Error(strings.Join(list, "\n"))
		}
		other.set(func() { other.silent = [2]bool{true, true} })
		w.append(other.d, strings.Repeat("x", longest+1)) // of which a part may be there
		synctest.Wait()
		other.d.Close()
		w.append(other.d, "late")
		w.are(t, "done "+ErrClosed.Error(), "done "+ErrNotOwner.Error())
	})
}

// TestAppendBesideClose: whoever appends is answered, also if the driver is closed at once.
func TestAppendBesideClose(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for range 200 {
			m := &model{}
			v := m.drive(t, "a")
			v.append(m.d, "x")
			m.d.Close()
			v.are(t, "done "+ErrNotOwner.Error())
		}
	})
}

// laned is a model with records 1 to 4, of which lane 1 has the third only.
func laned(t *testing.T) *model {
	m := &model{}
	v := m.drive(t, "a")
	m.d.Stand()
	synctest.Wait()
	for i := range 4 {
		m.set(func() { m.silent[0] = i == 2 })
		v.append(m.d, fmt.Sprint(i))
		time.Sleep(2 * time.Second)
		synctest.Wait()
		m.set(func() { m.silent[0] = false })
		time.Sleep(2 * mostDoubt)
		m.d.Use(0)
		synctest.Wait()
	}
	m.d.Close()
	return m
}

// TestGap holds E8: a replica that lags is no gap.
func TestGap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		from := laned(t)
		m := &model{lanes: from.lanes, lag: [2]int{0, 1}}
		v := m.drive(t, "b")
		time.Sleep(time.Second)
		v.are(t, "taken 1 false false", "taken 2 false false", "taken 3 false false", "taken 4 false false")

		gone := &model{lanes: from.lanes}
		gone.lanes[1] = gone.lanes[1][:1]
		w := gone.drive(t, "c")
		time.Sleep(time.Second)
		w.are(t, "taken 1 false false", "taken 2 false false", "gap")

		unsure := &model{lanes: gone.lanes, unsure: true}
		u := unsure.drive(t, "u")
		time.Sleep(time.Minute)
		u.are(t, "taken 1 false false", "taken 2 false false")
		unsure.set(func() { unsure.unsure = false })
		time.Sleep(time.Second)
		u.are(t, "gap")

		late := &model{lanes: from.lanes, first: [2]uint64{4, 0}}
		x := late.drive(t, "d")
		time.Sleep(time.Second)
		x.are(t, "gap")
	})
}

// TestForeignRecords: a driver that finds what is no record of its log, or one of a version that it does not
// know, does nothing more.
func TestForeignRecords(t *testing.T) {
	newer, _ := turns.Append(nil, turns.Record{Origin: 1, Number: 1})
	newer[len(turns.Magic)-1]++
	for record, want := range map[string]string{
		"no record": lanes.ErrForeign.Error(), string(newer): lanes.ErrVersion.Error() +
			": 2, at 1; this program knows 1",
	} {
		synctest.Test(t, func(t *testing.T) {
			m := &model{}
			m.lanes[0] = [][]byte{[]byte(record)}
			v := m.drive(t, "a")
			time.Sleep(time.Minute)
			v.append(m.d, "x")
			time.Sleep(time.Second)
			data := v.are(t, "broken", "done "+ErrNotOwner.Error())
			if !strings.Contains(string(data), want) || len(m.sent) > 2 {
				t.Errorf("%q after %d requests", data, len(m.sent))
			}
		})
	}
}
