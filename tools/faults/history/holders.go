package history

import "time"

// A hold is a time in which a connection has a job for certain.
type hold struct {
	by    *Act // the reserve
	until Moment
}

// covers tells whether something that was done at some moment between the two was done during it.
func (h *hold) covers(from, to Moment) bool { return from >= h.by.Received && to <= h.until }

// holders is FR5 and FR6.
func (k *jobCheck) holders() {
	var holds []hold
	k.done(func(a *Act) {
		if a.Kind == Reserve {
			holds = append(holds, k.hold(a))
		}
	})
	for i := range holds {
		h := &holds[i]
		for n := range i {
			o := &holds[n]
			if from, to := max(h.by.Received, o.by.Received), min(h.until, o.until); from <= to &&
				h.by.Conn != o.by.Conn {
				k.find("FR5", "connections %d and %d held it at once, from %.4f to %.4f", o.by.Conn, h.by.Conn,
					from.Seconds(), to.Seconds())
			}
		}
		k.done(func(a *Act) {
			if a.Conn != h.by.Conn && h.covers(a.Sent, a.Received) {
				k.find("FR5", "while connection %d held it, until %.4f at least: %v", h.by.Conn, h.until.Seconds(), a)
			}
		})
	}
}

// hold is what a reserve has begun, as far as it is certain. It also checks FR6.
func (k *jobCheck) hold(by *Act) hold {
	h := hold{by: by, until: Never}
	deadline := by.Sent + k.ttr()
	sure := min(deadline, k.served[by.Conn])
	for i := range k.Acts {
		a := &k.Acts[i]
		if a.Conn != by.Conn || a.Sent <= by.Received && a != by {
			continue
		}
		switch {
		case a == by:
			continue
		case a.Kind == Reserve: // again: what comes now is about another hold
			h.until = max(h.until, min(sure, a.Sent))
			return h
		case a.Outcome == Done && a.Kind == Touch:
			deadline = a.Sent + k.ttr()
			sure = min(deadline, k.served[by.Conn])
			continue
		case a.Outcome == Done && (a.Kind == Release || a.Kind == Bury):
			h.until = max(h.until, a.Sent)
		case a.Outcome == Refused && (a.ends() || a.Kind == Touch) && a.Received < deadline:
			k.find("FR6", "connection %d held it, and was refused: %v", by.Conn, a)
		}
		if a.ends() {
			h.until = max(h.until, min(sure, a.Sent))
			return h
		}
	}
	h.until = max(h.until, sure)
	return h
}

// ttr is what the server makes of the job's: at least a second.
func (j *Job) ttr() time.Duration { return max(j.TTR, time.Second) }
