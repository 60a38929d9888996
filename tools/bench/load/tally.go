//go:build linux

package load

// A Tally is what one loop has counted. Latencies and ops are those of the measurement alone; the other numbers are of
// the whole run, for the audit.
type Tally struct {
	commands, deliveries Histogram // a delivery is the time from a put to the arrival of the job at a worker
	ops                  uint64
	closed               bool // the measurement is over

	vacant   int64  // ns of the measurement that looks without an event took
	looks    uint64 // with events, during the measurement
	events   uint64 // that they found
	inserted int64
	deleted  int64
}

// look notes a look for events, which lasted so long.
func (t *Tally) look(measuring bool, events int, lasted int64) {
	switch {
	case !measuring:
	case events > 0:
		t.looks++
		t.events += uint64(events)
	default:
		// If more time went by, the system ran another program meanwhile.
		t.vacant += min(lasted, longestLook)
	}
}

// Latencies are those of the commands.
func (t *Tally) Latencies() *Histogram { return &t.commands }

// Add adds the jobs that another one has counted.
func (t *Tally) Add(o *Tally) {
	t.inserted += o.inserted
	t.deleted += o.deleted
}
