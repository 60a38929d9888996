package console

import (
	"strings"
	"testing"
	"time"

	"beanfield/shard/queue"
)

// snapshotOf has tubes of one letter each, in which so many jobs have been put.
func snapshotOf(at time.Time, names string, total func(name string) uint64) *snapshot {
	s := &snapshot{at: at}
	for _, n := range strings.Split(names, "") {
		row := tubeRow{}
		row.TubeFigures = queue.TubeFigures{TubeInfo: queue.TubeInfo{Name: n}}
		row.Total, row.Deletes = total(n), total(n)/2
		s.tubes = append(s.tubes, row)
	}
	return s
}

// Rates are those of the same tube, wherever it was before, and whatever has come and gone.
func TestRates(t *testing.T) {
	at := time.Unix(1000, 0)
	for _, e := range []struct{ before, now, known string }{
		{"abcd", "abcd", "abcd"}, {"abcd", "bcda", "abcd"}, {"abcd", "acd", "acd"}, {"abcd", "xabycdz", "abcd"}, {"abcd", "dxcba", "abcd"}, {"abcd", "xyz", ""},
		{"a", "abcd", "a"},
	} {
		base := snapshotOf(at, e.before, func(n string) uint64 { return 100 * uint64(n[0]) })
		s := snapshotOf(at.Add(2*time.Second), e.now, func(n string) uint64 { return 102 * uint64(n[0]) })
		s.compare(base)
		for i := range s.tubes {
			r := &s.tubes[i]
			want := 0.0
			if strings.Contains(e.known, r.Name) {
				want = float64(r.Name[0])
			}
			if r.puts != want || r.deletes != want/2 {
				t.Errorf("%s, then %s: %s has %g puts and %g deletes a second, want %g", e.before, e.now, r.Name, r.puts, r.deletes, want)
			}
		}
	}
}
