package pebblestore

import (
	"fmt"
	"slices"
)

// hear learns from mark and manifest which files there were.
func (s *salvage) hear(path string, names []string) {
	w := &witness{fs: s.dir.fs, dir: path, names: names}
	s.witness = w
	var err error
	if w.mark, w.marked, err = readMark(w.fs, path); err != nil {
		s.damaged(w.path(markName), err)
	}
	if _, err := w.marker("format-version"); err != nil {
		s.damaged(path, err)
	}
	name, err := w.marker("manifest")
	if err == nil {
		err = w.load(name)
	}
	if err != nil {
		s.damaged(path, err)
		w.manifest = nil
	}
	s.hearNewer(name)
	if w.manifest == nil {
		return
	}
	for number := range w.manifest.Tables {
		if name := tableName(number); !slices.Contains(names, name) {
			s.damagedf(w.path("%s", name), "it is missing")
			s.tableHole(number)
		}
	}
}

func tableName(number uint64) string { return fmt.Sprintf("%06d.sst", number) }

// hearNewer takes the newest manifest in place of another that the marker names, if that one
// cannot be read or does not fit the files that are there. When Pebble begins a new manifest it
// writes into it all that is in the old one, and moves the marker after that. So after
// a crash between the two, both fit.
func (s *salvage) hearNewer(named string) {
	w, found := s.witness, s.witness.manifest
	if found != nil && !w.misses() {
		return
	}
	newest := uint64(0)
	for _, e := range w.mark.manifests {
		newest = max(newest, e.number)
	}
	for _, n := range w.names {
		if number, ok := numbered(n, "MANIFEST-", ""); ok && !w.marked {
			newest = max(newest, number)
		}
	}
	name := fmt.Sprintf("MANIFEST-%06d", newest)
	if number, _ := numbered(named, "MANIFEST-", ""); number >= newest {
		return
	}
	if err := w.load(name); err != nil || found != nil && w.misses() {
		w.manifest = found
		return
	}
	s.damagedf(w.path("marker.manifest.*"), "it does not name %s, which is the newest manifest and is used here", name)
}

// misses says whether there is not all that the manifest names.
func (w *witness) misses() bool {
	for number := range w.manifest.Tables {
		if !slices.Contains(w.names, tableName(number)) {
			return true
		}
	}
	return false
}

// tableCounts says whether a table is in use. Others are left from a flush, a compaction or a
// body that was never taken over.
func (s *salvage) tableCounts(number uint64) bool {
	if s.witness.manifest == nil {
		return true
	}
	_, named := s.witness.manifest.Tables[number]
	return named
}

// doubts are about jobs whose records can be read, and which may have been deleted.
type doubts struct {
	// From the sequence number start up to next the logs have everything: each batch begins
	// with the number that follows on the one before. (A body that is taken over
	// has a number too, so that start may be too high.)
	start, next uint64
	lossy       bool      // deletes may be lost, other than those in holes
	cut         bool      // also newer ones than any that can be read
	holes       []idRange // the ids whose deletes may have been in what cannot be read of tables
}

// batch takes note of a batch in a log. They come in order.
func (d *doubts) batch(seq uint64, count uint32) {
	if seq != d.next {
		d.start = seq
	}
	d.next = seq + uint64(count)
}

// about says whether the delete of a job may be lost whose record has this sequence number.
func (d *doubts) about(id, seq uint64) bool {
	if !d.cut && d.next > 0 && seq >= d.start {
		return false // it would be in the logs
	}
	return d.lossy || slices.ContainsFunc(d.holes, func(h idRange) bool { return h.from <= id && id <= h.to })
}
