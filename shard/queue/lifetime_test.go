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
