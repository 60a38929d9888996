package fold

import (
	"math/rand/v2"
	"testing"

	"beanfield/storage/turns"

	"pgregory.net/rapid"
)

// compare says what a table has otherwise than a map of Go's.
func (t *table) compare(f interface{ Fatalf(string, ...any) }, want map[uint64]turns.At, absent []uint64) {
	n := 0
	for i := range t.parts {
		p := &t.parts[i]
		used := 0
		for _, e := range p.entries {
			if e.id != 0 {
				used++
			}
		}
		if used != p.n || 4*used > 3*len(p.entries) {
			f.Fatalf("part %d: %d entries of %d, and a count of %d", i, used, len(p.entries), p.n)
		}
		n += used
	}
	if n != len(want) || t.n != n {
		f.Fatalf("%d entries, and a count of %d; want %d", n, t.n, len(want))
	}
	for id, at := range want {
		if e := t.find(id); e == nil || e.id != id || e.at != at {
			f.Fatalf("%d: %+v, want %d", id, e, at)
		}
	}
	for _, id := range absent {
		if _, ok := want[id]; !ok && t.find(id) != nil {
			f.Fatalf("%d is found, and is not there", id)
		}
	}
}

// ids are those that hit a table in the worst ways.
var ids = map[string]func(i uint64) uint64{
	"in a row":      func(i uint64) uint64 { return i + 1 },
	"every eighth":  func(i uint64) uint64 { return 8*i + 3 },
	"every 64th":    func(i uint64) uint64 { return 64*i + 1 },
	"one part":      func(i uint64) uint64 { return inOnePart[i%uint64(len(inOnePart))] + i/uint64(len(inOnePart)) },
	"one place":     func(i uint64) uint64 { return inOnePlace[i%uint64(len(inOnePlace))] },
	"large numbers": func(i uint64) uint64 { return ^i },
	"powers":        func(i uint64) uint64 { return 1 << (i % 64) },
}

// inOnePart are ids of one part, whose blocks overlap. Those in
// inOnePlace want the last places of a part, so that they run over its end.
var inOnePart, inOnePlace = func() (part, place []uint64) {
	var t table
	for block := uint64(1); len(place) < 40; block++ {
		p, h := t.place(block << neighbours)
		if p != &t.parts[7] {
			continue
		}
		if part = append(part, block<<neighbours); h>>neighbours&255 == 255 {
			place = append(place, block<<neighbours+2, block<<neighbours+3)
		}
	}
	return part[:60], place
}()

// A table has what was put and not removed, whatever the ids and the order.
func TestTable(t *testing.T) {
	for name, id := range ids {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				var tab table
				want := map[uint64]turns.At{}
				count := rapid.Uint64Range(1, 600).Draw(t, "ids")
				r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
				bias := r.IntN(10)
				for at := range turns.At(1500) {
					id := id(r.Uint64N(count))
					if _, ok := want[id]; ok && r.IntN(10) > bias {
						tab.remove(id)
						delete(want, id)
					} else if !ok {
						tab.put(entry{id: id, at: at})
						want[id] = at
					}
					if at%100 == 0 {
						tab.spare()
					}
				}
				var all []uint64
				for i := range count {
					all = append(all, id(i))
				}
				tab.compare(t, want, all)
			})
		})
	}
}

// Ids as they are given, all to one shard or strided over several, are found after few steps,
// however many there are.
func TestTableStepsAreFew(t *testing.T) {
	for name, most := range map[string]float64{"in a row": 6, "every eighth": 3, "every 64th": 3} {
		var tab table
		worst, size := 0.0, 0
		for i := range 600_000 {
			tab.put(entry{id: ids[name](uint64(i))})
			if i%50_000 == 49_999 {
				if steps := tab.steps(); steps > worst {
					worst, size = steps, tab.n
				}
			}
		}
		if t.Logf("%s: %.2f steps to an entry of %d", name, worst, size); worst > most {
			t.Errorf("%s: %.2f steps, want at most %.1f", name, worst, most)
		}
	}
}

// steps is how many entries are looked at to find one, on average.
func (t *table) steps() float64 {
	steps := 0
	for i := range t.parts {
		entries := t.parts[i].entries
		for j, e := range entries {
			if e.id != 0 {
				_, h := t.place(e.id)
				steps += 1 + int((uint64(j)-h)&uint64(len(entries)-1))
			}
		}
	}
	return float64(steps) / float64(t.n)
}

// An empty table gives the memory of its large parts back.
func TestTableGivesMemoryBack(t *testing.T) {
	var tab table
	for id := range uint64(100_000) {
		tab.put(entry{id: id + 1})
	}
	for id := range uint64(100_000) {
		tab.remove(id + 1)
	}
	tab.spare()
	for i := range tab.parts {
		if n := len(tab.parts[i].entries); n > 4*leastPart {
			t.Fatalf("an empty part has room for %d", n)
		}
	}
	tab.compare(t, nil, []uint64{1, 2, 100_000})
}
