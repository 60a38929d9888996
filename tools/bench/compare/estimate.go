package compare

import (
	"time"

	"beanfield/tools/bench/load"
	"beanfield/tools/bench/result"
)

// How long things take on an ordinary machine that nobody else uses, roughly: good
// enough to tell minutes from hours.
const (
	takesStart  = 300 * time.Millisecond // a server's start and end, and the connections
	takesWatch  = 2 * time.Microsecond   // each watch
	takesWorker = 200 * time.Microsecond // each worker's connection
	takesBack   = 4 * time.Microsecond   // each job's recovery
	takesPut    = 14 * time.Microsecond  // each job put beforehand, by beanstalkd
	takesLarge  = 3 * time.Nanosecond    // two bytes of a large job, there and back
	takesByte   = 16 * time.Nanosecond
	takesOurPut = time.Microsecond
	takesOurs   = 7 * time.Nanosecond

	takesCommand = 2 * time.Microsecond  // each of many in a write, synced
	takesSync    = 12 * time.Microsecond // each alone, of 50 connections
)

// estimate tells how long the comparison will take, repeats and waiting for a calm
// machine left out.
func (c *comparer) estimate() time.Duration {
	sum := time.Duration(0)
	for i := range c.rows {
		r := c.rows[i].scaled(c.scale)
		once := time.Duration(0)
		for k := range c.peers {
			p := &c.peers[k]
			if !p.inRow(r) {
				continue
			}
			once += c.takes(p, r.load)
			if r.own != nil {
				once += c.takes(p, *r.own)
			}
			if r.half && p.baseline {
				sum += c.takes(p, r.load)
			}
		}
		sum += once * time.Duration(r.roundsOf(c.rounds))
	}
	return sum
}

// takes is one measurement of one server.
func (c *comparer) takes(p *peer, ld load.Load) time.Duration {
	put, each := takesPut, takesByte
	if p.Name == nameBeanfield {
		put, each = takesOurPut, takesOurs
	}
	jobs := time.Duration(ld.Backlog)
	sum := takesStart + jobs*(put+time.Duration(ld.Body.Min)*each)
	switch ld.Kind {
	case load.KindNeighbour:
		sum = takesStart + time.Duration(ld.Disturb.Again)*c.takesDisturbance(ld, put)
		if p.Name == nameBeanfield {
			sum += time.Second // of the bare echo after it
		}
		return sum
	case load.KindMemory, load.KindIdle, load.KindConsumers, load.KindGets:
		return sum + c.settle
	case load.KindRestart:
		if ld.Backlog > 0 {
			sum += takesStart + 2*c.settle + jobs*takesBack
		}
		return sum
	}
	if ld.Whole {
		each := takesCommand
		if ld.Batch() == 1 {
			each = takesSync
		}
		return sum + time.Duration(ld.MaxJobs*ld.JobOperations())*each
	}
	ld = timed(ld, c.warmup, c.duration, c.seed)
	return sum + ld.Warmup + ld.Duration
}

// takesDisturbance is a disturbance with what must be done before it. Commands that are
// streamed by a pinned generator take half as long as puts.
func (c *comparer) takesDisturbance(ld load.Load, put time.Duration) time.Duration {
	each := put / 2
	sum := ld.Disturb.Peace + result.Aftermath
	jobs := time.Duration(ld.Backlog)
	switch ld.Disturb.By {
	case load.DisturbKick:
		return sum + 3*jobs*each
	case load.DisturbDeath:
		return sum + 2*jobs*each
	case load.DisturbDue:
		return sum + 2*jobs*each + 2*time.Second
	case load.DisturbSearch:
		return sum + jobs*each + time.Second
	case load.DisturbPause:
		return sum + jobs*each + time.Duration(ld.Connections)*takesWorker + 2*time.Second
	case load.DisturbHangup, load.DisturbWatch, load.DisturbList, load.DisturbReserve:
		return sum + time.Duration(ld.Connections*ld.Tubes)*takesWatch
	case load.DisturbStats:
		return sum + time.Duration(ld.Connections)*takesWorker
	case load.DisturbBody:
		return sum + time.Duration(ld.Disturb.Large)*takesLarge/2
	default:
		return sum + c.duration
	}
}

// roundsOf is how many of the rounds asked for the row takes.
func (r *row) roundsOf(asked int) int {
	if r.rounds > 0 {
		return min(asked, r.rounds)
	}
	return asked
}
