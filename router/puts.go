package router

import (
	"bytes"

	"beanfield/shard/queue"
)

// Many puts of one command go to their shards in parts: one part has puts into tubes of one shard, and
// no more of them than a turn should carry out. They get ids in the order of the command, whichever
// order the shards are asked in.

// Puts are such puts. They are the session's until the call is complete.
type Puts struct {
	// Ops are in the order of the command. One that has a status other than OK from the start is not
	// put.
	Ops []queue.Op
	// All says that all or none are put, which is only possible if none has such a status, and all
	// tubes are in one shard (Together).
	All bool

	parts []putPart
	next  int
	batch queue.Batch
}

type putPart struct {
	shard int
	ops   []queue.Op
	at    []int // which of Puts.Ops they are; nil if the part is a piece of these
}

// mostInPart is how many puts go to a shard at once, unless they are all or none.
const mostInPart = queue.Slice

// Together says whether all tubes of puts are in one shard.
func (s *Session) Together(v *Puts) bool {
	for i := range v.Ops {
		if s.shardOfPut(&v.Ops[i]) != s.shardOfPut(&v.Ops[0]) {
			return false
		}
	}
	return true
}

func (s *Session) shardOfPut(op *queue.Op) int {
	if op.Tube == "" {
		return s.usedRef.shard
	}
	return s.r.TubeShard([]byte(op.Tube))
}

// PutMany carries out puts. When it is complete they are answered.
func (s *Session) PutMany(v *Puts) bool {
	s.Puts = v
	switch together := s.Together(v); {
	case len(v.Ops) == 0:
		return true
	case v.All:
		head := queue.Op{Kind: queue.PutAll, Limit: uint32(len(v.Ops))}
		v.parts = []putPart{{shard: s.shardOfPut(&v.Ops[0]), ops: append([]queue.Op{head}, v.Ops...)}}
	case together && v.plain():
		v.parts = []putPart{{shard: s.shardOfPut(&v.Ops[0]), ops: v.Ops}}
	default:
		s.sortPuts(v)
	}
	v.cut()
	return s.putOn()
}

// plain says that all are to be put.
func (v *Puts) plain() bool {
	for i := range v.Ops {
		if v.Ops[i].Status != queue.OK {
			return false
		}
	}
	return true
}

// sortPuts makes a part for each shard. Ids are allotted here, in order.
func (s *Session) sortPuts(v *Puts) {
	of := map[int]int{} // the part of a shard
	for i := range v.Ops {
		op := &v.Ops[i]
		if op.Status != queue.OK {
			continue
		}
		shard := s.shardOfPut(op)
		n, ok := of[shard]
		if !ok {
			n = len(v.parts)
			of[shard], v.parts = n, append(v.parts, putPart{shard: shard})
		}
		op.ID = s.NewIDIn(shard)
		p := &v.parts[n]
		p.ops, p.at = append(p.ops, *op), append(p.at, i)
	}
}

// cut makes no part too long. If there are several, bodies are copied: they are borrowed until the first
// part may have to wait.
func (v *Puts) cut() {
	var cut []putPart
	for _, p := range v.parts {
		for !v.All && len(p.ops) > mostInPart {
			first := putPart{shard: p.shard, ops: p.ops[:mostInPart:mostInPart]}
			if p.ops = p.ops[mostInPart:]; p.at != nil {
				first.at, p.at = p.at[:mostInPart], p.at[mostInPart:]
			}
			cut = append(cut, first)
		}
		cut = append(cut, p)
	}
	if v.parts = cut; len(cut) == 1 {
		return
	}
	for _, p := range cut {
		for i := range p.ops {
			p.ops[i].Data = bytes.Clone(p.ops[i].Data)
		}
	}
}

// putOn goes on with the next part.
func (s *Session) putOn() bool {
	for v := s.Puts; v.next < len(v.parts); v.next++ {
		p := &v.parts[v.next]
		if v.batch.Next == 0 {
			v.batch.Ops = p.ops
		}
		for v.batch.Next < len(p.ops) {
			if !s.Submit(p.shard, &v.batch, true) {
				return false
			}
		}
		v.batch = queue.Batch{}
		p.tell(v)
	}
	return true
}

// tell brings the answers of a part to where they are looked for.
func (p *putPart) tell(v *Puts) {
	switch {
	case v.All:
		copy(v.Ops, p.ops[1:])
	case p.at != nil:
		for i, at := range p.at {
			v.Ops[at] = p.ops[i]
		}
	}
}
