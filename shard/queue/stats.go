package queue

// applyStats runs the operations that count.
func (s *State) applyStats(b *Batch, op *Op) {
	switch op.Kind {
	case StatsJob:
		slot := s.jobFor(b, op)
		if slot == 0 {
			return
		}
		op.From = uint32(len(b.Jobs))
		b.Jobs = append(b.Jobs, s.jobInfo(slot))
	case StatsTube:
		t := s.tubes[string(op.Data)]
		if t == nil {
			op.Status = NotFound
			return
		}
		if !s.sweep() {
			op.Status = More
			return
		}
		op.From, op.Tube = uint32(len(b.Tubes)), t.name
		b.Tubes = append(b.Tubes, s.tubeInfo(t))
	case Totals:
		if b.Authorizer != nil && !s.sumSeen(b, op) {
			op.Status = More
			return
		}
		if b.Authorizer == nil {
			b.Sums = s.totals
		}
	}
	op.Status = OK
}

func (s *State) jobInfo(slot uint32) JobInfo {
	j := s.job(slot)
	info := JobInfo{
		ID: j.id(), Tube: s.tubeOf(j).name, State: j.state(), Pri: j.pri,
		Age: (s.now + s.Epoch - j.created()) / second, TTR: j.ttr,
	}
	if j.rare == 0 {
		return info
	}
	t := s.rare(j)
	if t.key != 0 && (j.state() == Reserved || j.state() == Delayed) {
		info.TimeLeft = (t.key - s.now) / second
	}
	info.Delay = t.delay
	info.Reserves, info.Timeouts, info.Releases = t.reserves, t.timeouts, t.releases
	info.Buries, info.Kicks = t.buries, t.kicks
	return info
}

func (s *State) tubeInfo(t *tube) TubeInfo {
	info := TubeInfo{
		Name:   t.name,
		Urgent: t.urgent, Ready: int(t.ready.N), Reserved: t.reserved, Delayed: int(t.delayed.N), Buried: t.buried.N,
		Total: t.total, Using: t.using, Watching: t.watching, Waiting: s.waitersOf(t),
		Deletes: t.deletes, Pauses: t.pauses,
	}
	if t.paused() {
		info.Pause = t.pauseLen
		info.PauseLeft = (t.pausedUntil - s.now) / second
	}
	return info
}
