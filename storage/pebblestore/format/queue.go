package format

import (
	"encoding/binary"

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
	ended := uint64(0)
	if q.Ended {
		ended = 1
	}
	version := byte(queueVersion)
	if len(q.Notes) > 0 {
		version = noteVersion
	}
	dst = append(dst, version, 0, 0, 0, 0)
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
	if version == noteVersion {
		dst = binary.AppendUvarint(dst, uint64(len(q.Notes)))
		for i := range q.Notes {
			n := &q.Notes[i]
			dst = binary.AppendUvarint(dst, uint64(n.Kind))
			dst = appendText(dst, n.Name, storage.MaxName)
			dst = appendText(dst, n.Value, storage.MaxNote)
		}
	}
	return dst
}

// leastView and leastNote are how many bytes a view and a note take at least.
const (
	leastView = 4
	leastNote = 3
)

func DecodeQueue(key, value []byte) (*storage.Queue, error) {
	tube, err := QueueOf(key)
	if err != nil {
		return nil, err
	}
	rest, err := Unseal(key, value)
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
	if value[0] == noteVersion {
		n = f.uvarint(uint64(len(f.rest)/leastNote), "notes")
		if n == 0 {
			f.fail("notes")
		}
		for i := uint64(0); i < n && f.err == nil; i++ {
			m := storage.Note{Kind: storage.NoteKind(f.uvarint(1<<8-1, "kind of a note"))}
			m.Name = string(f.text(storage.MaxName, "name of a note"))
			m.Value = f.copied(storage.MaxNote, "value of a note")
			q.Notes = append(q.Notes, m)
		}
	}
	if f.err == nil && len(f.rest) != 0 {
		f.fail("trailing bytes")
	}
	return q, f.err
}
