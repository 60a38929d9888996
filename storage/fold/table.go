package fold

import "beanfield/storage/turns"

// entry is what a window knows of one job: of its record, or of its update.
type entry struct {
	id   uint64   // 0 for none
	at   turns.At // of the operation that counts
	n    uint32   // how long the operation is
	what what
}

// what an entry says.
type what uint8

const (
	set     what = 1 << iota // the operation has the value
	gone                     // the job ends with the operation, and the store has it
	updated                  // with gone: the store, or this window, may have an update
	large                    // the job ends with the operation, and its body is kept apart
	moving                   // the operation is in a share that is on its way to the store
)

// table finds entries by the ids of jobs. It is many small tables with open addressing, so
// that none takes long to grow: commits wait meanwhile. Four ids in a row lie side by side,
// since jobs come and go in the order of their ids, more or less: a map of Go's takes two or
// three times as long. (With sixteen, those that meet step over each other's rows: it took
// twice as long with 400,000 entries.)
type table struct {
	parts [tableParts]part
	n     int
}

const (
	tableParts = 256
	leastPart  = 16
	neighbours = 2 // bits of an id that do not change the place
)

type part struct {
	entries []entry // as many as a power of two, at least a quarter of them empty
	n       int
}

// place returns the part of an id, and its hash there.
func (t *table) place(id uint64) (*part, uint64) {
	mixed := (id >> neighbours) * 0x9e3779b97f4a7c15
	return &t.parts[mixed>>56], mixed>>24<<neighbours | id&(1<<neighbours-1)
}

// find returns the entry of an id, or nil. It is valid until the table is changed.
func (t *table) find(id uint64) *entry {
	p, h := t.place(id)
	if p.n == 0 {
		return nil
	}
	mask := uint64(len(p.entries) - 1)
	for i := h & mask; p.entries[i].id != 0; i = (i + 1) & mask {
		if p.entries[i].id == id {
			return &p.entries[i]
		}
	}
	return nil
}

// put adds an entry for an id that has none.
func (t *table) put(e entry) {
	p, h := t.place(e.id)
	if p.n >= len(p.entries)/4*3 {
		p.grow(t)
	}
	p.insert(e, h)
	p.n++
	t.n++
}

func (p *part) insert(e entry, h uint64) {
	mask := uint64(len(p.entries) - 1)
	i := h & mask
	for p.entries[i].id != 0 {
		i = (i + 1) & mask
	}
	p.entries[i] = e
}

func (p *part) grow(t *table) {
	old := p.entries
	p.entries = make([]entry, max(leastPart, 2*len(old)))
	for _, e := range old {
		if e.id != 0 {
			_, h := t.place(e.id)
			p.insert(e, h)
		}
	}
}

// remove removes the entry of an id. Those behind it that would no longer be found move up.
func (t *table) remove(id uint64) {
	p, h := t.place(id)
	mask := uint64(len(p.entries) - 1)
	i := h & mask
	for p.entries[i].id != id {
		i = (i + 1) & mask
	}
	for j := i; ; {
		j = (j + 1) & mask
		if p.entries[j].id == 0 {
			break
		}
		_, want := t.place(p.entries[j].id)
		if (j-want)&mask >= (j-i)&mask {
			p.entries[i] = p.entries[j]
			i = j
		}
	}
	p.entries[i] = entry{}
	p.n--
	t.n--
}

// spare gives back the memory of parts that are empty and had been large.
func (t *table) spare() {
	for i := range t.parts {
		if p := &t.parts[i]; p.n == 0 && len(p.entries) > 4*leastPart {
			p.entries = nil
		}
	}
}
