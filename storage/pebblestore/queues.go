package pebblestore

import (
	"encoding/binary"
	"errors"
	"fmt"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2"
)

// What is kept of a queue is one record. Its key is the kind and the name of the tube. Its
// value has the same prefix as other records, version and checksum, and then
//
//	uvarint   1 if the queue has ended, otherwise 0
//	uvarint   the number of the next view
//	text      the name of the first group
//	uvarint   how many views there are
//
// and for each view
//
//	uvarint   its number
//	text      its name
//	uvarint   the first id that it gets
//	text      its tags
//
// A text is its length, a uvarint, and its bytes.
const queueVersion = 1

func queueKey(tube string) []byte { return append([]byte{keyQueue}, tube...) }

// queueOf is the name of the tube in a queue's key.
func queueOf(key []byte) (tube string, err error) {
	if len(key) < 2 || len(key) > 1+storage.MaxName || key[0] != keyQueue {
		return "", fmt.Errorf("%w: key of %d bytes for a queue", storage.ErrCorrupt, len(key))
	}
	return string(key[1:]), nil
}

func appendText[T string | []byte](dst []byte, text T, most int) []byte {
	if len(text) > most {
		panic(fmt.Sprintf("storage: a text of %d bytes, where at most %d can be recorded", len(text), most))
	}
	return append(binary.AppendUvarint(dst, uint64(len(text))), text...)
}

// appendQueue appends the value of a queue, still without its checksum.
func appendQueue(dst []byte, q *storage.Queue) []byte {
	ended := uint64(0)
	if q.Ended {
		ended = 1
	}
	dst = append(dst, queueVersion, 0, 0, 0, 0)
	dst = binary.AppendUvarint(dst, ended)
	dst = binary.AppendUvarint(dst, uint64(q.Next))
	dst = appendText(dst, q.First, storage.MaxName)
	dst = binary.AppendUvarint(dst, uint64(len(q.Views)))
	for i := range q.Views {
		v := &q.Views[i]
		dst = binary.AppendUvarint(dst, uint64(v.Number))
		dst = appendText(dst, v.Name, storage.MaxName)
		dst = binary.AppendUvarint(dst, v.Start)
		dst = appendText(dst, v.Tags, storage.MaxTags)
	}
	return dst
}

// leastView is how many bytes a view takes at least.
const leastView = 4

func decodeQueue(key, value []byte) (*storage.Queue, error) {
	tube, err := queueOf(key)
	if err != nil {
		return nil, err
	}
	rest, err := unseal(key, value)
	if err != nil {
		return nil, err
	}
	f := fields{rest: rest}
	q := &storage.Queue{Tube: tube}
	q.Ended = f.uvarint(1, "end") == 1
	q.Next = f.u32("next view")
	q.First = string(f.text(storage.MaxName, "first group"))
	n := f.uvarint(uint64(len(f.rest)/leastView), "views")
	for i := uint64(0); i < n && f.err == nil; i++ {
		v := storage.View{Number: f.u32("number of a view")}
		v.Name = string(f.text(storage.MaxName, "name of a view"))
		v.Start = f.uvarint(1<<64-1, "start of a view")
		v.Tags = f.copied(storage.MaxTags, "tags of a view")
		q.Views = append(q.Views, v)
	}
	if f.err == nil && len(f.rest) != 0 {
		f.fail("trailing bytes")
	}
	return q, f.err
}

// text reads a length and that many bytes, which are still a part of the value; nil for
// none.
func (f *fields) text(most uint64, what string) []byte {
	n := f.uvarint(most, what)
	if n > uint64(len(f.rest)) {
		f.fail(what)
	}
	if f.err != nil || n == 0 {
		return nil
	}
	text := f.rest[:n:n]
	f.rest = f.rest[n:]
	return text
}

// copied is text that the caller may keep; nil if it is empty.
func (f *fields) copied(most uint64, what string) []byte {
	return append([]byte(nil), f.text(most, what)...)
}

// PutQueue implements storage.Log.
func (l *shardLog) PutQueue(q *storage.Queue) {
	l.committer.begin()
	l.scratch = appendQueue(l.scratch[:0], q)
	seal(queueKey(q.Tube), l.scratch)
	g := l.committer.open
	g.buf = turns.AppendSetQueue(g.buf, q.Tube, l.scratch)
	l.garbage.Add(int64(1 + len(q.Tube) + len(l.scratch)))
	l.count()
}

// DeleteQueue implements storage.Log.
func (l *shardLog) DeleteQueue(tube string) {
	l.committer.begin()
	g := l.committer.open
	g.buf = turns.AppendDropQueue(g.buf, tube)
	l.garbage.Add(updateSize)
	l.count()
}

// ReplayQueues implements storage.Log.
func (l *shardLog) ReplayQueues(fn func(q *storage.Queue) error) error {
	return l.replayed(l.withNewest(func(r pebble.Reader) error {
		return eachQueue(r, func(_, _ []byte, q *storage.Queue) error { return fn(q) })
	}))
}

// eachQueue calls fn for every queue of a database.
func eachQueue(r pebble.Reader, fn func(key, value []byte, q *storage.Queue) error) (err error) {
	it, err := r.NewIter(kindRange(keyQueue))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, it.Close()) }()
	for ok := it.First(); ok; ok = it.Next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return err
		}
		q, err := decodeQueue(it.Key(), value)
		if err != nil {
			return fmt.Errorf("queue %q: %w", it.Key()[1:], err)
		}
		if err := fn(it.Key(), value, q); err != nil {
			return err
		}
	}
	return it.Error()
}
