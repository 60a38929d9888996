package queue

import (
	"cmp"
	"fmt"
	"slices"
	"testing"
)

// Totals with an authorizer count its tubes, also over many turns, and a client unknown to the shard is
// judged too.
func TestAuthorizerOfTotals(t *testing.T) {
	const tubes = 1000
	w := newManyWorld(t, 0, leastShare)
	c := &w.user("c").client
	for i := range tubes {
		b := &Batch{Client: c, Ops: []Op{
			{Kind: Use, Data: fmt.Appendf(nil, "t%d", i)}, {Kind: Put, TTR: 1, Size: 1, Data: []byte("x")},
			{Kind: Put, Delay: 9, TTR: 1, Size: 1, Data: []byte("x")},
		}}
		for !w.s.Run(w.now, b) {
			w.s.renew()
		}
	}
	b := &Batch{Ops: []Op{{Kind: Totals}}, Authorizer: func(k Kind, tube string) bool {
		return k == Totals && tube[len(tube)-1] == '7'
	}}
	turns := 1
	for !w.s.Run(w.now, b) {
		w.s.renew()
		turns++
	}
	if b.Sums != (Sums{Urgent: 100, Ready: 100, Delayed: 100, Total: 200, Tubes: 100}) || turns < 50 {
		t.Errorf("counted %+v in %d turns", b.Sums, turns)
	}
}

// rightsOf are those of whoever may do what one word says, in some tubes.
func rightsOf(words []string) Authorizer {
	if len(words) == 0 {
		return nil
	}
	kind := cmp.Or(verbs[words[0]].kind, List)
	return func(k Kind, tube string) bool { return k == kind && slices.Contains(words[1:], tube) }
}
