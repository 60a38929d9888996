package pebblestore

import (
	"errors"
	"fmt"
	"log/slog"
	"math/rand"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/storagetest"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// hurtStore has jobs 1 to n with bodies that fill blocks of their own, in a table in
// which the body of one in the middle is damaged.
func hurtStore(t *testing.T, n uint64, out *must.Text) (l *shardLog, hurt uint64, table string) {
	t.Helper()
	fs := vfs.NewMem()
	o := small(fs, storage.Always)
	s := noTicks(o)
	l = mustOpen(t, s, 1)[0].(*shardLog)
	r := rand.New(rand.NewSource(1))
	bodies := make([]storagetest.Stored, n)
	for i := range bodies {
		j := &bodies[i]
		j.Job = storage.Job{ID: uint64(i) + 1, Tube: "mail", State: storage.Ready, TTR: 60}
		b := make([]byte, 40<<10)
		r.Read(b)
		j.Body, j.Size = string(b), uint32(len(b))
		l.Put(&j.Job, b)
		mustCommit(t, l)
	}
	must.Do(t, errors.Join(l.foldAll(), s.Close()))
	hurt = n / 2
	for _, path := range disktest.Look(t, fs, "data", ".sst") {
		text := disktest.Read(t, fs, path)
		if at := strings.Index(text, bodies[hurt-1].Body[1000:1100]); at >= 0 {
			disktest.Write(t, fs, path, text[:at]+"?"+text[at+1:])
			table = path
		}
	}
	if table == "" {
		t.Fatal("the body is in no table")
	}
	o.Logger = slog.New(slog.NewTextHandler(out, nil))
	s = noTicks(o)
	l = mustOpen(t, s, 1)[0].(*shardLog)
	t.Cleanup(func() {
		must.Do(t, s.Close())
	})
	return l, hurt, table
}

// One block that cannot be read is the misfortune of its job: all others are read,
// the log goes on, and the operator is told once of the job, its tube and the file.
func TestUnreadableBody(t *testing.T) {
	var out must.Text
	const jobs = 20
	l, hurt, table := hurtStore(t, jobs, &out)
	for range 2 {
		for id := uint64(1); id <= jobs; id++ {
			body, err := l.Body(id, nil)
			switch {
			case id != hurt && (err != nil || len(body) != 40<<10):
				t.Errorf("job %d: %d bytes, %v", id, len(body), err)
			case id == hurt && (!errors.Is(err, storage.ErrUnreadable) || !strings.Contains(err.Error(), table)):
				t.Errorf("the damaged job %d is read: %v", id, err)
			}
		}
		l.Quarantine(&storage.Job{ID: hurt, Tube: "mail", State: storage.Buried, BuryRank: 1})
		mustCommit(t, l)
	}
	for _, id := range []uint64{hurt - 1, hurt + 1} { // a compaction is for what is dead
		l.Delete(&storage.Job{ID: id, Tube: "mail", Size: 40 << 10})
	}
	mustCommit(t, l)
	if err := errors.Join(l.foldAll(), l.compact()); err == nil || !database.FailedToRead(err) {
		t.Errorf("the damaged table is compacted: %v", err)
	}
	putOne(l, jobs+2)
	mustCommit(t, l)
	if err := l.Stats().Err; err != nil {
		t.Errorf("the log has ended: %v", err)
	}
	want := fmt.Sprintf("job=%d tube=mail", hurt)
	if told := out.Lines("set aside"); len(told) != 1 || !strings.Contains(told[0], want) ||
		!strings.Contains(told[0], table) {
		t.Errorf("the operator is told %q", told)
	}
}

// A block of records that cannot be read ends a start, since nobody knows which jobs are
// in it. The error names the file, once, and says what to do.
func TestUnreadableRecords(t *testing.T) {
	l, _, table := hurtStore(t, 20, new(must.Text))
	err := l.Replay(func(*storage.Job, []byte) error { return nil })
	if !errors.Is(err, storage.ErrCorrupt) {
		t.Fatalf("the replay ends with %v", err)
	}
	text := err.Error()
	if strings.Count(text, table+": corrupt data: the block at byte ") != 1 || strings.Contains(text, "carrier") ||
		!strings.HasSuffix(text, "\nbeanfield dump -salvage NEW_DIR data copies what can be read") {
		t.Errorf("it says %s", text)
	}
}
