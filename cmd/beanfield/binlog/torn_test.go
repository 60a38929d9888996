package binlog

import (
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
)

// bodies are the bodies of jobs, by id.
func bodies(jobs map[uint64]stored) map[uint64]string {
	all := make(map[uint64]string)
	for id, j := range jobs {
		all[id] = j.body
	}
	return all
}

// A put that a crash cut short, at any of its bytes, does no harm to the rest of the
// log, and nothing is made up.
func TestTornPut(t *testing.T) {
	for _, m := range []machine{amd64v7, amd64v5} {
		whole := m.file(full(1, "one"), full(2, "two"))
		last := full(3, "three")
		tail := m.record(&last)
		for n := range len(tail) + 1 {
			for _, zeroed := range []bool{false, true} {
				data := slices.Concat(whole, tail[:n])
				if zeroed {
					data = append(data, zeros(len(tail)-n+200)...)
				}
				h, rep := history1(t, binlogs(t, data))
				want := []uint64{1, 2}
				if n == len(tail) {
					want = []uint64{1, 2, 3}
				}
				if got := slices.Sorted(maps.Keys(h.jobs)); !slices.Equal(got, want) {
					t.Fatalf("version %d, %d bytes, zeroed %v: jobs %v, want %v", m.version, n, zeroed, got, want)
				}
				if told := len(rep.skips) > 0; told != (n > 0 && n < len(tail)) {
					t.Errorf("version %d, %d bytes, zeroed %v: skipped %q", m.version, n, zeroed, whys(rep))
				}
			}
		}
	}
}

// history1 reads a directory without importing it.
func history1(t *testing.T, dir string) (*history, *report) {
	t.Helper()
	rep := new(report)
	return must.Get(readAll(must.Get(openSource(dir, os.DirFS(dir))), rep)), rep
}

// A bury record that a crash cut short leaves the job as it was, but for one case: if
// its page ends before the state, and the next page was never written, the bytes may
// be exactly those of a delete.
func TestTornBury(t *testing.T) {
	job := full(1, "one")
	bury := job.now(stateBuried)
	whole, tail := amd64v7.file(job), amd64v7.record(&bury)
	// In the record: 4 bytes of length, then the struct with its deadline at 48,
	// its counters at 56, reserves first, and its state at 76.
	const length, deadline, reserves, state = 4, 4 + 48, 4 + 56, 4 + 76
	for n := range len(tail) + 1 {
		h, rep := history1(t, binlogs(t, slices.Concat(whole, tail[:n])))
		// The length of a short record is itself zero.
		if told := len(rep.skips) > 0; told != (n > length && n < len(tail)) {
			t.Errorf("%d bytes: skipped %q", n, whys(rep))
		}
		want := byte(stateReady)
		if n == len(tail) {
			want = stateBuried
		}
		if j := h.jobs[1]; j == nil || j.state != want {
			t.Errorf("%d bytes: job is %+v, want state %d", n, j, want)
		}

		h, rep = history1(t, binlogs(t, slices.Concat(whole, tail[:n], zeros(len(tail)-n+200))))
		j := h.jobs[1]
		neverReserved := n >= deadline && zero(tail[deadline:min(n, reserves)])
		switch {
		case n <= state && (n > reserves || neverReserved):
			if j != nil || len(rep.skips) > 0 {
				t.Errorf("%d bytes and zeros: not taken for a delete", n)
			}
		case n > state:
			if j == nil || j.state != stateBuried || len(rep.skips) > 0 {
				t.Errorf("%d bytes and zeros: job is %+v, skipped %q", n, j, whys(rep))
			}
		case j == nil || j.state != stateReady || (len(rep.skips) > 0) != (n > length):
			t.Errorf("%d bytes and zeros: job is %+v, skipped %q", n, j, whys(rep))
		}
	}
}

// A body of NULs is skipped, what follows it is not, and an older copy of the
// job stands in for it.
func TestTornBody(t *testing.T) {
	dir := t.TempDir()
	first, second, lost := full(1, "one"), full(2, "two"), full(3, "three")
	copied := second.now(stateBuried).again()
	copied.torn, lost.torn = true, true
	write1(t, dir, "binlog.4", amd64v7.file(first, second))
	write1(t, dir, "binlog.5", amd64v7.file(lost, second.now(stateBuried), copied, full(4, "four")))
	got, maxID, rep := imported(t, dir)
	if want := map[uint64]string{1: "one", 2: "two", 4: "four"}; !maps.Equal(bodies(got), want) || maxID != 4 {
		t.Errorf("imported %v, highest id %d, want %v", bodies(got), maxID, want)
	}
	if got[2].State != storage.Buried || got[2].Buries != 1 {
		t.Errorf("job 2 is %+v", got[2].Job)
	}
	why := strings.Join(whys(rep), "\n")
	if len(rep.skips) != 2 || !strings.Contains(why, "binlog.5 at 4: the body is not whole") ||
		!strings.Contains(why, "older copy") {
		t.Errorf("skipped %q", why)
	}
}

// A record that contradicts its job changes nothing.
func TestContradiction(t *testing.T) {
	job := full(1, "one")
	for _, change := range []func(e *entry){
		func(e *entry) { e.created++ },
		func(e *entry) { e.ttr += second },
		func(e *entry) { e.body += "longer" },
	} {
		wrong := job.now(stateDeleted)
		change(&wrong)
		h, rep := history1(t, binlogs(t, amd64v7.file(job, wrong, full(2, "two"))))
		if len(h.jobs) != 2 || len(rep.skips) != 1 {
			t.Errorf("%d jobs, skipped %q", len(h.jobs), whys(rep))
		}
	}
}

// Buried jobs are in the order of their bury records, whether a copy of the job comes
// before or after; jobs whose bury record is gone come first.
func TestBuryOrder(t *testing.T) {
	dir := t.TempDir()
	var e [9]entry
	for id := range e {
		e[id] = full(uint64(id), "x")
	}
	buried := func(id int, reserved int64) entry {
		b := e[id].now(stateBuried)
		b.deadline = reserved + b.ttr
		return b
	}
	const t0 = created
	write1(t, dir, "binlog.3", amd64v7.file(
		e[1], e[2], e[3],
		buried(3, t0+50),
		buried(4, t0+5), // 4 to 7 have copies below
		buried(7, t0+30),
		buried(1, t0+60),
		buried(5, t0+70), e[5].now(stateReady), // kicked, then buried again: below
		buried(3, t0+80), // kicked and buried again, by reserve-job: now behind 1
	))
	write1(t, dir, "binlog.4", amd64v7.file(
		buried(8, t0+25).again(), // buried long ago, and after 6
		buried(6, t0+20).again(),
		buried(4, t0+5).again(), // reserved before 6 was, buried after it
		buried(2, t0+10).again(),
		e[5].again(),
		buried(1, t0+60).again(),
		e[7].now(stateDeleted),
		buried(5, t0+90),
	))
	// Job 2 is known as ready and copied as buried: the record between is lost.
	got, _, rep := imported(t, dir)
	if order, want := buriedOrder(got), []uint64{6, 8, 4, 1, 3, 2, 5}; !slices.Equal(order, want) {
		t.Errorf("order %v, want %v; skipped %q", order, want, whys(rep))
	}
}

// A delete of an unknown job does not bar a later job with that id.
func TestDeleteBeforeItsJob(t *testing.T) {
	job := full(5, "new")
	got, _, _ := imported(t, binlogs(t, amd64v7.file(job.now(stateBuried), job.now(stateDeleted), job)))
	if len(got) != 1 || got[5].State != storage.Ready || got[5].body != "new" {
		t.Errorf("imported %+v", got)
	}
}
