package repair

import "slices"

// doubts are about jobs whose records can be read, and which may have been deleted.
type doubts struct {
	lossy bool      // the delete of any job may be lost
	holes []idRange // the ids whose deletes may have been in what cannot be read of tables
	whole uint64    // from this record on, all of the log can be read
}

// about says whether the delete of a job may be lost that was put in this record of the log,
// or 0.
func (d *doubts) about(id, record uint64) bool {
	if record > 0 && record >= d.whole {
		return false // it would be in the log
	}
	return d.lossy || slices.ContainsFunc(d.holes, func(h idRange) bool { return h.from <= id && id <= h.to })
}
