package pebblestore

import (
	"fmt"
	"maps"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Salvage gives what can be read, or says that something cannot; and every job that is
// missing had an id that it tells of.
func TestSalvageTellsWhatIsMissing(t *testing.T) {
	d := fullStore(t, 5+max(*seed, 1), killed(t))
	state, queues := d.h.states[d.h.turns()], d.h.queues[d.h.turns()]
	r := rand.New(rand.NewSource(max(*seed, 1)))
	paths := files(t, d.fs, "data/gen-000001")
	missing, told := 0, 0
	for n := 0; n < placesToTry(); n++ {
		fs := clone(d.fs, 100, r)
		path := paths[n%len(paths)]
		what := ruined(t, r, fs, path)
		// Without the log's mark nobody knows that the end of the log is gone.
		if other := paths[r.Intn(len(paths))]; n%3 == 0 && fs.PathBase(path) != "synced" && fs.PathBase(other) != "synced" {
			what += ", " + ruined(t, r, fs, other)
		}
		found, foundQueues, result := salvagedAll(t, fs)
		report := strings.Join(result.Damaged, "\n")
		if strings.Contains(report, "<nil>") {
			t.Errorf("%s: %s", what, report)
		}
		if len(result.Damaged) > 0 {
			told++
		}
		if !maps.EqualFunc(foundQueues, queues, sameQueue) && !result.QueuesInDoubt {
			t.Errorf("%s: %d queues, want %d, and nothing is said of queues\n%s", what, len(foundQueues), len(queues), report)
		}
		if back := tooMany(found, state); back > result.MayBeBack {
			t.Errorf("%s: %d jobs are back, and it tells of %d\n%s", what, back, result.MayBeBack, report)
		}
		for id, want := range state {
			got, ok := found[id]
			switch {
			case ok && got.Same(want):
			case len(result.Damaged) == 0:
				t.Errorf("%s: job %d is missing or different, and nothing is said", what, id)
			case ok:
				if got.Body != want.Body {
					t.Errorf("%s: job %d has another body", what, id)
				}
			default:
				missing++
				if id <= result.MaxID && !namesID(result, id) {
					t.Errorf("%s: job %d is missing, and not among %s\n%s", what, id, result.Unknown, report)
				}
			}
		}
		if t.Failed() {
			t.FailNow()
		}
	}
	if missing == 0 || told == 0 {
		t.Errorf("%d jobs were missing, damage was told of %d times", missing, told)
	}
}

// ruined damages a file in some way, unless it is empty or gone.
func ruined(t *testing.T, r *rand.Rand, fs vfs.FS, path string) (what string) {
	t.Helper()
	if info, err := fs.Stat(path); err != nil || info.Size() == 0 {
		return ""
	}
	way := ruins[r.Intn(len(ruins))]
	if text := way.do(r, []byte(disktest.Read(t, fs, path))); text != nil {
		disktest.Write(t, fs, path, string(text))
	} else if err := fs.Remove(path); err != nil {
		t.Fatal(err)
	}
	return path + ": " + way.what
}

// tooMany is how many jobs were found that had been deleted.
func tooMany(found, state map[uint64]storagetest.Stored) (n int) {
	for id := range found {
		if _, ok := state[id]; !ok {
			n++
		}
	}
	return n
}

// namesID says whether a report has an id, in a range or as a job whose body is not whole.
func namesID(result repair.Salvaged, id uint64) bool {
	for _, r := range strings.Split(result.Unknown, ", ") {
		var from, to uint64
		if n, _ := fmt.Sscanf(r, "%d-%d", &from, &to); n == 1 {
			to = from
		} else if n == 0 {
			_, _ = fmt.Sscanf(r, "and %d more ranges up to %d", &from, &to)
			from = 0
		}
		if from <= id && id <= to {
			return true
		}
	}
	return strings.Contains(strings.Join(result.Damaged, "\n"), fmt.Sprintf("job %d ", id))
}
