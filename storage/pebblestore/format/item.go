package format

import "beanfield/storage"

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

// item is what a value has of the queue service behind the tags, or the tube to which the job was moved.
func (f *fields) item(i *storage.Item) {
	number(f, &i.Rebalances, "rebalances")
	number(f, &i.Fate, "fate")
	text(f, &i.Note, storage.MaxNote, "note")
	i.Done = list(f, i.Done, 1, "views done")
	for n := range i.Done {
		number(f, &i.Done[n], "view done")
	}
	i.Returned = list(f, i.Returned, 1, "views that took it back")
	for n := range i.Returned {
		v := &i.Returned[n]
		number(f, &v.View, "view")
		number(f, &v.Times, "times")
	}
}
