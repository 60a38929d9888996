package push

import (
	"bytes"
	"fmt"

	"beanfield/tools/bench/generator"
)

// A producer puts jobs over the beanstalk protocol: one batch in a write, and the next
// when all of it is answered.
type producer struct {
	run   *run
	wire  *wire
	batch []byte
	jobs  int // in a batch
	left  int // answers that are awaited
}

// puts is one write: so many equal puts.
func puts(body []byte, jobs int) []byte {
	one := fmt.Appendf(nil, "put %d 0 60 %d\r\n%s\r\n", generator.JobPriority, len(body), body)
	return bytes.Repeat(one, jobs)
}

var inserted = []byte("INSERTED ")

func (p *producer) take(b []byte) (used int, err error) {
	for {
		end := bytes.IndexByte(b[used:], '\n')
		if end < 0 {
			break
		}
		if line := b[used : used+end]; !bytes.HasPrefix(line, inserted) {
			return used, fmt.Errorf("a put was answered %.80q", line)
		}
		if p.left--; p.left < 0 {
			return used, fmt.Errorf("more answers than puts")
		}
		used += end + 1
	}
	return used, p.goOn()
}

// goOn sends the next batch, if it is time. Otherwise run does that when consumers have
// caught up.
func (p *producer) goOn() error {
	if p.left > 0 || p.run.stopping || p.run.put-p.run.done >= p.run.inFlight {
		return nil
	}
	p.left = p.jobs
	p.run.put += uint64(p.jobs)
	return p.wire.send(p.batch)
}
