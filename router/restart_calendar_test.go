package router

import "beanfield/storage"

// restartCalendar is a store for which time can pass while nobody runs it: its
// logs' calendar is ahead of the clock by a number of nanoseconds. It tells of
// every turn's end, before anything that the turn has applied can be answered.
type restartCalendar struct {
	storage.Store
	ahead  int64
	turned func()
}

// Open implements storage.Store.
func (s restartCalendar) Open(n int, shardOf func(string) int) ([]storage.Log, error) {
	logs, err := s.Store.Open(n, shardOf)
	for i, l := range logs {
		logs[i] = restartDates{l, s.ahead, s.turned}
	}
	return logs, err
}

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

// Replay implements storage.Log.
func (l restartDates) Replay(fn func(j *storage.Job, body []byte) error) error {
	return l.Log.Replay(func(j *storage.Job, body []byte) error { return fn(l.shifted(j, -l.ahead), body) })
}
