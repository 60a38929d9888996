package format

import (
	"bytes"

	"beanfield/storage"
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
// A queue with notes has noteVersion, and then
//
//	uvarint   how many notes there are
//
// and for each note
//
//	uvarint   its kind
//	text      its name
//	text      its value
//
// A text is its length, a uvarint, and its bytes.

// AppendQueue appends the value of a queue, still without its checksum.
func AppendQueue(dst []byte, q *storage.Queue) []byte {
	version := byte(queueVersion)
	if len(q.Notes) > 0 {
		version = noteVersion
	}
	f := fields{b: append(dst, version, 0, 0, 0, 0)}
	f.queue(version, q)
	return f.b
}

// leastView and leastNote are how many bytes a view and a note take at least.
const (
	leastView = 4
	leastNote = 3
)

func (f *fields) queue(version byte, q *storage.Queue) {
	f.flag(&q.Ended, "end")
	number(f, &q.Next, "next view")
	text(f, &q.First, storage.MaxName, "first group")
	q.Views = list(f, q.Views, leastView, "views")
	for i := range q.Views {
		v := &q.Views[i]
		number(f, &v.Number, "number of a view")
		text(f, &v.Name, storage.MaxName, "name of a view")
		number(f, &v.Start, "start of a view")
		text(f, &v.Tags, storage.MaxTags, "tags of a view")
	}
	if version != noteVersion {
		return
	}
	q.Notes = list(f, q.Notes, leastNote, "notes")
	for i := range q.Notes {
		n := &q.Notes[i]
		number(f, &n.Kind, "kind of a note")
		text(f, &n.Name, storage.MaxName, "name of a note")
		text(f, &n.Value, storage.MaxNote, "value of a note")
	}
	if len(q.Notes) == 0 {
		f.fail("notes")
	}
}

func DecodeQueue(key, value []byte) (*storage.Queue, error) {
	tube, err := QueueOf(key)
	if err != nil {
		return nil, err
	}
	rest, err := Unseal(key, value)
	if err != nil {
		return nil, err
	}
	f := fields{b: bytes.Clone(rest), reads: true}
	q := &storage.Queue{Tube: tube}
	f.queue(value[0], q)
	return q, f.end()
}
