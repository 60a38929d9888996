package pebblestore

import (
	"bytes"
	"cmp"

	"beanfield/storage"
)

// relay passes the jobs of a scan on to another goroutine, in loads. If a core is free, a
// replay then takes as long as the longer of its two parts: reading jobs, and building
// queues of them. There are two loads, one on each side.
type relay struct {
	load        *load // is being filled
	full, empty chan *load
}

// load is jobs on their way.
type load struct {
	jobs   []loaded
	bodies []byte // one after the other
	large  []byte // the last job's body, if it is memory of its own
	err    error  // what fn said of a job of this load, or of an earlier one
}

type loaded struct {
	job storage.Job
	end int // of the body, in bodies
}

// A load is full when it has so many jobs or so many bytes of bodies. With a quarter of
// that, waking each other costs the two goroutines half of what they gain.
const (
	loadJobs  = 2048
	loadBytes = 256 << 10
)

// relayed runs scan in a goroutine of its own and calls fn, in the caller's, for each job
// that scan gives the relay, in the same order. If fn fails, it is not called again, and
// give returns its error soon; whatever scan meets meanwhile came later, and does not count.
func relayed(scan func(r *relay) error, fn func(*storage.Job, []byte) error) (err error) {
	r := &relay{load: new(load), full: make(chan *load), empty: make(chan *load, 1)}
	r.empty <- new(load)
	var panicked any // of a damaged database, say: the caller is to know
	go func() {
		defer close(r.full)
		defer func() { panicked = recover() }()
		err = scan(r)
		// fn gets everything that came before an error.
		err = cmp.Or(r.pass(), r.pass(), err)
	}()
	var failed error
	for l := range r.full {
		if failed == nil {
			failed = l.deliver(fn)
		}
		*l = load{jobs: l.jobs[:0], bodies: l.bodies[:0], err: failed}
		r.empty <- l
	}
	if panicked != nil {
		panic(panicked)
	}
	return err
}

// give passes on a job. own says that nobody else uses the memory of its body: then it
// returns when fn has had the job, so that only one such body is on its way.
func (r *relay) give(j *storage.Job, body []byte, own bool) error {
	l := r.load
	if j.Item != nil { // it is this job's alone, but its texts are not
		j.Item.Tags, j.Item.Note = bytes.Clone(j.Item.Tags), bytes.Clone(j.Item.Note)
		if k := j.Item.Keys; k != nil {
			k.Key, k.Once = bytes.Clone(k.Key), bytes.Clone(k.Once)
		}
		if y := j.Item.Route; y != nil {
			y.Traces = bytes.Clone(y.Traces)
		}
	}
	if own {
		l.large = body
	} else {
		l.bodies = append(l.bodies, body...)
	}
	l.jobs = append(l.jobs, loaded{*j, len(l.bodies)})
	switch {
	case own:
		return cmp.Or(r.pass(), r.pass())
	case len(l.jobs) >= loadJobs || len(l.bodies) >= loadBytes:
		return r.pass()
	}
	return nil
}

// pass hands over the load, and waits until the one before it has been delivered.
func (r *relay) pass() error {
	r.full <- r.load
	r.load = <-r.empty
	return r.load.err
}

func (l *load) deliver(fn func(*storage.Job, []byte) error) error {
	from := 0
	for i := range l.jobs {
		j := &l.jobs[i]
		body := l.bodies[from:j.end:j.end]
		if l.large != nil && i == len(l.jobs)-1 {
			body = l.large
		}
		if err := fn(&j.job, body); err != nil {
			return err
		}
		from = j.end
	}
	return nil
}
