package binlog

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
)

// far is in the year 2100.
const far = 4_102_444_800 * second

// everything is a file with each kind of record, and what is in it.
func everything(m machine) ([]byte, map[uint64]stored) {
	delayed := full(2, "later")
	delayed.state, delayed.delay, delayed.deadline = stateDelayed, 90*second, far
	due := full(3, "now")
	due.state, due.delay, due.deadline = stateDelayed, 90*second, created+90*second
	buried := full(4, "in the ground")
	buried.counters = [5]uint32{5, 4, 3, 2, 1}
	held := full(5, "")
	held.state, held.deadline, held.counters = stateReserved, created, [5]uint32{1}
	deleted := full(6, "gone")
	kicked := full(7, "\r\nkicked\x00")
	data := m.file(full(1, "first"), delayed, due, buried, held, deleted, kicked,
		buried.now(stateBuried), kicked.now(stateBuried), deleted.now(stateDeleted), kicked.now(stateReady),
		entry{short: true, id: 900, ttr: second, created: created, state: stateDeleted})
	job := func(id uint64, body string) storage.Job {
		return storage.Job{ID: id, Tube: "mail", State: storage.Ready, Pri: 7, TTR: 60, Size: uint32(len(body)),
			Created: created}
	}
	want := make(map[uint64]stored)
	add := func(id uint64, body string, change func(j *storage.Job)) {
		j := job(id, body)
		change(&j)
		want[id] = stored{j, body}
	}
	add(1, "first", func(*storage.Job) {})
	add(2, "later", func(j *storage.Job) { j.State, j.Delay, j.Deadline = storage.Delayed, 90, far })
	add(3, "now", func(j *storage.Job) { j.Delay = 90 })
	add(4, "in the ground", func(j *storage.Job) {
		j.State, j.BuryRank = storage.Buried, 1
		j.Reserves, j.Timeouts, j.Releases, j.Buries, j.Kicks = 6, 4, 3, 3, 1
	})
	add(5, "", func(j *storage.Job) { j.Reserves = 1 })
	add(7, "\r\nkicked\x00", func(*storage.Job) {})
	return data, want
}

// The file of each machine is recognised, even if the log begins with a short record.
func TestLayouts(t *testing.T) {
	for _, c := range []struct {
		m    machine
		name string
	}{
		{amd64v7, "version 7"}, {i386v7, "version 7 of a 32-bit x86"}, {amd64v5, "version 5"},
		{i386v5, "version 5 of a 32-bit x86"}, {armv5, "version 5 of a 32-bit ARM"},
	} {
		t.Run(c.name, func(t *testing.T) {
			data, want := everything(c.m)
			gone := full(1000, "x").now(stateDeleted)
			got, maxID, rep := imported(t, binlogs(t, c.m.file(gone, gone), append(data, zeros(3000)...)))
			if len(rep.skips) > 0 || maxID != 1000 {
				t.Errorf("highest id %d, skipped %q", maxID, whys(rep))
			}
			if !maps.Equal(got, want) {
				t.Errorf("jobs\n%+v\nwant\n%+v", got, want)
			}
			if l := pick(c.m.version, data[versionLen:], int64(len(data))); l.name != c.name {
				t.Errorf("taken for %s", l.name)
			}
		})
	}
}

// The encoder of these tests is right: beanstalkd reads its files too.
func TestBeanstalkdReadsVersion5(t *testing.T) {
	for _, m := range []machine{amd64v5, amd64v7} {
		data, _ := everything(m)
		dir := binlogs(t, append(data, zeros(500)...))
		got, _, _ := imported(t, dir)
		sameAsListed(t, got, restarted(t, dir, 10))
	}
}

// A file beside a good one, and what the report says of it: nothing, or that it is
// skipped, or, as the last field says, that none of it can be read.
func TestOddFiles(t *testing.T) {
	big := amd64v7.file(full(1, "x"))
	slices.Reverse(big[:versionLen])
	misnamed := full(1, "x")
	misnamed.tube = "a b"
	for _, c := range []struct {
		name       string
		data       []byte
		says       string
		unreadable bool
	}{
		{"empty", nil, "nothing was ever written", false},
		{"three bytes", []byte{7, 0, 0}, "nothing was ever written", false},
		{"zeros", zeros(8192), "version 0", false},
		{"zeros and data", append(zeros(8192), 1), "version 0, but data", true},
		{"version 8", machine{8, 8, 8}.file(full(1, "x")), "unknown version 8", true},
		{"a tube that cannot be", amd64v7.file(misnamed), "impossible name of a tube", true},
		{"big-endian", big, "big-endian", true},
		{"only a version", amd64v7.file(), "", false},
		{"a version and zeros", append(amd64v7.file(), zeros(40)...), "", false},
		{"a text", []byte(strings.Repeat("This is not a binlog at all. ", 50)), "unknown version", true},
		{"version 7 and a text", append(amd64v7.file(), strings.Repeat("not a record ", 50)...), "impossible", true},
		{"a version and many zeros", append(amd64v7.file(), zeros(1<<20)...), "", false},
		{"behind a hole", slices.Concat(amd64v7.file(), zeros(4092), amd64v7.file(full(1, "x"))), "zeros, but data",
			true},
		{"a job and a hole", slices.Concat(amd64v7.file(full(9, "good")), zeros(4092), amd64v7.file(full(1, "x"))),
			"zeros, but data", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, _, rep := imported(t, binlogs(t, c.data, amd64v7.file(full(9, "good"))))
			if len(got) != 1 || got[9].body != "good" {
				t.Errorf("imported %v", got)
			}
			why := strings.Join(whys(rep), "\n")
			if c.unreadable && len(rep.unreadable) == 1 {
				why = rep.unreadable[0].Why
			}
			if (c.says == "") != (why == "") || !strings.Contains(why, c.says) ||
				c.unreadable != (len(rep.unreadable) > 0) {
				t.Errorf("skipped %q, unreadable %v; want %q", why, rep.unreadable, c.says)
			}
		})
	}
}

// Impossible fields are not believed.
func TestCheck(t *testing.T) {
	good := full(1, "x")
	for _, c := range []struct {
		name   string
		change func(e *entry)
	}{
		{"id", func(e *entry) { e.id = 1 << 53 }},
		{"state", func(e *entry) { e.other = true }},
		{"ttr 0", func(e *entry) { e.ttr = 0 }},
		{"ttr torn", func(e *entry) { e.ttr = 60*second - 1000 }},
		{"ttr beyond u32", func(e *entry) { e.ttr = 1 << 32 * second }},
		{"delay", func(e *entry) { e.delay = 1 }},
		{"created", func(e *entry) { e.created = 0 }},
		{"deadline", func(e *entry) { e.deadline = -1 }},
		{"deadline of nothing", func(e *entry) { e.deadline = created }},
	} {
		e := good
		c.change(&e)
		f := layouts[0].decode(amd64v7.structure(&e))
		if f.check() == "" {
			t.Errorf("%s: %+v is believed", c.name, f)
		}
	}
	if f := layouts[0].decode(amd64v7.structure(&good)); f.check() != "" {
		t.Errorf("%+v is not believed: %s", f, f.check())
	}
}
