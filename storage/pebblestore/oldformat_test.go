package pebblestore

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/directory"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// oldDirs are directories of two shards that older builds have left, each as a packed
// directory, and a text that says what that build found there. Each was used twice: tables,
// and a log that was never flushed. There are jobs in all states, updated ones, one with a large
// body, ids of jobs that are gone, and in format 2 items, groups and a rear queue.
var oldDirs = []string{"format1-killed", "format1-stopped", "format2-killed", "format2-stopped"}

// oldDir unpacks one. All of it is on the disk.
func oldDir(t testing.TB, name string) *vfs.MemFS {
	t.Helper()
	fs := vfs.NewCrashableMem()
	packed, err := os.Open("testdata/" + name + ".tar.gz")
	must.Do(t, err)
	defer packed.Close()
	unzipped, err := gzip.NewReader(packed)
	must.Do(t, err)
	dirs := []string{"."}
	for r := tar.NewReader(unzipped); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		must.Do(t, err)
		path := fs.PathJoin("data", h.Name)
		if h.FileInfo().IsDir() {
			must.Do(t, fs.MkdirAll(path, 0o700))
			dirs = append(dirs, path)
			continue
		}
		f, err := fs.Create(path, directory.Category)
		must.Do(t, err)
		_, err = io.Copy(f, r)
		must.Do(t, errors.Join(err, f.Sync(), f.Close()))
	}
	for _, d := range dirs {
		must.Do(t, directory.SyncDir(fs, d))
	}
	return fs
}

// told is a text about all that is in a directory.
type told struct{ strings.Builder }

func (b *told) shard(i int, highest uint64) { fmt.Fprintf(b, "shard %d, highest id %d\n", i, highest) }

func (b *told) queue(q *storage.Queue) error {
	// As it was printed when there were no notes.
	old := struct {
		Tube  string
		First string
		Ended bool
		Next  uint32
		Views []storage.View
	}{q.Tube, q.First, q.Ended, q.Next, q.Views}
	fmt.Fprintf(b, "queue %+v\n", old)
	if len(q.Notes) > 0 {
		fmt.Fprintf(b, "\tnotes %+v\n", q.Notes)
	}
	return nil
}

func (b *told) job(j *storage.Job, body []byte) error {
	fmt.Fprintf(b, "job %d tube %q state %d pri %d delay %d ttr %d created %d deadline %d rank %d updated %t damaged %t\n",
		j.ID, j.Tube, j.State, j.Pri, j.Delay, j.TTR, j.Created, j.Deadline, j.BuryRank, j.Updated, j.Damaged)
	fmt.Fprintf(b, "\treserves %d timeouts %d releases %d buries %d kicks %d size %d body %d %08x\n",
		j.Reserves, j.Timeouts, j.Releases, j.Buries, j.Kicks, j.Size, len(body), crc32.ChecksumIEEE(body))
	if i := j.Item; i != nil {
		fmt.Fprintf(b, "\ttags %q fate %d note %q done %d returned %d moved %t rebalances %d\n",
			i.Tags, i.Fate, i.Note, i.Done, i.Returned, i.Moved, i.Rebalances)
	}
	return nil
}

// byRouter is the shard of each of their tubes.
func byRouter(tube string) int {
	if tube == "default" {
		return 0
	}
	return 1
}

// tell opens a directory and returns what is in it.
func tell(t testing.TB, fs vfs.FS) (string, error) {
	t.Helper()
	var b told
	s := noTicks(small(fs, storage.Always))
	logs, err := s.Open(2, byRouter)
	if err != nil {
		return "", err
	}
	for i, l := range logs {
		b.shard(i, l.MaxID())
		if err := errors.Join(l.ReplayQueues(b.queue), l.Replay(b.job)); err != nil {
			return "", errors.Join(err, s.Close())
		}
	}
	return b.String(), s.Close()
}

// mustTell checks that all is there.
func mustTell(t testing.TB, fs vfs.FS, name string) {
	t.Helper()
	if got, err := tell(t, fs); err != nil || got != oldText(t, name) {
		t.Fatalf("%v:\n%s\nwant\n%s", err, got, oldText(t, name))
	}
}

// oldText is what the older build found in a directory.
func oldText(t testing.TB, name string) string {
	t.Helper()
	text := must.Get(os.ReadFile("testdata/" + name + ".txt"))
	return string(text)
}

// oldLog writes records as an older build did, and ends the log as an orderly stop does.
func oldLog(t *testing.T, sizes ...int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := record.NewLogWriter(&b, 7, record.LogWriterConfig{WriteWALSyncOffsets: func() bool { return true }})
	for i, n := range sizes {
		must.Get(w.WriteRecord(bytes.Repeat([]byte{byte(1 + i)}, n)))
	}
	must.Do(t, w.Close())
	return b.Bytes()
}

// readAsOld says whether a log can be read as far as it was synced.
func readAsOld(t *testing.T, log []byte, synced int) error {
	t.Helper()
	fs := vfs.NewMem()
	disktest.Write(t, fs, "000007.log", string(log))
	w := &repair.Witness{FS: fs}
	return checkOldLog(w, database.Extent{Number: 7, Length: int64(synced)}, (*storage.Steps)(nil).Begin("", ""))
}

// The old logs are read up to whatever byte they can have been synced to: the end of a
// chunk, of a block that has no room for another, or of the log.
func TestOldLogsThatAreWhole(t *testing.T) {
	const block, header = 32 << 10, 19
	for room := range 64 {
		log := oldLog(t, block-header-room, 3*block, 10)
		for _, synced := range []int{block - room, 2 * block, 3 * block, len(log)} {
			for _, behind := range []int{0, 5, 100, block} {
				left := append(bytes.Clone(log[:synced]), make([]byte, behind)...)
				if err := readAsOld(t, left, synced); err != nil {
					t.Fatalf("%d bytes of room, synced up to %d, and %d zeros: %v", room, synced, behind, err)
				}
			}
		}
	}
}

// Wherever a byte of a record is not what it was, the log is refused: also if it then looks like
// the end of a log that was closed.
func TestOldLogsThatAreDamaged(t *testing.T) {
	log := oldLog(t, 100, 1, 300, 30) // short: Pebble searches long chunks for the bit that was flipped
	end := len(log) - 11              // nothing is lost with what marks the end
	for at := range end {
		for _, change := range []byte{1, 3, 128} { // 8 begins the end of log 7
			damaged := bytes.Clone(log)
			damaged[at] += change
			if readAsOld(t, damaged, len(log)) == nil {
				t.Fatalf("byte %d has %d more, and nobody says so", at, change)
			}
		}
		if at%64 == 0 && readAsOld(t, log[:at], len(log)) == nil {
			t.Fatalf("it has %d bytes, and nobody says so", at)
		}
	}
}
