package lanes

import (
	"errors"
	"testing"

	"beanfield/storage/turns"
)

const base = 4711

// P8: a log that goes on from an import is appended to by copies of it only. Who lacks what was
// imported sees a gap: at once if it knows of the import, else when it meets the first record.
func TestStoresWithoutTheImport(t *testing.T) {
	first := recordOf(1, 1, base, "x")
	for name, c := range map[string]struct {
		hash, told     uint64
		records        [][]byte
		gap, candidate bool
		place          uint64
	}{
		"the import":                    {base, base, [][]byte{first}, false, true, 1},
		"an empty store":                {0, base, [][]byte{first}, true, false, 0},
		"an empty one, and empty lanes": {0, base, nil, true, false, 0},
		"another import":                {base + 1, base, [][]byte{first}, true, false, 0},
		"an empty one that is not told": {0, 0, [][]byte{first}, true, false, 0},
		"a log without an import":       {0, 0, [][]byte{recordOf(1, 1, 0, "x")}, false, true, 1},
	} {
		l := New("a", turns.Place{Origin: origin, Hash: c.hash})
		l.Base(c.told)
		read := func(i int, records [][]byte) {
			l.Follow(i)
			r := l.Requests()
			if err := l.Read(r[len(r)-1].ID, 1, records, false); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		read(0, c.records)
		read(1, nil)
		if l.Gap() != c.gap || l.Place().Number != c.place {
			t.Errorf("%s: gap %v, at %d", name, l.Gap(), l.Place().Number)
		}
		l.Stand(1)
		for _, r := range l.Requests() {
			l.Read(r.ID, 0, nil, false)
		}
		if role, why := l.Role(); (role == Candidate) != c.candidate || !c.candidate && !errors.Is(why, ErrGap) {
			t.Errorf("%s: role %d, %v", name, role, why)
		}
	}
	l := New("a", turns.Place{Origin: origin, Number: 9, Hash: 3})
	if l.Base(base); l.Gap() {
		t.Error("a store that has records needs no base")
	}
}
