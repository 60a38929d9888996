package router

import (
	"context"

	"beanfield/shard"
	"beanfield/shard/queue"
)

// surveyShare is how many records of jobs a shard goes through at a time, and headsMost
// how many jobs of one state it puts in order: less than a tenth of a millisecond.
const (
	surveyShare = 1024
	headsMost   = 100
)

// Heads tells of the first jobs of a tube in a state, at most n and headsMost. It reports
// false if the shard has not got round to it when ctx ends.
func (r *Router) Heads(ctx context.Context, tube string, st queue.JobState, n int) (list []queue.JobFigures, ok bool) {
	var found []queue.JobFigures
	ok = r.shards[r.TubeShard([]byte(tube))].Look(ctx, func(s *queue.State, _ *shard.Figures) {
		found = s.Heads(r.Now(), tube, st, min(n, headsMost))
	})
	if !ok {
		return nil, false // found may still be written
	}
	return found, true
}

// Survey tells of jobs of a tube, at most so many, from a place on. next is where to go on,
// or 0 if that was all. It goes through few enough records that no client waits for it, so
// it may tell of no job although there are more.
func (r *Router) Survey(ctx context.Context, tube string, from uint32, most int) (list []queue.JobFigures, next uint32, ok bool) {
	return r.survey(ctx, r.TubeShard([]byte(tube)), tube, from, most)
}

// SurveyAll tells of jobs of all tubes as Survey does, shard by shard.
func (r *Router) SurveyAll(ctx context.Context, from uint64, most int) (list []queue.JobFigures, next uint64, ok bool) {
	const slotBits = 32
	shard := int(from >> slotBits)
	if shard >= len(r.shards) {
		return nil, 0, true
	}
	list, slot, ok := r.survey(ctx, shard, "", uint32(from), most)
	switch {
	case slot != 0:
		next = uint64(shard)<<slotBits | uint64(slot)
	case shard+1 < len(r.shards):
		next = uint64(shard+1) << slotBits
	}
	return list, next, ok
}

func (r *Router) survey(ctx context.Context, i int, tube string, from uint32, most int) (list []queue.JobFigures, next uint32, ok bool) {
	var found []queue.JobFigures
	var on uint32
	ok = r.shards[i].Look(ctx, func(s *queue.State, _ *shard.Figures) {
		found, on = s.Survey(r.Now(), tube, from, surveyShare, most)
	})
	if !ok {
		return nil, 0, false // found may still be written
	}
	return found, on, true
}
