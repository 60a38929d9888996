package push

import (
	"bytes"
	"fmt"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
)

// A producer puts jobs over the beanstalk protocol: one batch in a write, and a few of
// them before the first is answered.
type producer struct {
	run   *run
	wire  *socket.Conn
	batch []byte
	jobs  int // in a batch
	most  int // that may be unanswered
	left  int // answers that are awaited
}

// puts is one write: so many equal puts.
func puts(body []byte, jobs int) []byte {
	one := fmt.Appendf(nil, "put %d 0 60 %d\r\n%s\r\n", generator.JobPriority, len(body), body)
	return bytes.Repeat(one, jobs)
}

var inserted = []byte("INSERTED ")

func (p *producer) Take(b []byte) (used int, err error) {
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

// goOn sends the next batches, if it is time. Otherwise run does that when consumers have
// caught up.
func (p *producer) goOn() error {
	for p.left+p.jobs <= p.most && !p.run.stopping && p.run.put-p.run.done < p.run.inFlight {
		p.left += p.jobs
		p.run.put += uint64(p.jobs)
		if err := p.wire.Send(p.batch); err != nil {
			return err
		}
	}
	return nil
}
