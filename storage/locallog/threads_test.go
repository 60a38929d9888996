package locallog

import (
	"fmt"
	"path"
	"slices"
	"testing"

	"beanfield/storage/turns"
)

// crafted is a log made record by record, as crashes and damage may leave it.
type crafted struct {
	d *disk
}

// row writes records that chain, in one slot behind what is there, and returns the hash of
// the last. Their turns are the epoch and the number. before is the hash that the first names.
func (c crafted) row(slot int, epoch, first, last, before, synced uint64) (hash uint64) {
	name := path.Join("log", slotName(slot))
	for n := first; n <= last; n++ {
		var b []byte
		b, hash = turns.Append(nil, turns.Record{
			Origin: origin, Epoch: epoch, Number: n, Before: before, Synced: synced,
			Turns: fmt.Appendf(nil, "%d/%d", epoch, n),
		})
		c.d.seen[name] = append(c.d.seen[name], append(b, make([]byte, aligned(int64(len(b)))-int64(len(b)))...)...)
		before = hash
	}
	return hash
}

// gap leaves room for what cannot be read.
func (c crafted) gap(slot int) {
	name := path.Join("log", slotName(slot))
	c.d.seen[name] = append(c.d.seen[name], make([]byte, 64)...)
}

// marked sets the mark.
func (c crafted) marked(number uint64) {
	c.d.seen[path.Join("log", markName)] = markOf(nil, origin, number)
}

// lost is the hash of a record that is not there.
const lost = 4711

// doubt is a log of which not everything can be believed.
type doubt struct {
	what string
	make func(c crafted) (from turns.Place)
	want []string
}

// rivals are records that could be of the log, but not all of them.
var rivals = []doubt{
	{"a row behind a record that had been durable, not a longer one behind one that a crash took",
		func(c crafted) turns.Place {
			c.row(0, 1, 1, 1, 0, 0)
			c.row(1, 1, 5, 9, lost, 3) // the crash took 4
			third := c.row(2, 1, 3, 3, lost, 2)
			c.row(2, 2, 4, 5, third, 3)
			c.marked(5)
			return turns.Place{Origin: origin}
		}, []string{"1/1", "1/3", "2/4", "2/5"}},
	{"the row that knows of later syncs", func(c crafted) turns.Place {
		c.row(0, 2, 1, 2, 0, 0)
		c.row(1, 2, 4, 8, lost, 1) // the crash took 3
		c.row(2, 3, 4, 6, lost, 2)
		c.marked(6)
		return turns.Place{Origin: origin}
	}, []string{"2/1", "2/2", "3/4", "3/5", "3/6"}},
	{"the row that goes on", func(c crafted) turns.Place {
		c.row(0, 2, 1, 2, 0, 0)
		c.row(1, 2, 4, 4, lost, 2)
		c.row(2, 3, 4, 6, lost, 2)
		c.marked(6)
		return turns.Place{Origin: origin}
	}, []string{"2/1", "2/2", "3/4", "3/5", "3/6"}},
}

// intruders are records that are not of the log, or not once more.
var intruders = []doubt{
	{"nothing that does not chain to the record before it", func(c crafted) turns.Place {
		c.row(0, 1, 7, 8, lost, 3)
		c.row(1, 2, 5, 6, lost, 4)
		c.marked(7)
		return turns.Place{Origin: origin, Number: 3, Hash: lost}
	}, []string{"2/5", "2/6"}},
	{"nothing that does not chain to the store's place", func(c crafted) turns.Place {
		c.row(0, 1, 4, 6, lost, 3)
		c.row(1, 2, 8, 9, lost, 7)
		c.marked(9)
		return turns.Place{Origin: origin, Number: 3, Hash: lost + 1}
	}, []string{"2/8", "2/9"}},
	{"nothing that has another record at the store's place", func(c crafted) turns.Place {
		c.row(0, 1, 2, 6, lost, 3)
		c.row(1, 2, 8, 9, lost, 7)
		c.marked(9)
		return turns.Place{Origin: origin, Number: 3, Hash: lost}
	}, []string{"2/8", "2/9"}},
	{"nothing of an opening that had ended before", func(c crafted) turns.Place {
		first := c.row(0, 1, 1, 1, 0, 0)
		c.row(0, 2, 2, 2, first, 1)
		c.gap(0)
		c.row(0, 1, 4, 5, lost, 1)
		c.row(1, 2, 7, 7, lost, 6)
		return turns.Place{Origin: origin}
	}, []string{"1/1", "2/2", "2/7"}},
	{"nothing behind what a crash took", func(c crafted) turns.Place {
		c.row(0, 1, 1, 1, 0, 0)
		c.row(1, 1, 5, 6, lost, 1)
		c.marked(3)
		return turns.Place{Origin: origin}
	}, []string{"1/1"}},
	{"a row in two slots, whole", func(c crafted) turns.Place {
		c.row(0, 1, 1, 2, 0, 0)
		fifth := c.row(2, 1, 4, 5, lost, 3)
		c.row(1, 1, 6, 7, fifth, 5)
		return turns.Place{Origin: origin}
	}, []string{"1/1", "1/2", "1/4", "1/5", "1/6", "1/7"}},
	{"what comes twice, once", func(c crafted) turns.Place {
		second := c.row(0, 1, 1, 2, 0, 0)
		c.gap(1)
		c.row(1, 1, 3, 3, second, 2)
		c.row(2, 1, 3, 4, second, 2)
		c.row(3, 1, 6, 6, lost, 5)
		return turns.Place{Origin: origin}
	}, []string{"1/1", "1/2", "1/3", "1/4", "1/6"}},
}

// G3: where two records have one number, or could not both be of the log, the one is given
// for which there is proof, or else more reason.
func TestSalvageBelieves(t *testing.T) {
	for _, c := range slices.Concat(rivals, intruders) {
		d := newDisk()
		from := c.make(crafted{d})
		given, told := salvaged(t, d, from)
		var got []string
		for _, a := range given {
			got = append(got, a.text)
		}
		if !slices.Equal(got, c.want) || len(told) == 0 {
			t.Errorf("%s: %q are given, want %q; told is %q", c.what, got, c.want, told)
		}
	}
}
