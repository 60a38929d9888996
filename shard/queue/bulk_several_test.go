package queue

import (
	"fmt"
	"slices"
	"testing"
)

// reserveSeveral reserves, or claims, several jobs on both, and compares which ones.
func (x *machine) reserveSeveral() {
	c, u := x.client()
	if u == nil || len(x.m.Clients[c].Watched) == 0 {
		return
	}
	op := Op{Kind: ReserveSeveral, Poll: x.pick(3, "poll") > 0, Limit: choose[uint32](x, "limit", 1, 2, 3, 5, 1000)}
	x.wish(c, &op)
	most, least := BatchBytes, 1
	if x.pick(3, "claim") == 0 {
		most, least = choose(x, "bytes", 0, 11, 3000, BatchBytes), 0
		op.Kind = ClaimSeveral
		op.Several = &Several{Pri: choose[uint32](x, "worst", 0, 1, 1023, 4294967295), ID: x.id(), Room: uint32(most),
			Tag: x.worstTag(c)}
	}
	x.forget()
	got, b := u.apply(op)
	x.sync()
	var want []uint64
	for len(want) < int(op.Limit) {
		j, tag := x.m.Next(c)
		late := j != nil && op.Kind == ClaimSeveral && x.behind(op.Several, j, x.w.tagOf(c, tag))
		if j == nil || late || len(j.Body) > most && len(want) >= least {
			break
		}
		most -= len(j.Body)
		want = append(want, x.m.Claim(c).ID)
	}
	status := OK
	switch {
	case len(want) > 0:
	case op.Kind == ClaimSeveral:
		status = Empty
	default:
		_, s := x.m.Reserve(c, op.Poll)
		status = statusOf[s]
	}
	var ids []uint64
	for _, k := range b.TakenBy(&got) {
		if body := string(b.Bytes[k.From:k.To]) + string(joined(k.Large)); body != x.w.bodies[k.ID] ||
			int(k.Size) != len(body) {
			x.w.t.Fatalf("job %d comes with body %q, size %d", k.ID, body, k.Size)
		}
		if ids = append(ids, k.ID); (k.About != nil) != (op.Options != nil) {
			x.w.t.Fatalf("client %d is told of job %d: %t", c, k.ID, k.About != nil)
		}
		if k.About != nil {
			x.w.told(k.ID, k.About)
		}
	}
	if got.Status != status || !slices.Equal(ids, want) {
		x.w.t.Fatalf("client %d: %v with %v, want %v with %v", c, got.Status, ids, status, want)
	}
	if x.serves {
		x.tick()
	} else {
		x.compare()
	}
}

// offerSeveral compares what a client is offered with what it would get.
func (x *machine) offerSeveral() {
	c, u := x.client()
	if u == nil || len(x.m.Clients[c].Watched) == 0 {
		return
	}
	x.m.Now = x.w.now
	limit := choose[uint32](x, "limit", 1, 2, 5, 1000)
	op := Op{Kind: OfferSeveral, Limit: limit}
	x.wish(c, &op)
	got, b := u.apply(op)
	var ids, want []uint64
	for _, k := range b.TakenBy(&got) {
		ids = append(ids, k.ID)
	}
	for _, j := range x.m.Offers(c, int(limit)) {
		want = append(want, j.ID)
	}
	if got.Partial { // many tubes
		want = want[:min(1, len(want))]
	}
	if !slices.Equal(ids, want) || got.Partial != (u.client.many != nil) {
		x.w.t.Fatalf("client %d is offered %v, want %v", c, ids, want)
	}
}

func TestReserveSeveralWithBodiesAway(t *testing.T) {
	w := newWorld(t)
	a := w.user("a")
	w.fill(a, 2, 0)
	w.s.Budget = 3 // bytes, so that the next ones are kept in the log only
	w.fill(a, 3, 0)
	var got []string
	for {
		b := batchOf(&a.client, Op{Kind: ReserveSeveral, Poll: true, Limit: 9})
		w.s.Run(w.now, b)
		op := &b.Ops[0]
		if op.Status != OK {
			break
		}
		line := fmt.Sprint(len(b.Taken), b.Lacking())
		if b.Lacking() {
			b.Supply(reads("y", nil))
			line += fmt.Sprint(op.ID, string(joined(op.Parts)))
		}
		got = append(got, line)
	}
	if want := []string{"3 false", "1 true4y", "1 true5y"}; !slices.Equal(got, want) {
		t.Errorf("answers are %q, want %q", got, want)
	}
}
