package format

import (
	"bytes"
	"encoding/hex"
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/must"
	"beanfield/storage/storagetest"
)

var golden = flag.Bool("golden", false, "write the golden file of records anew: only with a new record version")

// encoded are the bytes of a record and of an update.
func encoded(j *storage.Job, body string) (record, update []byte) {
	key := Key(KeyRecord, j.ID)
	record = append(AppendRecord(nil, j), body...)
	if j.Size > storage.LargeBody {
		record = AppendApart(nil, j, 0x01020304)
	}
	Seal(key[:], record)
	key = Key(KeyUpdate, j.ID)
	update = AppendUpdate(nil, j)
	Seal(key[:], update)
	return record, update
}

func goldenJobs() []storagetest.Stored {
	const most = 1<<32 - 1
	return []storagetest.Stored{
		{Job: storage.Job{ID: 1, Tube: "default", State: storage.Ready, TTR: 60, Created: 1_700_000_000_000_000_000},
			Body: "hello"},
		{Job: storage.Job{ID: 2, Tube: "a", State: storage.Delayed, Pri: 1024, Delay: 3600, TTR: 1,
			Created: 1, Deadline: 1_700_000_003_600_000_000}, Body: ""},
		{Job: storage.Job{ID: 1<<53 - 1, Tube: strings.Repeat("t", 200), State: storage.Buried, Pri: most, Delay: most,
			TTR:     most,
			Created: -1, Deadline: -1 << 63, BuryRank: 1<<64 - 1,
			Counters: storage.Counters{Reserves: most, Timeouts: most, Releases: most, Buries: most, Kicks: most}},
			Body: "\x00\r\n\xff"},
		// stands apart
		{Job: storage.Job{ID: 3, Tube: "a", State: storage.Ready, TTR: 1, Created: 1, Size: 3 << 20}, Body: ""},
		{Job: storage.Job{ID: 4, Tube: "q", State: storage.Ready, Created: 1,
			Item: &storage.Item{Tags: []byte("\x01k\x01v")}}, Body: "tagged"},
		{Job: storage.Job{ID: 5, Tube: "q;rear", State: storage.Passed, Created: 1, Item: &storage.Item{
			Tags: bytes.Repeat([]byte{0xff}, 300), Moved: true, Rebalances: most, Fate: 255,
			Note: []byte("why"), Done: []uint32{0, 7, most}, Returned: []storage.Returned{{View: 3, Times: most}},
		}}, Body: "moved"},
		{Job: storage.Job{ID: 6, Tube: "q", State: storage.Passed, Created: 1}, Body: "passed"},
		// stands apart
		{Job: storage.Job{ID: 7, Tube: "q", State: storage.Ready, Created: 1, Size: 2 << 20,
			Item: &storage.Item{Rebalances: 1}}, Body: ""},
		{Job: storage.Job{ID: 8, Tube: "q", State: storage.Ready, Created: 1, Item: &storage.Item{
			Options: &storage.PutOptions{TTR: 250_000_000, Expires: -1, Deliveries: most},
			Route:   &storage.Route{To: "t", Timed: true, Traces: []byte("f\x00")},
		}}, Body: "terms"},
		{Job: storage.Job{ID: 9, Tube: "q", State: storage.Delayed, Created: 1, Size: 2 << 20, Item: &storage.Item{
			Tags: []byte("t"), Route: &storage.Route{To: "u"},
		}}, Body: ""}, // stands apart
		{Job: storage.Job{ID: 10, Tube: "q", State: storage.Ready, Created: 1,
			Item: &storage.Item{Options: &storage.PutOptions{}}}, Body: "empty"},
		{Job: storage.Job{ID: 11, Tube: "q", State: storage.Ready, Created: 1, Item: &storage.Item{
			Keys: &storage.Keys{Key: []byte("a\x00b"), KeyUntil: 1 << 60, Once: []byte("once"), OnceUntil: -1},
		}}, Body: "keys"},
		{Job: storage.Job{ID: 13, Tube: "q", State: storage.Buried, Created: 1, BuryRank: 1,
			Item: &storage.Item{Since: 1<<64 - 1}}, Body: "purged"},
	}
}

// The golden file pins the encoding: data that was written must stay readable.
func TestGoldenRecords(t *testing.T) {
	const file = "testdata/records.golden"
	var b strings.Builder
	for _, j := range goldenJobs() {
		record, update := encoded(&j.Job, j.Body)
		fmt.Fprintf(&b, "job %d\nrecord %x\nupdate %x\n", j.ID, record, update)
	}
	if *golden {
		must.Do(t, os.WriteFile(file, []byte(b.String()), 0o644))
	}
	want := must.Get(os.ReadFile(file))
	if b.String() != string(want) {
		t.Errorf("the encoding has changed:\n%s\nshould be\n%s", b.String(), want)
	}
	jobs := goldenJobs()
	lines := strings.Split(strings.TrimSpace(string(want)), "\n")
	for i := 0; i < len(lines); i += 3 {
		want := jobs[i/3]
		value, _ := hex.DecodeString(strings.TrimPrefix(lines[i+1], "record "))
		want.Size = max(want.Size, uint32(len(want.Body)))
		checkDecoded(t, want, value)
		value, _ = hex.DecodeString(strings.TrimPrefix(lines[i+2], "update "))
		key, j := Key(KeyUpdate, want.ID), want.Job
		if want.Item != nil {
			j.Item = &storage.Item{Tags: want.Item.Tags, Keys: want.Item.Keys, Note: []byte("old"), Done: []uint32{1}}
		}
		tube, err := DecodeUpdate(key[:], value, &j)
		if tube == nil {
			tube = []byte(want.Tube)
		}
		if j.Tube, want.Updated = string(tube), true; err != nil ||
			!(storagetest.Stored{Job: j, Body: want.Body}).Same(want) {
			t.Errorf("got %v, want %v, %v", storagetest.Stored{Job: j, Body: want.Body}, want, err)
		}
	}
}

// What is left of a job that has ended. There are no updates of it.
func TestSpentRecord(t *testing.T) {
	spent := storagetest.Stored{Job: storage.Job{ID: 12, Tube: "q", State: storage.Spent, Deadline: 1 << 60,
		Item: &storage.Item{
			Keys: &storage.Keys{Key: bytes.Repeat([]byte{0xee}, 16), Of: 1<<53 - 1},
		}}}
	record, _ := encoded(&spent.Job, "")
	const want = "0528ea8a18050000808080808080808020000000000000000001710000000000000410eeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee000000ffffffffffffff0f"
	if got := hex.EncodeToString(record); got != want {
		t.Errorf("the encoding has changed: %s", got)
	}
	checkDecoded(t, spent, record)
}

func checkDecoded(t *testing.T, want storagetest.Stored, value []byte) {
	t.Helper()
	key := Key(KeyRecord, want.ID)
	var j storage.Job
	c, err := DecodeRecord(key[:], value, &j)
	if err != nil {
		t.Fatalf("job %d: %v", want.ID, err)
	}
	j.Tube = string(c.Tube)
	if c.Apart && c.Sum != 0x01020304 {
		t.Errorf("job %d: the checksum is %08x", want.ID, c.Sum)
	}
	if want.Item = want.Item.Clone(); want.Item != nil {
		want.Item.Moved = false // the record has the tube that the job was moved to
	}
	if got := (storagetest.Stored{Job: j, Body: string(c.Body)}); !got.Same(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// checkUpdate decodes an update, whose checksum is still missing, and has it encoded again.
func checkUpdate(t *testing.T, id uint64, value []byte) {
	t.Helper()
	key := Key(KeyUpdate, id)
	Seal(key[:], value)
	was := storage.Job{ID: id, Tube: "was", Item: &storage.Item{Tags: []byte("tags"), Rebalances: 3}}
	j := was
	tube, err := DecodeUpdate(key[:], value, &j)
	if err != nil {
		if !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("unexpected error %v", err)
		}
		return
	}
	if tube != nil {
		j.Tube = string(tube)
	}
	_, again := encoded(&j, "")
	k := was
	moved, err := DecodeUpdate(key[:], again, &k)
	if moved != nil {
		k.Tube = string(moved)
	}
	if err != nil || !reflect.DeepEqual(j, k) || string(j.Item.Tags) != "tags" {
		t.Errorf("got %+v %+v, want %+v %+v, %v", k, k.Item, j, j.Item, err)
	}
}

func TestDamagedRecords(t *testing.T) {
	for _, g := range goldenJobs() {
		record, update := encoded(&g.Job, g.Body)
		for _, c := range []struct {
			kind   byte
			value  []byte
			decode func(k, v []byte) error
		}{
			{KeyRecord, record, func(k, v []byte) error { _, err := DecodeRecord(k, v, new(storage.Job)); return err }},
			{KeyUpdate, update, func(k, v []byte) error { _, err := DecodeUpdate(k, v, new(storage.Job)); return err }},
		} {
			key := Key(c.kind, g.ID)
			must.Do(t, c.decode(key[:], c.value))
			for i := range c.value {
				v := bytes.Clone(c.value)
				v[i] ^= 1 << (i % 8)
				want := storage.ErrCorrupt
				if i == 0 && !known(v[0], key[:]) {
					want = ErrVersion
				}
				if err := c.decode(key[:], v); !errors.Is(err, want) {
					t.Fatalf("byte %d flipped: %v", i, err)
				}
				if err := c.decode(key[:], c.value[:i]); !errors.Is(err, storage.ErrCorrupt) {
					t.Fatalf("cut at %d: %v", i, err)
				}
			}
			other := Key(c.kind, g.ID+1)
			if err := c.decode(other[:], c.value); !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("under another id: %v", err)
			}
		}
	}
}

// FuzzDecodeRecord feeds the decoder content with a right checksum, so that
// what is behind it is reached. Nothing may panic, and what is read must come
// out again as it was.
func FuzzDecodeRecord(f *testing.F) {
	for _, g := range goldenJobs() {
		record, update := encoded(&g.Job, g.Body)
		f.Add(g.ID, record[HeadLen:])
		f.Add(g.ID, update[HeadLen:])
	}
	f.Fuzz(func(t *testing.T, id uint64, content []byte) {
		if len(content) > storage.LargeBody {
			return // would be written anew as one that stands apart
		}
		value := append([]byte{0, 0, 0, 0, 0}, content...)
		var j storage.Job
		for value[0] = itemApartVersion; value[0] >= RecordVersion; value[0]-- {
			key := Key(KeyRecord, id)
			Seal(key[:], value)
			c, err := DecodeRecord(key[:], value, &j)
			if err == nil {
				j.Tube = string(c.Tube)
				again, _ := encoded(&j, string(c.Body))
				checkDecoded(t, storagetest.Stored{Job: j, Body: string(c.Body)}, again)
			} else if !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("unexpected error %v", err)
			}
		}
		for _, value[0] = range []byte{RecordVersion, itemVersion} {
			checkUpdate(t, id, value)
		}
	})
}
