package queue

import "encoding/binary"

// An operation on several jobs does to each of them, in the order of the list, what the single one
// would do; all of them are one answer. A job that is not there, that the client does not hold or
// has no right on, is passed over. A job that is in the list twice is tried twice: a second delete
// finds nothing. The list may be longer than a turn's share: then others have their turn in its
// middle. The jobs may be in several shards: the router gives each shard those that it owns.

// idBytes is how long an id is in the list of an operation on several jobs.
const idBytes = 8

// AppendID adds a job to the list in Op.Data.
func AppendID(list []byte, id uint64) []byte { return binary.LittleEndian.AppendUint64(list, id) }

// eachOf is what an operation on several jobs does to each.
var eachOf = [Service + 1]Kind{DeleteSeveral: Delete, ReleaseSeveral: Release, BurySeveral: Bury, TouchSeveral: Touch,
	AlterSeveral: Alter}

// doSeveral goes through the list from op.From on. What cannot be logged ends it there: what was done
// before stays done.
func (s *State) doSeveral(b *Batch, op *Op) {
	first := op.From
	for ; int(op.From)*idBytes < len(op.Data); op.From++ {
		if op.From > first && s.spent() {
			op.Status = More
			return
		}
		one := Op{Kind: eachOf[op.Kind], Pri: op.Pri, Delay: op.Delay, Options: op.Options}
		one.ID = binary.LittleEndian.Uint64(op.Data[op.From*idBytes:])
		s.doOne(b, &one)
		switch one.Status {
		case OK:
			op.Count++
			op.To += one.Count
			op.Tube = one.Tube
		case Denied, NoRoom:
			op.Size++
		case Failed, More:
			op.Status = one.Status
			return
		}
	}
	op.Status = OK
}

func (s *State) doOne(b *Batch, one *Op) {
	s.Apply(s.now, b, one)
	switch {
	case one.Status != OK:
		s.spend(looking)
	case one.Kind == Delete:
		s.spend(ending)
	default:
		s.spend(moving)
	}
}
