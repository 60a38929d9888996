package queue

// Authorizer says whether the client of a batch may do an operation on the jobs of a tube. The
// batch has one only if there are rules about that. The queue asks it about operations that
// name a job, because only the queue knows the job's tube; whoever submits the batch decides
// about the others. It does not ask about jobs that the client holds: reserving a job
// includes finishing it. An Authorizer answers fast and changes nothing.
type Authorizer func(k Kind, tube string) bool

// allows asks the batch's authorizer about a job.
func (s *State) allows(b *Batch, op *Op, slot uint32) bool {
	j := s.job(slot)
	if c := b.Client; c != nil && c.slot != 0 && j.state() == Reserved && s.rare(j).holder == c.slot {
		return true
	}
	return b.Authorizer(op.Kind, s.tubeOf(j).name)
}

// sumSeen adds up the tubes that the authorizer allows, in steps: op.From is the tube to go on
// with. It reports whether it has seen all. Tubes that change meanwhile may be counted as they
// were or as they are.
func (s *State) sumSeen(b *Batch, op *Op) (all bool) {
	for op.From = max(op.From, 1); op.From < s.tubeAt.N; op.From++ {
		if s.spent() {
			return false
		}
		s.spend(summing)
		t := s.tubeAt.Get(op.From)
		if t == nil || t.gone || !b.Authorizer(Totals, t.name) {
			continue
		}
		t.addTo(&b.Sums)
		b.Sums.Total += t.total
		b.Sums.Tubes++
	}
	return true
}

// addTo adds what the tube counts.
func (t *tube) addTo(sums *Sums) {
	sums.Urgent += t.urgent
	sums.Ready += int(t.ready.N)
	sums.Reserved += t.reserved
	sums.Delayed += int(t.delayed.N)
	sums.Buried += t.buried.N
}
