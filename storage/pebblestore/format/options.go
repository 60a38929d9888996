package format

import (
	"encoding/binary"

	"beanfield/storage"
)

// A value of optionsVersion has, behind what one of itemVersion has,
//
//	uvarint   1 if there are options, 2 if there is a route, 4 if there are keys, 8 if the job was recorded
//	          after a purge of its tube, or a sum of these
//
// and then the options
//
//	varint    TTR, when the job is too old
//	uvarint   deliveries
//
// the route
//
//	text      the tube it leaves for
//	text      its traces
//	uvarint   1 if its TTR has changed, and then the TTR
//
// and the keys
//
//	text      the key
//	varint    until when it is taken
//	text      the name of the put
//	varint    until when it is known
//	uvarint   the job that had the key
//
// and the purge
//
//	uvarint   its number
//
// Records and updates have options, routes and purges, and what an update has not is no longer true. Keys are
// in records only.
// How often a job has come to another shard is in its key (storage.KeyOf).
const (
	hasOptions = 1
	hasRoute   = 2
	hasKeys    = 4
	hasSince   = 8
)

func isRare(i *storage.Item) bool {
	return i != nil && (i.Options != nil || i.Route != nil || i.Since != 0)
}

func keysOf(j *storage.Job) *storage.Keys {
	if j.Item == nil {
		return nil
	}
	return j.Item.Keys
}

func appendOptions(dst []byte, j *storage.Job, keys *storage.Keys) []byte {
	i := j.Item
	has := uint64(0)
	if i.Options != nil {
		has |= hasOptions
	}
	if i.Route != nil {
		has |= hasRoute
	}
	if keys != nil {
		has |= hasKeys
	}
	if i.Since != 0 {
		has |= hasSince
	}
	dst = binary.AppendUvarint(dst, has)
	if t := i.Options; t != nil {
		dst = binary.AppendVarint(dst, t.TTR)
		dst = binary.AppendVarint(dst, t.Expires)
		dst = binary.AppendUvarint(dst, uint64(t.Deliveries))
	}
	if y := i.Route; y != nil {
		dst = appendText(dst, y.To, storage.MaxName)
		dst = appendText(dst, y.Traces, storage.MaxNote)
		if y.Timed {
			dst = binary.AppendUvarint(append(dst, 1), uint64(j.TTR))
		} else {
			dst = append(dst, 0)
		}
	}
	if keys != nil {
		dst = appendText(dst, keys.Key, storage.MaxKey)
		dst = binary.AppendVarint(dst, keys.KeyUntil)
		dst = appendText(dst, keys.Once, storage.MaxKey)
		dst = binary.AppendVarint(dst, keys.OnceUntil)
		dst = binary.AppendUvarint(dst, keys.Of)
	}
	if i.Since != 0 {
		dst = binary.AppendUvarint(dst, i.Since)
	}
	return dst
}

// options reads what appendOptions has written, into the item and, if it has changed, the TTR of a job.
func (f *fields) options(job *storage.Job, i *storage.Item, may uint64) {
	has := f.uvarint(1<<64-1, "terms")
	if has == 0 || has&^may != 0 {
		f.fail("terms")
	}
	if has&hasOptions != 0 {
		i.Options = &storage.PutOptions{TTR: f.varint("ttr"), Expires: f.varint("expiry"),
			Deliveries: f.u32("deliveries")}
	}
	if has&hasRoute != 0 {
		y := &storage.Route{Hops: storage.HopsOf(job.ID), To: string(f.text(storage.MaxName, "target")),
			Traces: f.text(storage.MaxNote, "traces")}
		if y.Timed = f.uvarint(1, "changed ttr") == 1; y.Timed {
			job.TTR = f.u32("ttr")
		}
		i.Route = y
	}
	if has&hasKeys != 0 {
		k := &storage.Keys{Key: f.text(storage.MaxKey, "key"), KeyUntil: f.varint("end of a key")}
		k.Once, k.OnceUntil = f.text(storage.MaxKey, "name of a put"), f.varint("end of a name")
		k.Of = f.uvarint(1<<64-1, "job of a key")
		i.Keys = k
	}
	if has&hasSince != 0 {
		if i.Since = f.uvarint(1<<64-1, "purge"); i.Since == 0 {
			f.fail("purge")
		}
	}
}
