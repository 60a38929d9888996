package router

import (
	"cmp"
	"slices"

	"beanfield/shard/queue"
)

// reconcile sees to it that of two copies of a job that a restart has found, one is leaving, and the other
// arriving (R2). The directory has the jobs that have never left their shards; it gets the others here.
func (r *Router) reconcile() {
	type copied struct {
		queue.Traveller
		shard int
	}
	var all []copied
	for i, s := range r.states {
		for _, t := range s.Travellers() {
			all = append(all, copied{t, i})
		}
	}
	slices.SortFunc(all, func(a, b copied) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Hops, b.Hops)) })
	for i, c := range all {
		owner, owned := r.ids.find(c.ID)
		switch {
		case !owned:
			r.ids.adopt(c.ID, c.shard)
		case owner == c.shard:
		case i+1 < len(all) && all[i+1].ID == c.ID:
			r.states[c.shard].Exorcise(c.ID) // there is one that is newer still
		default:
			if to := r.states[c.shard].Hide(c.ID); to != "" {
				r.states[owner].Send(c.ID, to)
				continue
			}
			r.states[owner].Exorcise(c.ID)
			r.ids.disown(c.ID)
			r.ids.adopt(c.ID, c.shard)
		}
	}
}
