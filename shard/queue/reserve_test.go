package queue

import "testing"

func TestReadyOrder(t *testing.T) {
	runScripts(t, []script{
		{"priority before age, id within a priority", `
			a put 5 0 60 -> 1
			a put 3 0 60 -> 2
			a put 5 0 60 -> 3
			a put 0 0 60 -> 4
			a put 4294967295 0 60 -> 5
			b poll -> 4
			b poll -> 2
			b poll -> 1
			b poll -> 3
			b poll -> 5
			b poll -> timeout`},
		{"a released job goes back to its rank", `
			a put 5 0 60 -> 1
			a put 5 0 60 -> 2
			b poll -> 1
			b release 1 5 0
			b poll -> 1
			b release 1 6 0
			b poll -> 2`},
		{"over several tubes the smallest priority and id, whatever the order of watching", `
			b watch two
			b watch three
			a use three
			a put 5 0 60 -> 1
			a use two
			a put 5 0 60 -> 2
			a use default
			a put 5 0 60 -> 3
			a use two
			a put 4 0 60 -> 4
			b poll -> 4
			b poll -> 1
			b poll -> 2
			b poll -> 3`},
	})
}

func TestWhatIsOffered(t *testing.T) {
	runScripts(t, []script{
		{"only watched tubes are served", `
			a use other
			a put 0 0 60 -> 1
			b poll -> timeout
			b watch other
			b poll -> 1`},
		{"offer shows what claim would take", `
			b offer -> empty
			b claim -> empty
			a put 9 0 60 -> 1
			a put 7 0 60 -> 2
			b offer -> 7/2
			c offer -> 7/2
			c claim -> 2
			b offer -> 9/1
			b claim -> 1
			c claim -> empty`},
		{"peek-ready is the next to be reserved, peek finds any", `
			a peek-ready -> no
			a put 5 0 60 -> 1
			a put 4 0 60 -> 2
			a peek-ready -> 2
			a peek 1 -> 1
			b poll -> 2
			a peek-ready -> 1
			a peek 2 -> 2
			a peek 3 -> no`},
	})
}

func TestDelayOrder(t *testing.T) {
	runScripts(t, []script{
		{"a delayed job is ready when its time has come and not before", `
			a put 5 2 60 -> 1
			b poll -> timeout
			+1999999999ns
			b poll -> timeout
			+1ns
			b poll -> 1`},
		{"soonest first, then by id", `
			a put 5 3 60 -> 1
			a put 5 1 60 -> 2
			a put 5 1 60 -> 3
			a put 0 2 60 -> 4
			a peek-delayed -> 2
			b reserve -> waiting
			c reserve -> waiting
			d reserve -> waiting
			e reserve -> waiting
			+3s => b:2 c:3 d:4 e:1`},
		{"each due job is offered as it lands, a better one later does not count", `
			a put 9 1 60 -> 1
			+1us
			a put 0 1 60 -> 2
			b reserve -> waiting
			late 2s
			tick => b:1`},
		{"a job that became ready keeps its rank by id", `
			a put 5 1 60 -> 1
			a put 5 0 60 -> 2
			+1s
			b poll -> 1
			b poll -> 2`},
		{"the longest delay", `
			a put 0 4294967295 60 -> 1
			+4294967294s
			a stats-job 1 -> state=delayed left=1 delay=4294967295 age=4294967294
			+1s
			a stats-job 1 -> state=ready left=0`},
		{"delays pass in a paused tube", `
			a put 5 1 60 -> 1
			a pause default 10
			b reserve -> waiting
			+1s
			a peek-ready -> 1
			+9s => b:1`},
	})
}

func TestUrgentCounters(t *testing.T) {
	runScripts(t, []script{
		{"1023 is urgent, 1024 is not, and only while ready", `
			a put 1023 0 60 -> 1
			a put 1024 0 60 -> 2
			a put 0 5 60 -> 3
			a stats-tube default -> urgent=1 ready=2 delayed=1
			a totals -> urgent=1 ready=2 delayed=1
			b poll -> 1
			a totals -> urgent=0 ready=1 reserved=1
			b release 1 1024 0
			a totals -> urgent=0 ready=2
			b poll -> 1
			b release 1 1023 0
			a totals -> urgent=1 ready=2
			b poll -> 1
			b bury 1 7
			a stats-tube default -> urgent=0 ready=1 buried=1
			a kick 1 -> 1
			a stats-tube default -> urgent=1 ready=2 buried=0
			+5s
			a totals -> urgent=2 ready=3
			a delete 3
			a delete 1
			a totals -> urgent=0 ready=1 total=3`},
	})
}
