package storage

import (
	"reflect"
	"testing"
)

// A note brings back the purge that made it, and what no purge has made brings none.
func TestPurgeNotes(t *testing.T) {
	for _, p := range []Purge{{Number: 1}, {Number: 1<<64 - 1, Last: 1<<53 - 1, Spared: []uint64{1, 2, 1 << 52}}} {
		name, value := p.Note()
		if got := PurgeOf(&Note{Kind: NotePurge, Name: name, Value: value}); !reflect.DeepEqual(got, &p) {
			t.Errorf("%+v comes back as %+v", p, got)
		}
		for i := range value {
			if got := PurgeOf(&Note{Kind: NotePurge, Name: name, Value: value[:i]}); got != nil {
				t.Errorf("%d bytes of %x are %+v", i, value, got)
			}
		}
		for _, n := range []Note{{NoteTick, name, value}, {NotePurge, "x", value}, {NotePurge, "", value},
			{NotePurge, name, append(value, 0)}} {
			if got := PurgeOf(&n); got != nil {
				t.Errorf("%+v is %+v", n, got)
			}
		}
	}
}

// FuzzPurgeOf: nothing panics, and what is read comes out again.
func FuzzPurgeOf(f *testing.F) {
	f.Add("7", []byte("\x09\x02\x01\x03"))
	f.Fuzz(func(t *testing.T, name string, value []byte) {
		p := PurgeOf(&Note{Kind: NotePurge, Name: name, Value: value})
		if p == nil {
			return
		}
		name, value = p.Note()
		if got := PurgeOf(&Note{Kind: NotePurge, Name: name, Value: value}); !reflect.DeepEqual(got, p) {
			t.Errorf("%+v comes back as %+v", p, got)
		}
	})
}

// What a purge ends, and what not.
func TestPurgeEnds(t *testing.T) {
	p := &Purge{Number: 3, Last: 9, Spared: []uint64{2, 5}}
	for _, c := range []struct {
		what  string
		j     Job
		ended bool
	}{
		{"a job", Job{ID: 9, State: Buried}, true},
		{"one with tags", Job{ID: 1, State: Ready, Item: &Item{Tags: []byte("t")}}, true},
		{"one put later", Job{ID: 10, State: Ready}, false},
		{"one that is spared", Job{ID: 5, State: Ready}, false},
		{"one recorded later", Job{ID: 8, State: Ready, Item: &Item{Since: 3}}, false},
		{"one recorded after an earlier purge", Job{ID: 8, State: Ready, Item: &Item{Since: 2}}, true},
		{"one that leaves", Job{ID: 8, State: Ready, Item: &Item{Route: &Route{To: "t"}}}, false},
		{"one that has come", Job{ID: 8, State: Ready, Item: &Item{Route: &Route{Hops: 1}}}, true},
		{"no job", Job{ID: 8, State: Spent}, false},
	} {
		if c.j.Tube = "q"; p.Ended(&c.j) != c.ended {
			t.Errorf("%s has ended: %t", c.what, !c.ended)
		}
		var all Purges
		if all.Ended(&c.j) {
			t.Errorf("%s has ended without a purge", c.what)
		}
		name, value := p.Note()
		all.Add(&Queue{Tube: "q", Notes: []Note{{NoteTick, "n", nil}, {NotePurge, name, value}}})
		if other := (Job{ID: c.j.ID, Tube: "r", State: Ready}); all.Ended(&c.j) != c.ended || all.Ended(&other) {
			t.Errorf("%s, or a job of another tube, has ended: %t", c.what, !c.ended)
		}
	}
}
