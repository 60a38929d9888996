package repair

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"beanfield/storage/pebblestore/database"
)

// hear learns from sync progress and manifest which files there were.
func (s *salvage) hear(path string, names []string) {
	w := &Witness{FS: s.dir.FS, Dir: path, Names: names}
	s.witness = w
	var err error
	if w.Progress, w.told, err = database.ReadProgress(w.FS, path); err != nil {
		s.damaged(w.Path(database.ProgressName), err)
	}
	if _, err := w.Marker("format-version"); err != nil {
		s.damaged(path, err)
	}
	name, err := w.Marker("manifest")
	if err == nil {
		err = w.load(name)
	}
	if err != nil {
		s.damaged(path, err)
		w.Manifest = nil
	}
	s.hearNewer(name)
	if w.Manifest == nil {
		// Nobody knows which tables are missing. And a delete may have gone with a table that
		// is of no more use, while that of its job is still there.
		s.doubts.lossy, s.result.QueuesInDoubt = true, true
		s.hole(1, math.MaxUint64)
		return
	}
	for number := range w.Manifest.Tables {
		if name := TableName(number); !slices.Contains(names, name) {
			s.damagedf(w.Path("%s", name), "it is missing")
			s.tableHole(number)
		}
	}
}

func TableName(number uint64) string { return fmt.Sprintf("%06d.sst", number) }

// hearNewer takes the newest manifest in place of the one that the marker names, unless that one
// fits the tables better. When Pebble begins a new manifest it writes into it all that is in
// the old one, and moves the marker after that. So after a crash between the two, both
// say the same.
func (s *salvage) hearNewer(named string) {
	w, found := s.witness, s.witness.Manifest
	newest := uint64(0)
	for _, e := range w.Progress.Manifests {
		newest = max(newest, e.Number)
	}
	for _, n := range w.Names {
		if number, ok := database.Numbered(n, "MANIFEST-", ""); ok && !w.told {
			newest = max(newest, number)
		}
	}
	name := fmt.Sprintf("MANIFEST-%06d", newest)
	if number, _ := database.Numbered(named, "MANIFEST-", ""); number >= newest {
		return
	}
	if err := w.load(name); err != nil || found != nil && w.misses() {
		w.Manifest = found
		return
	}
	if found == nil || !maps.EqualFunc(found.Tables, w.Manifest.Tables, func(_, _ Table) bool { return true }) {
		s.damagedf(w.Path("marker.manifest.*"), "it does not name %s, which is the newest manifest and is used here",
			name)
	}
}

// misses says whether there is not all that the manifest names.
func (w *Witness) misses() bool {
	for number := range w.Manifest.Tables {
		if !slices.Contains(w.Names, TableName(number)) {
			return true
		}
	}
	return false
}

// tableCounts says whether a table is in use. Others are left from a flush, a compaction or a
// body that was never taken over.
func (s *salvage) tableCounts(number uint64) bool {
	if s.witness.Manifest == nil {
		return true
	}
	_, named := s.witness.Manifest.Tables[number]
	return named
}

// rank is that of an entry with a sequence number in a table. Without a manifest nobody knows
// the sequence numbers of tables that were ingested: then newer tables have higher numbers,
// more or less.
func (s *salvage) rank(table, seq uint64) uint64 {
	if s.witness.Manifest == nil {
		return table
	}
	if seq == 0 {
		return s.witness.Manifest.Tables[table].Sequence
	}
	return seq
}
