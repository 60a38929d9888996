package generator

// A pacer is the timetable of an open loop: slot s is due at start + s*step, and the
// slots go round the connections in turn. A connection that is late keeps its slots;
// its latencies count from the slot, not from when it was sent. That is
// the correction for coordinated omission: a server that stalls for a second is
// charged with every request that was due in that second, not only with the one that
// happened to be under way.
type pacer struct {
	start int64   // ns
	step  float64 // ns from slot to slot; 0: closed loop, no timetable
	conns int64
	next  int64 // the first slot that has not been announced yet
}

// newPacer makes rate operations a second out of batches of depth commands.
func newPacer(start int64, rate float64, depth, conns int) pacer {
	if rate <= 0 || conns == 0 {
		return pacer{}
	}
	return pacer{start: start, step: 1e9 * float64(depth) / rate, conns: int64(conns)}
}

func (p *pacer) open() bool { return p.step > 0 }

// at tells when a slot is due.
func (p *pacer) at(slot int64) int64 { return p.start + int64(float64(slot)*p.step) }

// due announces the next slot whose time has come, as the number of the connection
// that it belongs to.
func (p *pacer) due(now int64) (conn int, ok bool) {
	if !p.open() || p.at(p.next) > now {
		return 0, false
	}
	conn = int(p.next % p.conns)
	p.next++
	return conn, true
}
