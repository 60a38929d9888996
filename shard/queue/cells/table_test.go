package cells

import (
	"math/rand/v2"
	"testing"
)

// filed are records in a table, each with its hash.
type filed struct {
	Table
	refs   []uint32
	hashes []uint32 // by records
}

func newFiled() *filed { return &filed{Table: NewTable(), hashes: []uint32{0}} }

func (f *filed) hashOf(ref uint32) uint32 { return f.hashes[ref] }

func (f *filed) add(hash uint32) {
	ref := uint32(len(f.hashes))
	f.refs, f.hashes = append(f.refs, ref), append(f.hashes, hash)
	f.Add(hash, ref, f.hashOf)
}

// find says whether a record is found.
func (f *filed) find(ref uint32) bool {
	return f.Find(f.hashes[ref], func(r uint32) bool { return r == ref }) == ref
}

func (f *filed) check(t *testing.T) {
	t.Helper()
	asked := 0
	if err := f.Check(func(ref uint32) uint32 { asked++; return f.hashes[ref] }); err != nil {
		t.Fatal(err)
	}
	if asked != len(f.refs) {
		t.Fatalf("%d records are there, want %d", asked, len(f.refs))
	}
	for _, ref := range f.refs {
		if !f.find(ref) {
			t.Fatalf("record %d is not found", ref)
		}
	}
	if room := len(f.chunks) << lineShift; room < int(f.Len()) || room > int(f.Len())+2*lineChunk {
		t.Fatalf("memory for %d buckets, %d in use", room, f.Len())
	}
}

// A table grows and shrinks again, bucket by bucket, and loses nothing: with few buckets, whose records have to be
// asked for their hashes, with many, and with so many records in one bucket that they fill lines.
func TestTable(t *testing.T) {
	const crowd = 12345  // the hash of many
	const many = 480_000 // buckets are known by so many bits of the hash that the prints have some of them
	rnd := rand.New(rand.NewPCG(1, 2))
	f := newFiled()
	for _, target := range []int{1, 0, 1792, 1793, 5000, 200, 9000, 4000, 0, 3000, many, many / 5, 1} {
		for grows := len(f.refs) < target; len(f.refs) != target; {
			if len(f.refs) == 0 || grows == (rnd.IntN(5) > 0) {
				hash := rnd.Uint32()
				if len(f.refs) < 3000 && rnd.IntN(50) == 0 {
					hash = crowd
				}
				f.add(hash)
				continue
			}
			i, last := rnd.IntN(len(f.refs)), len(f.refs)-1
			ref := f.refs[i]
			f.refs[i], f.refs = f.refs[last], f.refs[:last]
			if f.Remove(f.hashes[ref], ref); f.find(ref) {
				t.Fatalf("record %d is found after its end", ref)
			}
		}
		f.check(t)
	}
	if f.Len() != 1<<tableMinLevel || f.more.Used() > 1 {
		t.Errorf("%d buckets and %d lines are left for one record", f.Len(), f.more.Used())
	}
}

// Find asks about those records only whose hash has the same print.
func TestTableAsksSeldom(t *testing.T) {
	const records, others = 100_000, 100_000
	rnd := rand.New(rand.NewPCG(3, 4))
	f := newFiled()
	for range records {
		f.add(rnd.Uint32())
	}
	asked := 0
	for range others {
		f.Find(rnd.Uint32(), func(uint32) bool { asked++; return false })
	}
	if asked > others/100 {
		t.Errorf("%d times in %d, a record was looked at in vain", asked, others)
	}
}
