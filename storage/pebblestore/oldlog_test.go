package pebblestore

import (
	"bytes"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/pebblestore/database"
	"beanfield/storage/pebblestore/disktest"
	"beanfield/storage/pebblestore/repair"

	"github.com/cockroachdb/pebble/v2/record"
	"github.com/cockroachdb/pebble/v2/vfs"
)

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
