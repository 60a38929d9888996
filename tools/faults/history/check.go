package history

import (
	"cmp"
	"fmt"
	"slices"
)

// Check says what is broken, in an order that does not change.
func (b *Ledger) Check() []Finding {
	b.mu.Lock()
	defer b.mu.Unlock()
	found := slices.Clone(b.at)
	last := map[int]Moment{} // by connection: when its server was last proved to serve it
	for _, c := range b.conns {
		last[c.ID] = Never
		for _, s := range c.Answers {
			last[c.ID] = max(last[c.ID], s.Sent)
		}
	}
	for _, j := range b.jobs {
		k := &jobCheck{Job: j, served: last}
		k.ids()
		k.lost()
		k.back()
		k.holders()
		k.burials()
		found = append(found, k.found...)
	}
	found = append(found, b.shared()...)
	found = append(found, b.rising()...)
	return append(found, terms(b.conns)...)
}

// A jobCheck is one job, under examination.
type jobCheck struct {
	*Job
	served map[int]Moment
	found  []Finding
}

// find notes what is broken, with all that is known of the job.
func (k *jobCheck) find(rule, format string, args ...any) {
	text := fmt.Sprintf("token %d, tube %s, TTR %v: ", k.Token, k.Tube, k.TTR) + fmt.Sprintf(format, args...)
	text += "\n    " + k.Put.String()
	for i := range k.Acts {
		text += "\n    " + k.Acts[i].String()
	}
	for _, f := range k.Found {
		text += fmt.Sprintf("\n    at the end: job %d, %q", f.ID, f.State)
	}
	k.found = append(k.found, Finding{rule, text})
}

// done calls f for the acts that are done.
func (k *jobCheck) done(f func(a *Act)) {
	for i := range k.Acts {
		if k.Acts[i].Outcome == Done {
			f(&k.Acts[i])
		}
	}
}

// names are the ids under which a job was seen.
func (j *Job) names() []uint64 {
	var ids []uint64
	if j.Put.Outcome == Done {
		ids = append(ids, j.Put.ID)
	}
	for i := range j.Acts {
		if a := &j.Acts[i]; a.Kind == Reserve && a.Outcome == Done {
			ids = append(ids, a.ID)
		}
	}
	for _, f := range j.Found {
		ids = append(ids, f.ID)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// ids is a part of FR2.
func (k *jobCheck) ids() {
	if ids := k.names(); len(ids) > 1 {
		k.find("FR2", "one put has made the jobs %v", ids)
	}
	if k.Put.Outcome == Refused && len(k.names()) > 0 {
		k.find("FR2", "its put was refused, and has made a job")
	}
}

// shared is a part of FR2.
func (b *Ledger) shared() (found []Finding) {
	first := map[uint64]*Job{}
	for _, j := range b.jobs {
		for _, id := range j.names() {
			if other := first[id]; other != nil {
				found = append(found, Finding{"FR2", fmt.Sprintf("id %d was given to token %d (%v) and to token %d (%v)", id, other.Token, &other.Put, j.Token, &j.Put)})
			}
			first[id] = j
		}
	}
	return found
}

// rising is a part of FR2.
func (b *Ledger) rising() (found []Finding) {
	tubes := map[string][]*Job{}
	for _, j := range b.jobs {
		if j.Put.Outcome == Done {
			tubes[j.Tube] = append(tubes[j.Tube], j)
		}
	}
	for _, jobs := range tubes {
		bySent := slices.Clone(jobs)
		slices.SortFunc(bySent, func(x, y *Job) int { return cmp.Compare(x.Put.Sent, y.Put.Sent) })
		slices.SortFunc(jobs, func(x, y *Job) int { return cmp.Compare(x.Put.Received, y.Put.Received) })
		var highest *Job
		for _, j := range bySent {
			for len(jobs) > 0 && jobs[0].Put.Received < j.Put.Sent {
				if highest == nil || jobs[0].Put.ID > highest.Put.ID {
					highest = jobs[0]
				}
				jobs = jobs[1:]
			}
			if highest != nil && j.Put.ID <= highest.Put.ID {
				found = append(found, Finding{"FR2", fmt.Sprintf("tube %s: ids do not rise: %v, and then %v", j.Tube,
					&highest.Put, &j.Put)})
			}
		}
	}
	return found
}

// lost is FR3.
func (k *jobCheck) lost() {
	taken := slices.ContainsFunc(k.Found, func(f Found) bool { return f.State == "" })
	switch {
	case len(k.names()) == 0 || taken:
		return // perhaps its put has not happened; or it is there
	case len(k.Found) > 0:
		k.find("FR3", "it is there at the end, and did not come when all jobs were reserved")
		return
	}
	for i := range k.Acts {
		if a := &k.Acts[i]; a.Kind == Delete && a.Outcome != Refused {
			return
		}
	}
	k.find("FR3", "it is lost")
}

// back is FR4.
func (k *jobCheck) back() {
	gone, twice := Never, false
	k.done(func(a *Act) {
		if a.Kind == Delete {
			twice = twice || gone != Never
			if gone == Never || a.Received < gone {
				gone = a.Received
			}
		}
	})
	switch {
	case gone == Never:
		return
	case twice:
		k.find("FR4", "it was deleted twice")
	case len(k.Found) > 0:
		k.find("FR4", "it is there at the end, although its delete was answered")
	}
	k.done(func(a *Act) {
		if a.Kind != Delete && a.Sent > gone {
			k.find("FR4", "it was seen after its delete had been answered: %v", a)
		}
	})
}

// burials is FR8.
func (k *jobCheck) burials() {
	for i := range k.Acts {
		bury := &k.Acts[i]
		if bury.Kind != Bury || bury.Outcome != Done {
			continue
		}
		kicked, known := false, true
		var next *Act
		for n := range k.Acts {
			a := &k.Acts[n]
			after := a.Received == Never || a.Received > bury.Sent
			kicked = kicked || a.Kind == Kick && a.Outcome != Refused && after
			known = known && (a == bury || !after || a.Kind == Reserve && a.Sent > bury.Received ||
				a.Outcome == Refused)
			if a.Kind == Reserve && a.Sent > bury.Received && (next == nil || a.Sent < next.Sent) {
				next = a
			}
		}
		if next != nil && !kicked {
			k.find("FR8", "it was handed out though it was buried: %v", next)
		}
		for _, f := range k.Found {
			if known && !kicked && next == nil && f.State != "" && f.State != "buried" {
				k.find("FR8", "it is %s at the end, though it was buried", f.State)
			}
		}
	}
}
