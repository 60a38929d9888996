package router

import "beanfield/storage"

// restartDates is a log for which time can pass while nobody runs it: its calendar is ahead of the clock by a number of
// nanoseconds. It tells of every turn's end, before anything that the turn has applied can be answered.
type restartDates struct {
	storage.Log
	ahead  int64
	turned func()
}

func (l restartDates) shifted(j *storage.Job, by int64) *storage.Job {
	k := *j
	k.Created += by
	if k.Deadline != 0 {
		k.Deadline += by
	}
	if k.Item = k.Item.Clone(); k.Item == nil {
		return &k
	}
	if t := k.Item.Options; t != nil && t.Expires != 0 {
		t.Expires += by
	}
	if o := k.Item.Keys; o != nil && o.KeyUntil != 0 {
		o.KeyUntil += by
	}
	if o := k.Item.Keys; o != nil && o.OnceUntil != 0 {
		o.OnceUntil += by
	}
	return &k
}

// Put implements storage.Log.
func (l restartDates) Put(j *storage.Job, body ...[]byte) { l.Log.Put(l.shifted(j, l.ahead), body...) }

// Update implements storage.Log.
func (l restartDates) Update(j *storage.Job) { l.Log.Update(l.shifted(j, l.ahead)) }

// Commit implements storage.Log.
func (l restartDates) Commit(ack storage.Ack) bool {
	l.turned()
	return l.Log.Commit(ack)
}

// Secure implements storage.Securer.
func (l restartDates) Secure() error { return l.Log.(storage.Securer).Secure() }

// Replay implements storage.Log.
func (l restartDates) Replay(fn func(j *storage.Job, body []byte) error) error {
	return l.Log.Replay(func(j *storage.Job, body []byte) error { return fn(l.shifted(j, -l.ahead), body) })
}
