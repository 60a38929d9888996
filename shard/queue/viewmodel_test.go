package queue

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// groupModel is a queue with views once more, as simply as possible. It does not say who
// is sent what, because several answers are right; it says whether what was sent was to be
// sent, and whether something is missing.
type groupModel struct {
	w     *world
	t     *testing.T
	rnd   *rand.Rand
	items map[uint64]*modelItem
	views map[string]*modelView
	held  map[uint64]bool   // by the worker
	delay map[uint64]int64  // until when
	given map[uint64]string // pending at a consumer of the first group
	just  map[uint64]bool   // ended by this step, which may send them on its way
}

type modelItem struct {
	id    uint64
	pri   uint32
	k     string // its tag
	ready bool   // it has been ready
	done  bool   // for the first group
}

type modelView struct {
	start   uint64
	k       string
	windows map[string]int        // of the users who are connected
	left    map[string]int64      // of those who are not, until when they keep what they have
	items   map[uint64]*modelPart // what it has got
}

// modelPart is an item as a view has it.
type modelPart struct {
	user string // at whom it is pending, or ""
	done bool
}

const modelLeaving = 10 * second

func (m *groupModel) gets(v *modelView, it *modelItem) bool {
	return it.id >= v.start && (v.k == "" || v.k == it.k)
}

// join lets a job that is ready enter the views.
func (m *groupModel) join(it *modelItem) {
	it.ready = true
	for _, v := range m.views {
		if m.gets(v, it) && v.items[it.id] == nil {
			v.items[it.id] = &modelPart{}
		}
	}
}

// sweep ends what all groups have done.
func (m *groupModel) sweep() {
	for id, it := range m.items {
		alive := !it.done
		for _, v := range m.views {
			p := v.items[id]
			alive = alive || p != nil && !p.done
		}
		if !alive {
			m.end(id)
		}
	}
}

// end ends an item for all.
func (m *groupModel) end(id uint64) {
	delete(m.items, id)
	delete(m.held, id)
	delete(m.delay, id)
	delete(m.given, id)
	for _, v := range m.views {
		delete(v.items, id)
	}
}

// saw takes in what was pushed, and says what is wrong with it.
func (m *groupModel) saw() {
	worst := map[string]*modelItem{}
	for _, text := range m.w.pushed {
		group, it, fresh := m.sawOne(text)
		if fresh && (worst[group] == nil || before(worst[group], it)) {
			worst[group] = it
		}
	}
	m.compare(worst)
	clear(m.just)
}

// sawOne takes in one push. It says whether a view was sent an item that it had not
// delivered.
func (m *groupModel) sawOne(text string) (group string, it *modelItem, fresh bool) {
	who, what, _ := strings.Cut(text, ":")
	group, user, _ := strings.Cut(who, ".")
	if what == "replaced" || what == "removed" {
		return group, nil, false
	}
	what, _, _ = strings.Cut(what, "/")
	id := number(what)
	if m.just[id] {
		return group, nil, false
	}
	if it = m.items[id]; it == nil {
		m.t.Fatalf("%s is sent item %d, which is not there", who, id)
	}
	if group == "g" {
		if m.held[id] || it.done || m.delay[id] > m.w.now || m.given[id] != "" && m.given[id] != user {
			m.t.Fatalf("%s is sent item %d, which another has", who, id)
		}
		m.given[id] = user
		return group, it, false
	}
	p := m.views[group].items[id]
	if p == nil || p.done || p.user != "" && p.user != user {
		m.t.Fatalf("%s is sent item %d, which is %+v", who, id, p)
	}
	fresh = p.user == ""
	p.user = user
	return group, it, fresh
}

func before(a, b *modelItem) bool { return a.pri < b.pri || a.pri == b.pri && a.id < b.id }

// compare looks for what is missing, or was passed over.
func (m *groupModel) compare(worst map[string]*modelItem) {
	for name, v := range m.views {
		pending := map[string]int{}
		var best *modelItem
		for id, p := range v.items {
			switch {
			case p.done:
			case p.user != "":
				pending[p.user]++
			case best == nil || before(m.items[id], best):
				best = m.items[id]
			}
		}
		if best != nil && worst[name] != nil && before(best, worst[name]) {
			m.t.Fatalf("view %s is sent item %d before %d", name, worst[name].id, best.id)
		}
		for user, window := range v.windows {
			if pending[user] > window {
				m.t.Fatalf("%s.%s has %d items, with a window of %d", name, user, pending[user], window)
			}
			if best != nil && pending[user] < window {
				m.t.Fatalf("%s.%s has room for item %d", name, user, best.id)
			}
		}
	}
	got := m.w.consumer("g.a", "attrs", nil)
	if want := fmt.Sprintf("length=%d ", len(m.items)); !strings.HasPrefix(got, want) {
		m.t.Fatalf("attributes are %q, want %q", got, want)
	}
	if n := len(m.w.log.Jobs); n != len(m.items) {
		m.t.Fatalf("L1: the log has %d jobs, want %d", n, len(m.items))
	}
}

// run runs a line of a script whose answer and pushes are looked at here.
func (m *groupModel) run(format string, args ...any) string {
	w := m.w
	w.given, w.wakes, w.called, w.pushed = nil, nil, nil, nil
	words := strings.Fields(fmt.Sprintf(format, args...))
	var got string
	switch {
	case words[0] == "restart":
		w.replay()
	case words[0] == "q":
		got = w.ask(words[1:])
	case strings.Contains(words[0], "."):
		got = w.consumer(words[0], words[1], words[2:])
	default:
		got = w.user(words[0]).do(words[1], words[2:])
	}
	w.feed()
	if err := w.check(); err != nil {
		m.t.Fatalf("%v: %v", words, err)
	}
	return got
}

// pick is one of the items that are there, or 0.
func (m *groupModel) pick() uint64 {
	ids := []uint64{}
	for id := range m.items {
		ids = append(ids, id)
	}
	if len(ids) == 0 {
		return 0
	}
	slices.Sort(ids)
	return ids[m.rnd.IntN(len(ids))]
}

// state is where the first group has an item.
func (m *groupModel) state(id uint64) JobState {
	slot := m.w.s.index.find(&m.w.s.jobs, id)
	if slot == 0 {
		return 0
	}
	return m.w.s.jobs.at(slot).state()
}

// The groups of a queue get what they are to get, whatever happens.
func TestGroupsModel(t *testing.T) {
	for seed := range uint64(24) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := newWideWorld(t, 0, []int{0, 3 * moving, moving}[seed%3])
			m := &groupModel{
				w: w, t: t, rnd: rand.New(rand.NewPCG(seed, 11)), items: map[uint64]*modelItem{},
				views: map[string]*modelView{}, held: map[uint64]bool{}, delay: map[uint64]int64{}, given: map[uint64]string{}, just: map[uint64]bool{},
			}
			w.limits.Leaving, w.limits.MaxDelivery = modelLeaving, 0
			m.run("g.a sub 1")
			for range 400 {
				modelActs[m.rnd.IntN(len(modelActs))](m)
			}
			m.drain()
		})
	}
}

// drain has every group finish what is there.
func (m *groupModel) drain() {
	m.pass(6 * second) // then none is delayed
	for round := 0; len(m.items) > 0; round++ {
		if round > 2000 {
			m.t.Fatalf("%d items do not end", len(m.items))
		}
		id := m.pick()
		switch {
		case m.held[id]:
			m.work(id, "delete")
		case m.given[id] != "":
			m.commitFirst(id)
		case m.state(id) == Ready || m.state(id) == Buried:
			m.run("w reserve-job %d", id)
			m.held[id] = true
			m.saw()
		}
		for name := range m.views {
			m.watch(name, "a", 50)
			m.commit(name, 50)
		}
	}
}
