package queue

import (
	"fmt"
	"testing"
)

// authorizerWorld has jobs in all states in a tube, one held by each of two clients.
func authorizerWorld(t *testing.T) (s *State, holder *Client) {
	w := newWorld(t)
	w.run(`
		holder use t
		for 1..3 holder put 0 0 100
		holder put 0 100 100 -> 4
		holder put 0 0 100   -> 5
		holder reserve-job 1 -> 1
		other reserve-job 2  -> 2
		holder reserve-job 3 -> 3
		holder bury 3 0`)
	return w.s, &w.users["holder"].client
}

// An authorizer that refuses hides every job but one's own, and what is refused changes nothing. One
// that allows changes nothing about any answer.
func TestAuthorizer(t *testing.T) {
	for _, kind := range []Kind{Peek, StatsJob, KickJob, ReserveJob, Delete} {
		for i, state := range []string{"held", "others", "buried", "delayed", "ready"} {
			answer := func(j Authorizer) Status {
				s, holder := authorizerWorld(t)
				b := &Batch{Client: holder, Authorizer: j, Ops: []Op{{Kind: kind, ID: uint64(i + 1)}}}
				before := s.totals
				s.Run(1, b)
				if b.Ops[0].Status == Denied && s.totals != before {
					t.Errorf("%d of a job that is %s: refused, and %+v became %+v", kind, state, before, s.totals)
				}
				if err := s.Check(); err != nil {
					t.Error(err)
				}
				return b.Ops[0].Status
			}
			asked := false
			usual := answer(nil)
			allowed := answer(func(k Kind, tube string) bool {
				asked = true
				return k == kind && tube == "t"
			})
			if usual != allowed || asked == (state == "held") {
				t.Errorf("%d of a job that is %s: %d without an authorizer, %d with one, asked: %v", kind, state, usual,
					allowed, asked)
			}
			refused := answer(func(Kind, string) bool { return false })
			if own := state == "held"; own && refused != usual || !own && refused != Denied {
				t.Errorf("%d of a job that is %s: %d without an authorizer, %d when refused", kind, state, usual,
					refused)
			}
		}
	}
}

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
