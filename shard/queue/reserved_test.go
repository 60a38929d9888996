package queue

import "testing"

func TestTTR(t *testing.T) {
	runScripts(t, []script{
		{"a job comes back exactly when its time is up, and is counted", `
			a put 5 0 3 -> 1
			b poll -> 1
			+2999999999ns
			a stats-job 1 -> state=reserved timeouts=0 left=0
			+1ns
			a stats-job 1 -> state=ready timeouts=1 reserves=1 pri=5 releases=0
			a totals -> timeouts=1 reserved=0 ready=1
			b touch 1 -> no
			b release 1 0 0 -> no
			b bury 1 0 -> no`},
		{"touch counts from now", `
			a put 5 0 3 -> 1
			b poll -> 1
			+2s
			b touch 1
			a stats-job 1 -> left=3
			+2999999999ns
			a stats-job 1 -> state=reserved
			+1ns
			a stats-job 1 -> state=ready timeouts=1`},
		{"an expired job goes to who waits", `
			a put 5 0 3 -> 1
			b poll -> 1
			c reserve -> waiting
			+3s => c:1
			c delete 1`},
	})
}

func TestSeveralDeadlines(t *testing.T) {
	runScripts(t, []script{
		{"jobs of one holder expire by deadline, then by id", `
			a put 1 0 5 -> 1
			a put 2 0 3 -> 2
			a put 3 0 3 -> 3
			b poll -> 1
			b poll -> 2
			b poll -> 3
			b soonest -> soonest=3000000001
			c reserve -> waiting
			d reserve -> waiting
			e reserve -> waiting
			+5s => c:2 d:3 e:1`},
		{"holders expire in the order of their deadlines", `
			a put 1 0 5 -> 1
			a put 2 0 4 -> 2
			b poll -> 1
			c poll -> 2
			d reserve -> waiting
			e reserve -> waiting
			+5s => d:2 e:1`},
		{"a deadline is gone with its job", `
			a put 1 0 5 -> 1
			a put 1 0 6 -> 2
			b poll -> 1
			b poll -> 2
			b soonest -> soonest=5000000001
			b delete 1
			b soonest -> soonest=6000000001
			b bury 2 0
			b soonest -> soonest=0
			+10s
			a totals -> timeouts=0 buried=1`},
	})
}

func TestDeadlineSoon(t *testing.T) {
	runScripts(t, []script{
		{"from one second before the deadline on", `
			a put 5 0 10 -> 1
			b poll -> 1
			+8999999999ns
			b poll -> timeout
			+1ns
			b poll -> soon
			b reserve -> soon
			b poll -> soon
			+999999999ns
			b reserve -> soon
			+1ns
			b reserve -> 1`},
		{"a ready job comes first", `
			a put 5 0 1 -> 1
			b poll -> 1
			b poll -> soon
			a put 9 0 60 -> 2
			b reserve -> 2
			b reserve -> soon`},
		{"a ready job of a paused tube does not", `
			a put 5 0 1 -> 1
			b poll -> 1
			a put 5 0 60 -> 2
			a pause default 60
			b poll -> soon`},
		{"the first deadline of several decides, and others' do not", `
			a put 1 0 100 -> 1
			a put 2 0 2 -> 2
			b poll -> 1
			b poll -> 2
			+1s
			b poll -> soon
			c poll -> timeout
			b delete 2
			b poll -> timeout`},
		{"touch leads out of the margin", `
			a put 5 0 2 -> 1
			b poll -> 1
			+1s
			b poll -> soon
			b touch 1
			b poll -> timeout`},
		{"reserve-job never says it", `
			a put 5 0 1 -> 1
			a put 5 60 1 -> 2
			b poll -> 1
			b reserve-job 3 -> no
			b reserve-job 2 -> 2`},
	})
}

func TestReserveJob(t *testing.T) {
	runScripts(t, []script{
		{"ready, delayed and buried jobs, watched or not, paused or not", `
			a use other
			a put 5 0 60 -> 1
			a put 5 60 60 -> 2
			a put 5 0 60 -> 3
			b reserve-job 3 -> 3
			b bury 3 5
			a pause other 60
			b reserve-job 1 -> 1
			b reserve-job 2 -> 2
			b reserve-job 3 -> 3
			a stats-tube other -> reserved=3 ready=0 delayed=0 buried=0
			a stats-job 2 -> state=reserved left=60 reserves=1 delay=60
			+60s
			a stats-tube other -> ready=3 reserved=0`},
		{"reserved by anybody it is not found", `
			a put 5 0 60 -> 1
			b poll -> 1
			b reserve-job 1 -> no
			c reserve-job 1 -> no
			c reserve-job 7 -> no`},
		{"a job taken out of the middle leaves the order alone", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			a put 5 0 60 -> 3
			b reserve-job 2 -> 2
			b poll -> 1
			b poll -> 3`},
	})
}

func TestOnlyTheHolder(t *testing.T) {
	runScripts(t, []script{
		{"release, bury, touch and delete of a reserved job", `
			a put 5 0 60 -> 1
			b poll -> 1
			c release 1 5 0 -> no
			c bury 1 5 -> no
			c touch 1 -> no
			c delete 1 -> no
			a delete 1 -> no
			b touch 1
			b delete 1
			b delete 1 -> no`},
		{"of a job that is not reserved", `
			a put 5 0 60 -> 1
			b release 1 5 0 -> no
			b bury 1 5 -> no
			b touch 1 -> no
			c delete 1`},
		{"anybody deletes ready, delayed and buried jobs, from any tube", `
			a use other
			a put 5 0 60 -> 1
			a put 5 9 60 -> 2
			a put 5 0 60 -> 3
			b reserve-job 3 -> 3
			b bury 3 5
			c delete 1
			c delete 2
			c delete 3
			c delete 3 -> no
			a stats-tube other -> deletes=3 total=3 ready=0 delayed=0 buried=0
			+20s`},
	})
}
