package queue

import "testing"

// A job that is too old is deleted, unless somebody holds it: then it is when it comes back (Y3).
func TestPutExpire(t *testing.T) {
	w := newWorld(t)
	w.run(`
		a put-with expire=5s key=k     -> 1
		a put-with expire=5s delay=60s -> 2
		a put-with expire=5s           -> 3
		a put-with expire=5s           -> 4
		a put-with expire=5s           -> 5
		a reserve-job 3                -> 3
		a reserve-job 4                -> 4
		a reserve-job 5                -> 5
		a bury 5 0                     -> ok
		restart
		a reserve-job 3                -> 3
		a reserve-job 4                -> 4
		+4999ms
		a peek 1                       -> 1
		a peek 2                       -> 2
		a peek 5                       -> 5
		+1ms
		a peek 1                       -> no
		a peek 2                       -> no
		a peek 5                       -> no
		a peek 3                       -> 3
		b wait                         -> waiting
		a release 3 0 0                -> ok
		a peek 3                       -> no
		a bury 4 0                     -> ok
		tick
		a peek 4                       -> no
		a put-with key=k               -> 6 => b:6
	`)
}

// The policy of the tube and the put may both say when a job is too old.
func TestPutExpireWithPolicy(t *testing.T) {
	newWorld(t).run(`
		policy default expire=5s
		a put-with expire=3s -> 1
		a put-with expire=9s -> 2
		a put 0 0 9          -> 3
		+3s
		a peek 1 -> no
		a peek 2 -> 2
		+2s
		a peek 2 -> no
		a peek 3 -> no
	`)
}

// Where dead letters go to a tube, jobs that are too old may go there as well, whoever has said when they
// are. There they stay: their put's time has passed already.
func TestExpiredJobsAreDeadLetters(t *testing.T) {
	newWorld(t).run(`
		policy default expire=9s expired=dead deliveries=9 to=graveyard
		a put-with expire=3s          -> 1
		a put-with expire=3s delay=9s -> 2
		a put-with expire=3s          -> 3
		a reserve-job 3               -> 3
		a put 0 0 9                   -> 4
		+3s
		a stats-job 1 -> tube=graveyard state=ready
		a stats-job 2 -> tube=graveyard state=ready
		a stats-job 4 -> tube=default state=ready
		a release 3 0 0
		a stats-job 3 -> tube=graveyard state=ready
		+6s
		a stats-job 4 -> tube=graveyard state=ready
		restart
		a stats-job 1 -> tube=graveyard state=ready
		a stats-job 3 -> tube=graveyard state=ready
		a stats-job 4 -> tube=graveyard state=ready
		policy graveyard jobs=4
		a put-with expire=3s          -> 5
		+3s
		a peek 5 -> no     # the tube is full
	`)
}

// A circle of policies for old jobs ends them. A job that was moved for another reason still goes.
func TestExpiredJobsGoInNoCircle(t *testing.T) {
	newWorld(t).run(`
		policy default expire=3s expired=dead deliveries=9 to=other
		policy other expire=3s expired=dead deliveries=9 to=default
		a put 0 0 9 -> 1
		+3s
		a peek 1 -> no
		policy other deliveries=1 to=default
		a put 0 0 9 -> 2
		+3s
		a stats-job 2 -> tube=other
		a put 0 0 9 -> 3
		a reserve-job 3 -> 3
		policy default deliveries=1 to=other
		a release 3 0 0
		a stats-job 3 -> tube=other
		policy other expire=6s expired=dead deliveries=9 to=default
		+6s
		a stats-job 3 -> tube=default
		a peek 2 -> no
	`)
}

// A put may say how often its job is delivered.
func TestPutDeliveries(t *testing.T) {
	newWorld(t).run(`
		a put-with deliveries=2 ttr=5s -> 1
		a reserve                      -> 1
		a release 1 0 0                -> ok
		restart
		a reserve                      -> 1
		+5s
		a stats-job 1                  -> state=buried reserves=2 buries=1
		a delete 1                     -> ok
		policy default deliveries=3 dead=delete
		a put-with deliveries=1        -> 2
		a put-with deliveries=9        -> 3
		a reserve-job 2                -> 2
		a release 2 0 0                -> ok
		a peek 2                       -> no
		a reserve                      -> 3
		a release 3 0 0                -> ok
		a reserve                      -> 3
		a release 3 0 0                -> ok
		a reserve                      -> 3
		a release 3 0 0                -> ok
		a peek 3                       -> no
	`)
}
