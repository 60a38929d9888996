package router

import (
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage"
)

// The policies that an administrator has set at run time are a text, which means nothing here. It is a
// note beside the tube without a name, so one shard has it, in its log.

// policyShard is the shard of that tube.
func (r *Router) policyShard() int { return ShardOf("", len(r.logs)) }

// findPolicies has the policies hold that the logs have kept, if there are any. No tube exists but
// the pinned one.
func (r *Router) findPolicies(queues []*storage.Queue, kept func(string) func(string) *policy.Policy) {
	for _, q := range queues {
		for _, n := range q.Notes {
			if q.Tube == "" && n.Kind == storage.NotePolicy {
				r.kept = string(n.Value)
			}
		}
	}
	if r.kept == "" || kept == nil {
		return
	}
	of := kept(r.kept)
	r.setRules(of)
	for _, s := range r.states {
		s.StartPolicies(of)
	}
}

// KeptPolicies is the text that the logs had when the router was made, or "".
func (r *Router) KeptPolicies() string { return r.kept }

// KeepPolicies has the log keep a text for the next start; "" for none. When it returns with OK the log
// has it. It changes no policy.
func (r *Router) KeepPolicies(text string) queue.Status {
	op := queue.Op{Kind: queue.KeepPolicies, Data: []byte(text)}
	r.applyOne(r.policyShard(), &op)
	return op.Status
}

// SetPolicies brings other policies for all tubes; nil for none. They hold for tubes that are
// made from then on, and soon for the others.
func (r *Router) SetPolicies(of func(tube string) *policy.Policy) {
	r.setRules(of)
	r.everywhere(func(s *queue.State) { s.SetPolicies(of) })
}
