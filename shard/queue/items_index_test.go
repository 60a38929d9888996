package queue

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/shard/queue/cells"
)

// stock gives a tube jobs without its service.
func (w *world) stock(tube string, n int) {
	for range n {
		w.run("f use " + tube + "\nf put 0 0 60 -> " + fmt.Sprint(w.lastID+1))
	}
}

// A tube with many jobs gets its item index in shares, whatever happens meanwhile.
func TestItemIndexIsMadeInShares(t *testing.T) {
	w := newManyWorld(t, 0, 4*moving)
	w.stock("other", 50)
	w.stock("t", 40)
	w.stock("other", 3*cells.ChunkLen/2)
	w.run("f use t\nf put 0 0 60 -> " + fmt.Sprint(w.lastID+1))
	last := w.lastID
	w.run("f kick 0 -> 0")
	var got []string
	b := &Batch{Ops: []Op{{Kind: Service, Ask: &Ask{What: AskGet, Queue: "t", Length: 99, Limits: testLimits}}}}
	turns := 0
	for ; !w.s.Run(w.now, b); turns++ {
		w.s.Tick(w.now)
		switch turns {
		case 1:
			w.run("q put t requestId=r -> " + fmt.Sprint(last+1) + "\nq delete t 51 90")
		case 2:
			w.run("f delete 52\nf delete 89\nf delete 3")
		}
		if err := w.s.Check(); err != nil {
			t.Fatalf("turn %d: %v", turns, err)
		}
	}
	var want []string
	for id := uint64(53); id <= 88; id++ {
		want = append(want, fmt.Sprint(id))
	}
	want = append(want, fmt.Sprint(last), fmt.Sprint(last+1))
	for _, it := range b.Ops[0].Ask.Found.Items {
		got = append(got, fmt.Sprint(it.Index))
	}
	if !slices.Equal(got, want) {
		t.Errorf("found are %v, want %v", got, want)
	}
	if turns < 5 {
		t.Errorf("%d turns", turns)
	}
	w.run("q get t requestId=r -> " + fmt.Sprint(last+1))
}

// What goes through many items stops when the share of a turn is used up.
func TestAsksTakeShares(t *testing.T) {
	w := newManyWorld(t, 0, 4*moving)
	w.stock("t", 100)
	all := make([]string, 100)
	for i := range all {
		all[i] = fmt.Sprint(i + 1)
	}
	for _, step := range []string{
		"q count t -> 100", "q count t k=v -> 0", "q get t k=v -> empty", "q get t from=-1 k=v -> empty",
		"q search t 100 -> before=99",
		"q get t len=100 -> " + strings.Join(all, " "), "q get t len=60 take -> " + strings.Join(all[:60], " "),
		"q delete t " + strings.Join(all[60:80], " "), "q trunc t 95", "q count t -> 6",
	} {
		w.slices = 0
		w.run(step)
		least := 2
		if strings.HasPrefix(step, "q count t ->") {
			least = 0
		}
		if w.slices < least || least == 0 && w.slices > 1 {
			t.Errorf("%.30s: %d turns", step, w.slices)
		}
	}
}

// The answer of a get is cut when it is large, but has at least one item.
func TestGetIsCut(t *testing.T) {
	w := newWorld(t)
	w.run(fmt.Sprintf("q put t size=%d -> 1\nq put t size=%d -> 2\nq put t -> 3", maxVolume+1, maxVolume/2))
	w.run(fmt.Sprintf("q put t size=%d -> 4\nq put t -> 5", maxVolume))
	w.run("q get t len=9 -> 1\nq get t from=2 len=9 -> 2 3 4\nq get t len=9 take -> 1\nq get t len=9 take -> 2 3 " +
		"4\nq get t len=9 take -> 5")
}

// An answer that was cut because it is large says so; one that has all that there is does not.
func TestGetSaysThatItIsCut(t *testing.T) {
	w := newWorld(t)
	w.run(fmt.Sprintf("q put t size=%d -> 1\nq put t size=%d -> 2\nq put t -> 3", maxVolume, maxVolume/2))
	for _, c := range []struct {
		from   uint64
		length int
		cut    bool
	}{{1, 1, false}, {1, 2, false}, {1, 3, true}, {2, 9, false}, {NewestIndex, 2, false}, {NewestIndex, 3, false},
		{NewestIndex, 9, true}} {
		if c.from == NewestIndex && c.length == 9 {
			w.run(fmt.Sprintf("q put t size=%d -> 4\nq put t size=%d -> 5", maxVolume, maxVolume))
		}
		b := &Batch{Ops: []Op{{Kind: Service, Ask: &Ask{What: AskGet, Queue: "t", Index: c.from, Length: c.length,
			Limits: testLimits}}}}
		for !w.s.Run(w.now, b) {
		}
		if a := b.Ops[0].Ask; a.Cut != c.cut {
			t.Errorf("%d from %d: %d items, cut %v", c.length, c.from, len(a.Found.Items), a.Cut)
		}
	}
}

// Where very many items have one request id, a get still finds them in order.
func TestManyOfOneRequest(t *testing.T) {
	w := newManyWorld(t, 0, 4*moving)
	for id := range 3 * ringMost {
		w.run(fmt.Sprintf("q put t requestId=x k=%d -> %d", id+1, id+1))
	}
	w.run(fmt.Sprintf("q get t requestId=x k=%d -> %d", 3*ringMost, 3*ringMost))
	w.run("q get t requestId=x len=3 take -> 1 2 3\nq get t requestId=x from=150 -> 150\nq get t requestId=x " +
		"from=193 -> empty")
}

// Large bodies may be put out of order; what finds items keeps the order.
func TestLateItems(t *testing.T) {
	w := newWorld(t)
	for _, id := range []int{3, 1, 5, 2, 4} {
		op := Op{Kind: Service, ID: uint64(id), Ask: &Ask{
			What: AskPut, Queue: "t", Limits: testLimits, Tags: MakeTags(map[string]string{TagRequest: "x",
				"k": fmt.Sprint(id)}),
		}}
		w.service(&op)
		if err := w.check(); err != nil {
			t.Fatal(err)
		}
	}
	w.run("q get t len=9 -> 1 2 3 4 5\nq get t requestId=x len=9 -> 1 2 3 4 5\nq get t requestId=x k=4 -> 4")
}

// Ten thousand gets that wait for other requests cost a put nothing.
func TestManyGetsWait(t *testing.T) {
	w := newWorld(t)
	for i := range 10_000 {
		op := Op{Kind: Service, Ask: &Ask{
			What: AskGet, Queue: "t", Limits: testLimits, Length: 1, Take: true, Wait: true,
			Getter: w.caller(fmt.Sprint(i)), Tags: MakeTags(map[string]string{TagRequest: fmt.Sprint("r", i)}),
		}}
		w.service(&op)
		if op.Status != Waiting {
			t.Fatalf("the get is answered %v", op.Status)
		}
	}
	w.s.renew()
	for i := range 3 {
		share := w.s.share
		op := Op{Kind: Service, Ask: &Ask{
			What: AskPut, Queue: "t", Limits: testLimits,
			Tags: MakeTags(map[string]string{TagRequest: fmt.Sprint("r", i+100)}),
		}}
		b := &Batch{Ops: []Op{op}}
		w.s.Apply(w.now, b, &b.Ops[0])
		if spent := share - w.s.share; spent > looking {
			t.Errorf("a put costs %d", spent)
		}
	}
	w.called = nil
	w.tryAgain()
	if want := []string{"100!", "101!", "102!"}; !slices.Equal(w.called, want) {
		t.Errorf("called are %v, want %v", w.called, want)
	}
	if err := w.check(); err != nil {
		t.Error(err)
	}
}

func TestGetFinds(t *testing.T) {
	runScripts(t, []script{
		{"delayed items show when their time has come, or when they are fetched by id", `
			a use t
			a put 0 5 60 -> 1
			a put 0 5 60 -> 2
			q get t wait=g -> waiting
			a reserve-job 1 -> 1 => g!
			q get t wait=g from=2 -> waiting
			q get t wait=h take -> waiting
			+5s => g! h!`},
		{"no queue is made by asking", `
			q get t -> empty
			q count t -> 0
			q search t 1 -> no
			a stats-tube t -> no`},
	})
}

// An item costs the same whether one get or a thousand wait to take it.
func TestGetsThatTake(t *testing.T) {
	spent := func(waiting int) int {
		w := newWorld(t)
		for i := range waiting {
			w.run(fmt.Sprintf("q get t wait=g%d take -> waiting", i))
		}
		w.s.renew()
		before := w.s.share
		op := Op{Kind: Service, Ask: &Ask{What: AskPut, Queue: "t", Limits: testLimits}}
		w.s.Apply(w.now, &Batch{}, &op)
		if len(w.s.Called) != 1 {
			t.Fatalf("%d gets are called for one item", len(w.s.Called))
		}
		return before - w.s.share
	}
	if one, many := spent(1), spent(500); many != one {
		t.Errorf("a put costs %d with many waiting gets, %d with one", many, one)
	}
}
