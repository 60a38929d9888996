package format

import "beanfield/storage"

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

// options are what only the versions for options have of a job and its item. may says which of them a value may have.
func (f *fields) options(j *storage.Job, i *storage.Item, may uint64) {
	has := uint64(0)
	for n, there := range [...]bool{i.Options != nil, i.Route != nil, i.Keys != nil, i.Since != 0} {
		if there {
			has |= 1 << n & may
		}
	}
	if number(f, &has, "terms"); has == 0 || has&^may != 0 {
		f.fail("terms")
	}
	if has&hasOptions != 0 {
		o := made(&i.Options)
		f.signed(&o.TTR, "ttr")
		f.signed(&o.Expires, "expiry")
		number(f, &o.Deliveries, "deliveries")
	}
	if has&hasRoute != 0 {
		r := made(&i.Route)
		if f.reads {
			r.Hops = storage.HopsOf(j.ID)
		}
		text(f, &r.To, storage.MaxName, "target")
		text(f, &r.Traces, storage.MaxNote, "traces")
		if f.flag(&r.Timed, "changed ttr"); r.Timed {
			number(f, &j.TTR, "ttr")
		}
	}
	if has&hasKeys != 0 {
		k := made(&i.Keys)
		text(f, &k.Key, storage.MaxKey, "key")
		f.signed(&k.KeyUntil, "end of a key")
		text(f, &k.Once, storage.MaxKey, "name of a put")
		f.signed(&k.OnceUntil, "end of a name")
		number(f, &k.Of, "job of a key")
	}
	if has&hasSince != 0 {
		if number(f, &i.Since, "purge"); i.Since == 0 {
			f.fail("purge")
		}
	}
}
