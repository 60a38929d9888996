package mover

import (
	"errors"
	"slices"

	"beanfield/shard/queue"
	"beanfield/storage"
)

// roundJobs is how many jobs a mover takes in a round. Each shard has them as one batch, which it runs in
// shares.
const roundJobs = 128

// transport is what a mover's goroutine has.
type transport struct {
	shards  Shards
	from    int
	batch   queue.Batch
	parcels []queue.Parcel
	refused bool // jobs were brought back that must go later
	failed  bool // a log has
}

// submit runs operations on a shard, and reports whether its log has them: all have ended then.
func (t *transport) submit(shard int, ops []queue.Op, parcels []queue.Parcel) bool {
	b := &t.batch
	b.Reset()
	b.Ops = append(b.Ops, ops...)
	b.Parcels = append(b.Parcels, parcels...)
	t.shards.Apply(shard, b)
	return !slices.ContainsFunc(b.Ops, func(op queue.Op) bool { return op.Status == queue.Failed })
}

// round takes some jobs to their shards, and reports whether there may be more.
func (t *transport) round() bool {
	if t.failed = !t.submit(t.from, []queue.Op{{Kind: queue.Load, Limit: roundJobs}}, nil); t.failed ||
		t.batch.Ops[0].Count == 0 {
		return false
	}
	t.parcels = append(t.parcels[:0], t.batch.Parcels...)
	slices.SortStableFunc(t.parcels, func(a, b queue.Parcel) int { return t.shardOf(&a) - t.shardOf(&b) })
	refused := t.refused
	for rest := t.parcels; len(rest) > 0; {
		n := 1
		for n < len(rest) && t.shardOf(&rest[n]) == t.shardOf(&rest[0]) {
			n++
		}
		if !t.take(t.shardOf(&rest[0]), rest[:n]) {
			t.failed = true
			return false // the rest stays where it is, for the next start
		}
		rest = rest[n:]
	}
	clear(t.parcels)
	return refused || !t.refused
}

func (t *transport) shardOf(p *queue.Parcel) int { return t.shards.TubeShard([]byte(p.Job.Tube)) }

// take takes jobs to one shard. It reports false if a log has failed.
func (t *transport) take(to int, parcels []queue.Parcel) bool {
	lost, ok := t.fetch(parcels)
	if !ok {
		return false
	}
	var arrive, depart, show []queue.Op
	for i := range parcels {
		if !lost[i] {
			arrive = append(arrive, queue.Op{Kind: queue.Arrive, From: uint32(i)})
		}
	}
	if !t.submit(to, arrive, parcels) || t.shards.Secure(to) != nil {
		return false
	}
	arrived := make([]bool, len(parcels))
	for _, op := range t.batch.Ops {
		p := &parcels[op.From]
		if arrived[op.From] = op.Status == queue.OK; arrived[op.From] {
			depart = append(depart, queue.Op{Kind: queue.Depart, ID: p.Source})
			show = append(show, queue.Op{Kind: queue.Show, ID: p.Job.Key()})
			continue
		}
		depart = append(depart, queue.Op{Kind: queue.ComeHome, ID: p.Source, Why: op.Status})
		t.refused = t.refused || p.Cause == queue.ForAge && op.Status != queue.TooLong
	}
	for i := range parcels {
		if lost[i] {
			depart = append(depart, queue.Op{Kind: queue.ComeHome, ID: parcels[i].Source, Why: queue.Failed})
		}
	}
	if !t.submit(t.from, depart, nil) || t.shards.Secure(t.from) != nil {
		return false
	}
	for _, op := range show {
		t.shards.Hand(storage.IDOf(op.ID), to)
	}
	if !t.submit(to, show, nil) {
		return false
	}
	for i := range parcels {
		if trip, ok := parcels[i].Trip.(*Trip); ok {
			trip.ends(arrived[i])
		}
	}
	return true
}

// fetch reads the bodies that are in the log only. lost are jobs whose bodies cannot be read.
func (t *transport) fetch(parcels []queue.Parcel) (lost []bool, ok bool) {
	lost = make([]bool, len(parcels))
	for i := range parcels {
		p := &parcels[i]
		if !p.Away {
			continue
		}
		body, err := t.shards.Body(t.from, p.Job.ID, make([]byte, 0, p.Job.Size))
		switch {
		case err == nil:
			p.Body = [][]byte{body}
		case errors.Is(err, storage.ErrUnreadable), errors.Is(err, storage.ErrNoBody):
			lost[i] = true
		default:
			return nil, false
		}
	}
	return lost, true
}
