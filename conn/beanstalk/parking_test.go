package beanstalk

import (
	"fmt"
	"runtime"
	"testing"

	"beanfield/storage/must"
)

// TestLoopsPark has a client of another front end come, and leave. The loops park meanwhile, if
// there is no processor without a loop.
func TestLoopsPark(t *testing.T) {
	for _, c := range []struct {
		name              string
		spare             int
		comes, goes, want bool
	}{
		{"nobody else", 0, false, false, false},
		{"another front end's client", 0, true, false, true},
		{"another front end's client has left", 0, true, true, false},
		{"a processor without a loop", 1, true, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			processors := runtime.GOMAXPROCS(0)
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors + c.spare))
			h := newHouse(t, func(o *houseOptions) { o.Loops = processors })
			l := must.Get(newLoop(h.server))
			defer l.poll.Close()
			if c.comes {
				h.accept.AddPolled(1)
			}
			h.talk(processors)
			if c.goes {
				h.parks(l)
				h.accept.AddPolled(-1)
			}
			if parks := h.parks(l); parks != c.want {
				t.Errorf("a loop parks: %t, want %t", parks, c.want)
			}
		})
	}
}

// talk has each of so many loops serve a worker that waits, and a producer.
func (h *house) talk(loops int) {
	for range loops {
		worker, producer := h.dialUnix(), h.dialUnix()
		worker.send("reserve\r\n")
		id := producer.put(0, 0, 60, "x")
		if got, _ := worker.job("RESERVED"); got != id {
			h.t.Errorf("job %d was reserved, want %d", got, id)
		}
		worker.do(fmt.Sprintf("delete %d", id), "DELETED")
	}
}

// parks says whether a loop of the server parks when it sleeps.
func (h *house) parks(l *loop) bool {
	l.poll.Wake()
	l.sleep()
	return l.poll.Parked()
}
