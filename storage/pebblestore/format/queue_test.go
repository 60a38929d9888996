package format

import (
	"errors"
	"math/rand"
	"reflect"
	"slices"
	"strings"
	"testing"

	"beanfield/storage"
	"beanfield/storage/storagetest"
)

// A damaged queue is an error that names it, and so is one under another's name.
func TestDamagedQueues(t *testing.T) {
	q := &storage.Queue{Tube: "q", First: "g", Ended: true, Next: 9, Views: []storage.View{
		{Number: 2, Name: "v", Start: 1 << 63, Tags: []byte("t")}, {Number: 8, Name: "w"},
	}}
	key, value := QueueKey(q.Tube), AppendQueue(nil, q)
	Seal(key, value)
	want := []byte{1, 0, 0, 0, 0, 1, 9, 1, 'g', 2,
		2, 1, 'v', 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 1, 't', 8, 1, 'w', 0, 0}
	if copy(want[1:HeadLen], value[1:]); !slices.Equal(value, want) {
		t.Errorf("the encoding is\n%x, should be\n%x", value, want)
	}
	if got, err := DecodeQueue(key, value); err != nil || !reflect.DeepEqual(got, q) {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range value {
		v := slices.Clone(value)
		v[i] ^= 1 << (i % 8)
		kind := storage.ErrCorrupt
		if i == 0 {
			kind = ErrVersion
		}
		if _, err := DecodeQueue(key, v); !errors.Is(err, kind) {
			t.Errorf("byte %d flipped: %v", i, err)
		}
		if _, err := DecodeQueue(key, value[:i]); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("cut at %d: %v", i, err)
		}
	}
	for _, other := range [][]byte{QueueKey("Q"), QueueKey(""), nil, QueueKey(strings.Repeat("q", storage.MaxName+1))} {
		if _, err := DecodeQueue(other, value); !errors.Is(err, storage.ErrCorrupt) {
			t.Errorf("under the key %.9q: %v", other, err)
		}
	}
}

// A queue with notes has a version of its own, and one without is written as it always was.
func TestNotesOfQueues(t *testing.T) {
	q := &storage.Queue{Tube: "q", Notes: []storage.Note{{Kind: storage.NoteTick, Name: "n", Value: []byte("v")},
		{Kind: 200}}}
	key, value := QueueKey(q.Tube), AppendQueue(nil, q)
	Seal(key, value)
	if got := value[HeadLen:]; value[0] != noteVersion ||
		string(got) != "\x00\x00\x00\x00\x02\x01\x01n\x01v\xc8\x01\x00\x00" {
		t.Errorf("version %d, %x", value[0], got)
	}
	if got, err := DecodeQueue(key, value); err != nil || !reflect.DeepEqual(got, q) {
		t.Errorf("%+v, %v", got, err)
	}
	none := append([]byte{noteVersion, 0, 0, 0, 0}, "\x00\x00\x00\x00\x00"...)
	Seal(key, none)
	if _, err := DecodeQueue(key, none); !errors.Is(err, storage.ErrCorrupt) {
		t.Errorf("a queue of this version without a note: %v", err)
	}
}

// FuzzDecodeQueue feeds the decoder content with a right checksum. Nothing may panic, and
// what is read must come out again as it was.
func FuzzDecodeQueue(f *testing.F) {
	for seed := range int64(8) {
		q := storagetest.RandomQueue(rand.New(rand.NewSource(seed)), "q")
		f.Add(q.Tube, len(q.Notes) > 0, AppendQueue(nil, q)[HeadLen:])
	}
	f.Fuzz(func(t *testing.T, tube string, notes bool, content []byte) {
		version := byte(queueVersion)
		if notes {
			version = noteVersion
		}
		key, value := QueueKey(tube), append([]byte{version, 0, 0, 0, 0}, content...)
		Seal(key, value)
		q, err := DecodeQueue(key, value)
		if err != nil {
			if !errors.Is(err, storage.ErrCorrupt) {
				t.Errorf("unexpected error %v", err)
			}
			return
		}
		again := AppendQueue(nil, q)
		Seal(key, again)
		if other, err := DecodeQueue(key, again); err != nil || !reflect.DeepEqual(other, q) {
			t.Errorf("%+v, %v; want %+v", other, err, q)
		}
	})
}
