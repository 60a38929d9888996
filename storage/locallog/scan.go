package locallog

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// found is what the directory of a log holds. Looking changes nothing.
type found struct {
	fs     vfs.FS
	dir    string
	from   turns.Place
	names  []string // of the slots, with the directory
	sizes  []int64
	runs   []run
	opened map[uint64]uint64 // the lowest number that was found of each epoch
	mark   uint64
	marked bool

	// If set, it is told what the disk does not give, which is then taken for zeros.
	unreadable func(file string, at int64, why string)
	buf        []byte
}

// look reads a log, one slot at a time.
func look(f *found) error {
	f.opened = map[uint64]uint64{}
	names, err := f.fs.List(f.dir)
	if errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("storage: %w: there is no log in %s", storage.ErrCorrupt, f.dir)
	}
	if err != nil {
		return fmt.Errorf("storage: %w", err)
	}
	names = slices.DeleteFunc(names, func(name string) bool { return !strings.HasSuffix(name, slotSuffix) })
	slices.Sort(names)
	if f.mark, f.marked, err = readMark(f.fs, f.dir, f.from.Origin); err != nil {
		return err
	}
	for i, name := range names {
		f.names = append(f.names, f.fs.PathJoin(f.dir, name))
		content, err := f.content(i)
		if err != nil {
			return err
		}
		f.sizes = append(f.sizes, int64(len(content)))
		f.scan(i, content)
	}
	return nil
}

// content returns what is in a slot. It is valid until the next call.
func (f *found) content(slot int) ([]byte, error) {
	name := f.names[slot]
	file, err := f.fs.Open(name)
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, fmt.Errorf("storage: %w", err)
	}
	size := min(stat.Size(), maxSlot)
	f.buf = slices.Grow(f.buf[:0], int(size))[:size]
	if _, err = file.ReadAt(f.buf, 0); err == nil || errors.Is(err, io.EOF) {
		return f.buf, nil
	}
	if f.unreadable == nil {
		return nil, fmt.Errorf("storage: %s: %w", name, err)
	}
	f.piecewise(name, file)
	return f.buf, nil
}

// block is what a disk reads at least.
const block = 4096

// piecewise reads what can be read of a file.
func (f *found) piecewise(name string, file vfs.File) {
	for at := int64(0); at < int64(len(f.buf)); at += block {
		b := f.buf[at:min(at+block, int64(len(f.buf)))]
		if _, err := file.ReadAt(b, at); err != nil && !errors.Is(err, io.EOF) {
			clear(b)
			f.unreadable(name, at, err.Error())
		}
	}
}

// run is a row of records that chain, one directly behind the other.
type run struct {
	slot    int
	at, end int64 // with the padding behind the last
	tail    int64 // where the turns of the last record end
	first   uint64
	before  uint64 // the hash that the first record names
	last    turns.Place
	epochs  [2]uint64 // of the first record and of the last
	rest    bool      // the first record goes on with turns
	more    bool      // the turns in the last record go on in another
	synced  uint64    // the highest that a record in it claims
	holds   bool      // it has the record at which the store stands
}

// add takes a record into the run, if it follows.
func (r *run) add(rec *turns.Record, hash uint64, at, n int64) bool {
	switch {
	case r.end == 0:
		r.at, r.first, r.before, r.rest, r.epochs[0] = at, rec.Number, rec.Before, rec.Rest, rec.Epoch
	case !r.last.Takes(rec):
		return false
	}
	r.last = turns.Place{Origin: rec.Origin, Number: rec.Number, Hash: hash}
	r.end, r.tail = at+aligned(n), at+turns.Head+int64(len(rec.Turns))
	r.more, r.epochs[1], r.synced = rec.More, rec.Epoch, max(r.synced, rec.Synced)
	return true
}

// scan finds all records of this log in a slot, also what is left of its earlier uses.
func (f *found) scan(slot int, content []byte) {
	origin := f.from.Origin
	for at := turns.Find(content, origin, 0, align); at >= 0; at = turns.Find(content, origin, at, align) {
		one := run{slot: slot}
		for {
			r, hash, n, err := turns.Decode(content[at:])
			if err != nil || r.Origin != origin || !one.add(&r, hash, int64(at), int64(n)) {
				break
			}
			one.holds = one.holds || one.last == f.from
			if least, ok := f.opened[r.Epoch]; !ok || r.Number < least {
				f.opened[r.Epoch] = r.Number
			}
			at = int(min(one.end, int64(len(content))))
		}
		f.runs = append(f.runs, one)
	}
}

// follows says whether a run goes on behind a place.
func (r *run) follows(p turns.Place) bool { return r.first == p.Number+1 && r.before == p.Hash }

// chain follows the records from where the store stands as far as they can be read.
func (f *found) chain() (row []run, place turns.Place) {
	begins := slices.DeleteFunc(slices.Clone(f.runs), func(r run) bool { return r.at != 0 })
	slices.SortFunc(begins, func(a, b run) int { return cmp.Compare(a.first, b.first) })
	place = f.from
	for _, r := range begins {
		if r.follows(place) || r.holds && len(row) == 0 {
			row, place = append(row, r), r.last
		} // else left of an earlier use of the slot, or behind a gap
	}
	return row, place
}

// claim returns the highest number of which anything says that it had been synced.
func (f *found) claim() uint64 {
	most := f.mark
	for _, r := range f.runs {
		most = max(most, r.synced)
	}
	return most
}

// sound returns the log behind the store's place, unless something is missing that had been
// durable.
func (f *found) sound() (row []run, place turns.Place, err error) {
	if len(f.names) == 0 && (!f.marked || f.mark != f.from.Number) {
		return nil, place, fmt.Errorf("storage: %s: %w: the log behind record %d is gone", f.dir, storage.ErrCorrupt,
			f.from.Number)
	}
	row, place = f.chain()
	if claim := f.claim(); place.Number < claim {
		return nil, place, fmt.Errorf("storage: %s: %w: record %d cannot be read, and the log had been synced up to "+
			"record %d",
			f.suspect(row, place.Number), storage.ErrCorrupt, place.Number+1, claim)
	}
	return row, place, nil
}

// suspect names the slot in which the record behind a number must have been, or the log's
// directory, if a whole slot may be missing. It judges by the first record behind the gap.
func (f *found) suspect(row []run, number uint64) string {
	var next *run
	for i := range f.runs {
		if r := &f.runs[i]; r.first > number+1 && (next == nil || r.first < next.first) {
			next = r
		}
	}
	if next != nil && next.at > 0 {
		return f.names[next.slot]
	}
	if len(row) == 0 {
		return f.dir
	}
	last := row[len(row)-1]
	if next != nil && f.sizes[last.slot]-last.end <= turns.Overhead {
		return f.dir
	}
	return f.names[last.slot]
}
