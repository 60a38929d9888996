package beanstalk

import (
	"slices"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/event"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/shard/queue"
)

// maxRun bounds how many commands go to a shard in one batch.
const maxRun = 128

// run is a sequence of consecutive commands for one shard: the batch, and what is
// needed to format the answers.
type run struct {
	queue.Batch
	shard    int
	policy   *access.Policy // by which its operations were judged
	member   bool           // some command needs the session's place in the shard
	counted  bool           // its first command, a put, was counted when its line came
	verbs    []protocol.Verb
	options  []*queue.Options // of puts with options; those behind the last are to be used again
	answered int              // how many answers have been worded
	began    int64            // when it was submitted, if its time is taken; otherwise 0
	came     int64            // when it was submitted, if it was not answered at once; otherwise 0
}

const (
	// runKeepBytes is how much memory an unused run may keep: more than the largest takes that has small bodies.
	runKeepBytes = 128 << 10
	// runsKeepBytes is how much all unused runs of a loop may keep: those of some 100 pipelines of 48 commands, whose
	// turns wait for the same sync.
	runsKeepBytes = 2 << 20
)

// memory is about how many bytes an unused run keeps.
func (r *run) memory() int {
	return r.Memory() + cap(r.verbs) + cap(r.options)*optionsBytes
}

// optionsBytes is about what the options of a put keep, with their words.
const optionsBytes = 1 << 10

// takeRun gets an empty run for a shard. Runs belong to the loop, so that
// idle connections need none.
func (l *loop) takeRun(i int) *run {
	if n := len(l.runs); n > 0 {
		r := l.runs[n-1]
		l.runs = l.runs[:n-1]
		l.kept -= r.memory()
		r.shard = i
		return r
	}
	return &run{shard: i}
}

func (l *loop) dropRun(r *run) {
	size := r.memory()
	if size > runKeepBytes || l.kept+size > runsKeepBytes {
		return
	}
	if event.Spoil != nil {
		event.Spoil(r.Bytes[:cap(r.Bytes)])
	}
	r.Reset()
	r.verbs, r.options = r.verbs[:0], r.options[:0]
	r.policy, r.member, r.counted, r.answered, r.began, r.came = nil, false, false, 0, 0, 0
	l.runs = append(l.runs, r)
	l.kept += size
}

// copyOptions keeps the options of a put until the run is answered.
func (r *run) copyOptions(from *queue.Options) *queue.Options {
	n := len(r.options)
	if r.options = slices.Grow(r.options, 1)[:n+1]; r.options[n] == nil {
		r.options[n] = new(queue.Options)
	}
	r.options[n].Copy(from)
	return r.options[n]
}

// opFor adds an operation to the connection's run, or reports that the run
// has to be flushed first because it is full or belongs to another shard.
func (c *Conn) opFor(i int, v protocol.Verb) *queue.Op {
	r := c.run
	if r == nil {
		r = c.loop.takeRun(i)
		c.run = r
	} else if r.shard != i || len(r.Ops) >= maxRun {
		return nil
	}
	r.Ops = append(r.Ops, queue.Op{Kind: commands[v].op})
	if c.guard != nil {
		r.Authorizer, r.policy = c.guard.authorizer, c.guard.policy
	}
	r.verbs = append(r.verbs, v)
	return &r.Ops[len(r.Ops)-1]
}

// becomeWorker and becomeProducer are for the counters in stats.
func (c *Conn) becomeWorker() {
	if !c.worker {
		c.worker = true
		c.loop.server.workers.Add(1)
	}
}

func (c *Conn) becomeProducer() {
	if !c.producer {
		c.producer = true
		c.loop.server.producers.Add(1)
	}
}
