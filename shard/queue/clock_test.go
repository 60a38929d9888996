package queue

import "testing"

// Moments that the model does not come to (machine_test.go): there, whatever somebody waits for
// is served in time, and a delay never ends at the same nanosecond as a pause.
func TestClock(t *testing.T) {
	runScripts(t, []script{
		{"each due job is offered as it lands, a better one later does not count", `
			a put 9 1 60 -> 1
			+1us
			a put 0 1 60 -> 2
			b reserve -> waiting
			late 2s
			tick => b:1`},
		{"the longest delay", `
			a put 0 4294967295 60 -> 1
			+4294967294s
			a stats-job 1 -> state=delayed left=1 delay=4294967295 age=4294967294
			+1s
			a stats-job 1 -> state=ready left=0`},
		{"time left is truncated towards zero, also below it", `
			a put 0 0 2 -> 1
			a put 0 2 2 -> 2
			b reserve-job 1 -> 1
			late 2500ms
			a stats-job 1 -> state=reserved left=0
			a stats-job 2 -> state=delayed left=0
			late 1s
			a stats-job 1 -> left=-1
			a stats-job 2 -> left=-1 age=3
			late 499999999ns
			a stats-job 1 -> left=-1
			late 1ns
			a stats-job 1 -> left=-2 age=4`},
	})
}

// Pauses that end with a delay, or with each other.
func TestPausesThatEndWithOthers(t *testing.T) {
	runScripts(t, []script{
		{"a pause does not end with a delay that is over just before", `
			a put 9 5 60 -> 1
			+1ns
			a pause default 5
			b reserve -> waiting
			+4999999999ns
			a stats-tube default -> pause=5 left=0 ready=1 waiting=1
			+1ns => b:1`},
		{"the end of a pause and a delay at once", `
			a put 9 0 60 -> 1
			a put 1 5 60 -> 2
			a pause default 5
			b reserve -> waiting
			+5s => b:2`},
		{"tubes that end their pauses together serve the best job first", `
			a use two
			a put 9 0 60 -> 1
			a put 8 0 60 -> 2
			a use three
			a put 7 0 60 -> 3
			a put 9 0 60 -> 4
			a pause two 5
			a pause three 5
			b watch two
			b watch three
			c watch two
			c watch three
			d watch three
			d watch two
			b reserve -> waiting
			c reserve -> waiting
			d reserve -> waiting
			+5s => b:3 c:2 d:1`},
	})
}
