package queue

// wish has every other reserve of a client ask for tags, or only to be told more. The model does not know what a
// tag index is, but who has waited longest and which job is the best.
func (x *machine) wish(c int, op *Op) {
	x.m.Clients[c].Wants = nil
	if x.pick(2, "asks") > 0 {
		return
	}
	want := x.tags(2)
	x.m.Clients[c].Wants = want
	op.Options = &Options{Tags: tagsFrom(want)}
}
