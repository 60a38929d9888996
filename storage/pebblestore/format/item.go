package format

import (
	"encoding/binary"

	"beanfield/storage"
)

// A value of itemVersion has, in a record, after the name of the tube
//
//	text      the tags
//
// and in an update, after the counters
//
//	text      the name of the tube to which the job was moved; empty if it was not
//
// and then, in both
//
//	uvarint   rebalances, fate
//	text      the note
//	uvarint   how many views are done with the job, and each one's number
//	uvarint   how many views have taken it back, and each one's number and how often
//
// A text is its length, a uvarint, and its bytes. itemApartVersion is itemVersion for a
// record whose body is in pieces.
//
// An update says all that Item has, apart from the tags. So an update of another version
// says that the job has nothing of that.

func TagsOf(j *storage.Job) []byte {
	if j.Item == nil {
		return nil
	}
	return j.Item.Tags
}

// changedItem says whether a job has something, apart from tags, that only the versions
// for items can say.
func changedItem(j *storage.Job) bool {
	return j.State == storage.Passed || j.Item != nil && changed(j.Item)
}

func changed(i *storage.Item) bool {
	return i.Moved || i.Rebalances != 0 || i.Fate != 0 || len(i.Note) != 0 || len(i.Done)+len(i.Returned) != 0
}

// setItem gives a job the item that was read, if there is anything in it.
func setItem(j *storage.Job, i *storage.Item) {
	if j.Item = nil; len(i.Tags) > 0 || changed(i) || isRare(i) || i.Keys != nil {
		j.Item = i
	}
}

func appendMoved(dst []byte, j *storage.Job) []byte {
	if j.Item == nil || !j.Item.Moved {
		return append(dst, 0)
	}
	return appendText(dst, j.Tube, storage.MaxName)
}

func appendItem(dst []byte, j *storage.Job) []byte {
	var i storage.Item
	if j.Item != nil {
		i = *j.Item
	}
	dst = binary.AppendUvarint(dst, uint64(i.Rebalances))
	dst = binary.AppendUvarint(dst, uint64(i.Fate))
	dst = appendText(dst, i.Note, storage.MaxNote)
	dst = binary.AppendUvarint(dst, uint64(len(i.Done)))
	for _, n := range i.Done {
		dst = binary.AppendUvarint(dst, uint64(n))
	}
	dst = binary.AppendUvarint(dst, uint64(len(i.Returned)))
	for _, v := range i.Returned {
		dst = binary.AppendUvarint(dst, uint64(v.View))
		dst = binary.AppendUvarint(dst, uint64(v.Times))
	}
	return dst
}

// item reads what appendItem has written.
func (f *fields) item(i *storage.Item) {
	i.Rebalances = f.u32("rebalances")
	i.Fate = uint8(f.uvarint(1<<8-1, "fate"))
	i.Note = f.text(storage.MaxNote, "note")
	n := f.uvarint(uint64(len(f.rest)), "views done")
	for ; n > 0 && f.err == nil; n-- {
		i.Done = append(i.Done, f.u32("view done"))
	}
	n = f.uvarint(uint64(len(f.rest)), "views that took it back")
	for ; n > 0 && f.err == nil; n-- {
		i.Returned = append(i.Returned, storage.Returned{View: f.u32("view"), Times: f.u32("times")})
	}
}
