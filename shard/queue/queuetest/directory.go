package queuetest

import (
	"maps"
	"slices"
)

// Failer is what rapid's T and testing's have in common, as far as needed here.
type Failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// Directory checks that tubes and jobs come and go the way the router
// counts on: nothing ends twice, or without having begun.
type Directory struct {
	t      Failer
	Tubes  map[string]bool
	Gone   map[uint64]bool
	Last   uint64 // the highest id that was allotted
	Closed bool   // no jobs are taken
	Left   int    // how often there were jobs for other shards
}

// NewDirectory makes a directory that fails t.
func NewDirectory(t Failer) *Directory {
	return &Directory{t: t, Tubes: map[string]bool{}, Gone: map[uint64]bool{}}
}

func (d *Directory) TubeBorn(name string) {
	if d.Tubes[name] {
		d.t.Fatalf("tube %q is born twice", name)
	}
	d.Tubes[name] = true
}

func (d *Directory) TubeGone(name string) {
	if !d.Tubes[name] {
		d.t.Fatalf("tube %q ends without having begun", name)
	}
	delete(d.Tubes, name)
}

func (d *Directory) JobBorn(id uint64) (uint64, bool) {
	switch {
	case d.Closed:
		return 0, false
	case id == 0:
		d.Last++
		return d.Last, true
	}
	d.Last = max(d.Last, id)
	return id, true
}

// Spare allots an id that has ended.
func (d *Directory) Spare() uint64 {
	d.Last++
	d.Gone[d.Last] = true
	return d.Last
}

// JobsLeave counts how often there were jobs for other shards.
func (d *Directory) JobsLeave() { d.Left++ }

func (d *Directory) JobGone(id uint64) {
	if d.Gone[id] {
		d.t.Fatalf("job %d ends twice", id)
	}
	d.Gone[id] = true
}

// Names lists the tubes that exist, sorted.
func (d *Directory) Names() []string { return slices.Sorted(maps.Keys(d.Tubes)) }

// Deaf hears nothing.
type Deaf struct{}

func (Deaf) TubeBorn(string) {}
func (Deaf) TubeGone(string) {}
func (Deaf) JobGone(uint64)  {}
func (Deaf) Spare() uint64   { return 1 << 40 }
func (Deaf) JobsLeave()      {}

func (Deaf) JobBorn(id uint64) (uint64, bool) { return id, true }
