package cluster

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
	"beanfield/storage/lanes"
	"beanfield/storage/must"
	"beanfield/storage/turns"
)

// CN1: what was kept is there after a restart. A file that is gone, damaged, or of other logs says
// nothing: then the node is blank.
func TestPromisesAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, promisesName)
	open := func(cluster string, origins ...uint64) *promises {
		return must.Get(openPromises(dir, paper{Cluster: cluster, Origins: origins}, 5))
	}
	k := ownership.Kept{Promised: []uint64{3, 1 << 63}, Known: []bool{true, true}, Drained: true,
		Left: ownership.Left{Serial: 2, Nodes: []string{"c"}}}
	p := open("x", 1, 2)
	if p.last.Known != nil || p.last.Since != 5 {
		t.Error("a new node knows what it has promised, or not as whom it will:", p.last)
	}
	for range 2 {
		must.Do(t, p.keep(k))
	}
	if got := open("x", 1, 2).last; len(got.Promised) != 2 || got.Promised[1] != 1<<63 || !got.Known[0] ||
		!got.Drained || got.Left.Serial != 2 {
		t.Errorf("after a restart: %+v", got)
	}
	for name, p := range map[string]*promises{"another cluster": open("y", 1, 2), "another log": open("x", 1, 3),
		"another number": open("x", 1)} {
		if p.last.Known != nil {
			t.Errorf("%s: it knows %+v", name, p.last)
		}
	}
	whole := must.Get(os.ReadFile(path))
	var newer paper // that has more to say
	must.Do(t, json.Unmarshal(whole, &newer))
	newer.Kept = append([]byte(`{"more":[1],`), newer.Kept[1:]...)
	newer.Sum = newer.sum()
	must.Do(t, os.WriteFile(path, must.Get(json.Marshal(newer)), 0o600))
	if got := open("x", 1, 2).last; len(got.Promised) != 2 || got.Promised[0] != 3 {
		t.Errorf("of another version's file it knows %+v", got)
	}
	for i := range whole {
		b := append([]byte(nil), whole...)
		b[i] ^= 1
		must.Do(t, os.WriteFile(path, b, 0o600))
		if got := open("x", 1, 2).last; got.Known != nil && (got.Promised[0] != 3 || got.Promised[1] != 1<<63) {
			t.Errorf("damage at %d is believed: %+v", i, got)
		}
	}
	if err := (&promises{path: filepath.Join(path, "x")}).keep(k); err == nil {
		t.Error("it says that it has kept what it could not write")
	}
}

// Who waits for a term is told, first of all, what this process cannot be a node with; but not at once, so
// that it is started again not too often.
func TestFailedNode(t *testing.T) {
	for _, before := range []time.Duration{0, time.Second, time.Hour} {
		synctest.Test(t, func(t *testing.T) {
			n := newNode(Options{})
			time.Sleep(before)
			n.fail(ErrRefused)
			n.fail(ErrFailed)
			if _, err := n.Term(t.Context()); !errors.Is(err, ErrRefused) || n.now() != max(before, lives) {
				t.Errorf("%v after %v", err, n.now())
			}
		})
	}
}

// CN2, CN3: a term holds until its leases' end; once it was lost, or has ended, it never holds again,
// and appends nothing.
func TestTermHolds(t *testing.T) {
	n := newNode(Options{})
	n.replicas = []*replica{{node: n}}
	for name, end := range map[string]func(*Term){
		"lapses": func(t *Term) { t.until.Store(int64(n.now())) },
		"lost":   func(t *Term) { t.lose(lanes.ErrGap); t.lose(ErrClosed) },
		"ended":  func(t *Term) { t.End(); t.End(); t.until.Store(int64(n.now() + time.Hour)) },
	} {
		acts{n}.Begin([]uint64{1})
		its := n.term
		if its.Holds() || len(n.came) > 0 {
			t.Errorf("%s: it holds, or is given to the server, before it does", name)
		}
		acts{n}.Hold(n.now() + time.Hour)
		if given := <-n.came; given != its || !its.Holds() {
			t.Errorf("%s: it does not hold", name)
		}
		end(its)
		if err := its.Append(0, []byte("x")); its.Holds() || err == nil {
			t.Errorf("%s: it holds, and appends with error %v", name, err)
		}
		select {
		case <-its.Lost():
			if name != "lost" || !errors.Is(its.Why(), lanes.ErrGap) {
				t.Errorf("%s: it is lost: %v", name, its.Why())
			}
		default:
			if name == "lost" {
				t.Error("nobody is told that it was lost")
			}
		}
	}
}

// The server is told where the node that serves is found, each time that this changes, until it is heard no more.
func TestWhoServes(t *testing.T) {
	var told []string
	n := newNode(Options{Node: "a", Nodes: map[string]string{"b": "10.0.0.7:11390"}, // an old file: b has moved
		Serves: func(at string) { told = append(told, at) }})
	n.table.Store(&members.Table{Version: 1, Nodes: []members.Node{{Name: "a"},
		{Name: "b", Address: "10.0.0.2:11390"}}})
	n.election = ownership.New(ownership.Config{Cluster: "x", Node: "a", Nodes: []string{"a", "b", "c"}, Shards: 1,
		Nonce: 1, Acts: mute{acts{n}}, Logger: slog.New(slog.DiscardHandler)}, 0)
	at := Addresses{Link: 11391, Console: "http://10.0.0.2:11380"}
	for now := time.Duration(0); now < 10*time.Second; now += ownership.BeatEach {
		m := ownership.Message{Version: ownership.Major, Kind: ownership.Hello, Cluster: "x", From: "b", Nonce: 2,
			Report: ownership.Report{Addresses: at}}
		if now > time.Second && now < 5*time.Second {
			m.Kind, m.Epochs = ownership.Beat, []uint64{1}
		}
		n.election.Receive(now, &m)
		n.election.Tick(now)
		n.tellWhoServes()
	}
	if want := []string{"10.0.0.2:11391", ""}; !slices.Equal(told, want) {
		t.Errorf("the server is told %v, want %v", told, want)
	}
	n.election.At = at
	if r, _, _ := n.election.Told("a"); r.Addresses != at {
		t.Errorf("the others are told %+v", r)
	}
	// A page leads to the host of a console, and to nothing else that a node might say.
	for url, leads := range map[string]string{
		"https://10.0.0.2:11380": "https://10.0.0.2:11380", "HTTP://u:p@[::1]:80/x?y#z": "http://[::1]:80",
		"http://\u202ea":      "http://%E2%80%AEa",
		"javascript:alert(1)": "", "javascript://b/%0aalert(1)": "", "data:,x": "", "//b": "", "http://:80": "", "": "",
	} {
		n.election.At.Console = url
		if is := n.nodeStatus("a").Console; is != leads {
			t.Errorf("%q becomes %q, want %q", url, is, leads)
		}
	}
}

// fussy are copies that refuse a record.
type fussy struct {
	Copies
	refuse, took uint64
}

func (f *fussy) Take(_ int, rec turns.Record, _ []byte, _ uint64) error {
	if rec.Number == f.refuse {
		return os.ErrPermission
	}
	f.took = rec.Number
	return nil
}

// CN4: a copy that has refused a record gets none any more.
func TestCopyRefuses(t *testing.T) {
	n := newNode(Options{})
	f := &fussy{refuse: 3}
	n.copies = f
	r := &replica{node: n}
	for number := uint64(1); number < 6; number++ {
		r.taken([]lanes.Entry{{Record: turns.Record{Number: number}}})
	}
	if f.took != 2 || !errors.Is(r.failure(), os.ErrPermission) {
		t.Errorf("it has taken %d, and failed with %v", f.took, r.failure())
	}
	if len(n.mail) != 1 {
		t.Error("the loop is told", len(n.mail), "times")
	}
}
