package queue

import (
	"fmt"
	"maps"
	"slices"
)

// modelActs are what may happen to a queue with views, the more often the more often
// they stand here.
var modelActs = []func(*groupModel){
	(*groupModel).putItem, (*groupModel).putItem, (*groupModel).putItem, (*groupModel).putItem,
	(*groupModel).putLater, (*groupModel).watchAny, (*groupModel).watchAny, (*groupModel).leaveAny,
	(*groupModel).commitAny, (*groupModel).commitAny, (*groupModel).commitAny, (*groupModel).refuseAny,
	(*groupModel).firstAny, (*groupModel).firstAny, (*groupModel).workAny, (*groupModel).workAny,
	(*groupModel).endAny, (*groupModel).takeAny, (*groupModel).dropAny, (*groupModel).timeAny, (*groupModel).restartAny,
}

func (m *groupModel) putItem() {
	it := &modelItem{pri: uint32(m.rnd.IntN(3)), k: []string{"", "v"}[m.rnd.IntN(2)]}
	tag := ""
	if it.k != "" {
		tag = "k=" + it.k
	}
	it.id = number(m.run("g.p item %d %s", it.pri, tag))
	m.items[it.id] = it
	m.join(it)
	m.saw()
}

func (m *groupModel) putLater() {
	it := &modelItem{pri: uint32(m.rnd.IntN(3))}
	it.id = number(m.run("w put %d 5 100000", it.pri))
	m.items[it.id] = it
	m.delay[it.id] = m.w.now + 5*second
	m.saw()
}

// view picks a view that is there, or "".
func (m *groupModel) view() string {
	names := []string{}
	for name := range m.views {
		names = append(names, name)
	}
	if len(names) == 0 {
		return ""
	}
	slices.Sort(names)
	return names[m.rnd.IntN(len(names))]
}

func (m *groupModel) watchAny() {
	m.watch([]string{"h", "i", "j"}[m.rnd.IntN(3)], []string{"a", "b"}[m.rnd.IntN(2)], m.rnd.IntN(4))
}

func (m *groupModel) watch(name, user string, window int) {
	v := m.views[name]
	words := ""
	if v == nil {
		v = &modelView{windows: map[string]int{}, left: map[string]int64{}, items: map[uint64]*modelPart{}}
		m.views[name] = v
		switch name {
		case "i":
			v.k, words = "v", "k=v"
		case "j":
			v.start, words = m.w.lastID/2, fmt.Sprint("index=", m.w.lastID/2)
		}
		for _, it := range m.items {
			if m.delay[it.id] == 0 && m.gets(v, it) {
				v.items[it.id] = &modelPart{}
			}
		}
	}
	v.windows[user] = window
	delete(v.left, user)
	for _, p := range v.items { // those that are sent again are seen
		if p.user == user && !p.done {
			p.user = ""
		}
	}
	m.run("%s.%s sub %d %s", name, user, window, words)
	m.unordered()
}

// unordered looks at what was pushed, some of it again, in the order of the first time.
func (m *groupModel) unordered() {
	for _, text := range m.w.pushed {
		m.sawOne(text)
	}
	m.compare(nil)
	clear(m.just)
}

func (m *groupModel) leaveAny() {
	name := m.view()
	if name == "" {
		return
	}
	v := m.views[name]
	for _, user := range []string{"a", "b"} {
		if _, there := v.windows[user]; there {
			m.run("%s.%s leave", name, user)
			delete(v.windows, user)
			v.left[user] = m.w.now + modelLeaving
			m.saw()
			return
		}
	}
}

// pending lists what is pending at a user of a view, or at all.
func (v *modelView) pending(user string) (ids []uint64) {
	for id, p := range v.items {
		if !p.done && p.user != "" && (user == "" || p.user == user) {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (m *groupModel) commitAny() {
	name := m.view()
	switch {
	case name == "":
	case m.rnd.IntN(3) > 0:
		m.commit(name, 1+m.rnd.IntN(3))
	default: // what its consumers may have been sent before
		id := m.pick()
		if p := m.views[name].items[id]; p != nil {
			p.done = true
		}
		m.sweep()
		m.run("%s.z commit %d", name, id)
		m.saw()
	}
}

func (m *groupModel) commit(name string, most int) {
	v := m.views[name]
	words := "0 999999"
	for _, id := range v.pending("") {
		if most--; most < 0 {
			break
		}
		words += fmt.Sprint(" ", id)
		v.items[id].done = true
	}
	m.sweep()
	m.run("%s.z commit %s", name, words)
	m.saw()
}

func (m *groupModel) refuseAny() {
	name := m.view()
	if name == "" {
		return
	}
	v := m.views[name]
	user := []string{"a", "b"}[m.rnd.IntN(2)]
	ids := v.pending(user)
	if len(ids) == 0 {
		return
	}
	id := ids[m.rnd.IntN(len(ids))]
	v.items[id].user = ""
	m.run("%s.%s negative Bad why %d", name, user, id)
	m.saw()
}

func (m *groupModel) firstAny() {
	if id := m.pick(); id != 0 && m.rnd.IntN(4) == 0 && m.state(id) == Ready {
		m.commitFirst(id)
		return
	}
	for _, id := range slices.Sorted(maps.Keys(m.given)) {
		m.commitFirst(id)
		return
	}
}

func (m *groupModel) commitFirst(id uint64) {
	delete(m.given, id)
	m.items[id].done = true
	m.sweep()
	m.run("g.a commit %d", id)
	m.saw()
}

func (m *groupModel) workAny() {
	if len(m.held) > 0 && m.rnd.IntN(2) == 0 {
		id := slices.Sorted(maps.Keys(m.held))[0]
		m.work(id, []string{"delete", "release", "bury"}[m.rnd.IntN(3)])
		return
	}
	got := m.run("w poll")
	if got != "timeout" {
		id := number(got)
		if m.items[id] == nil || m.items[id].done || m.held[id] || m.given[id] != "" {
			m.t.Fatalf("a worker gets item %d", id)
		}
		m.held[id] = true
	}
	m.saw()
}

func (m *groupModel) work(id uint64, verb string) {
	delete(m.held, id)
	switch verb {
	case "delete":
		m.items[id].done = true
		m.sweep()
		m.run("w delete %d", id)
	case "release":
		m.run("w release %d %d 0", id, m.items[id].pri)
	case "bury":
		m.run("w bury %d %d", id, m.items[id].pri)
	}
	m.saw()
}

func (m *groupModel) endAny() {
	if m.rnd.IntN(3) > 0 {
		return
	}
	id := m.pick()
	if id == 0 {
		return
	}
	if m.rnd.IntN(2) == 0 {
		m.end(id)
		m.run("q delete default %d", id)
	} else {
		for other := range m.items {
			if other < id {
				m.just[other] = true
				m.end(other)
			}
		}
		m.run("q trunc default %d", id)
	}
	m.saw()
}

func (m *groupModel) takeAny() {
	got := m.run("q get default take")
	if got != "empty" {
		id := number(got)
		if m.items[id] == nil || m.items[id].done || m.held[id] || m.given[id] != "" {
			m.t.Fatalf("a get takes item %d", id)
		}
		m.end(id)
	}
	m.saw()
}

func (m *groupModel) dropAny() {
	name := m.view()
	if name == "" || m.rnd.IntN(4) > 0 {
		return
	}
	delete(m.views, name)
	m.sweep()
	m.run("%s.a drop", name)
	m.saw()
}

func (m *groupModel) timeAny() { m.pass(int64(1+m.rnd.IntN(6)) * second) }

// pass lets time pass. What is due on the way is seen at its end.
func (m *groupModel) pass(d int64) {
	m.w.given, m.w.wakes, m.w.called, m.w.pushed = nil, nil, nil, nil
	m.w.advance(d)
	m.w.feed()
	for id, at := range m.delay {
		if at <= m.w.now {
			delete(m.delay, id)
			m.join(m.items[id])
		}
	}
	for _, v := range m.views {
		for user, at := range v.left {
			if at > m.w.now {
				continue
			}
			delete(v.left, user)
			for _, id := range v.pending(user) {
				v.items[id].user = ""
			}
		}
	}
	m.unordered()
}

func (m *groupModel) restartAny() {
	if m.rnd.IntN(4) > 0 {
		return
	}
	m.run("restart")
	clear(m.held)
	clear(m.given)
	for _, v := range m.views {
		clear(v.windows)
		clear(v.left)
		for _, p := range v.items {
			p.user = ""
		}
	}
	m.run("g.a sub 1")
	m.saw()
}
