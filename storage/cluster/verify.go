package cluster

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Content is what a copy has once it has taken a record. Copies with the same records have the same.
type Content struct {
	At     uint64 `json:"at"`   // the last record of the turns which reach the one asked for
	Hash   string `json:"hash"` // over all that there is
	Jobs   int    `json:"jobs"`
	Queues int    `json:"queues"`
	Bytes  int64  `json:"bytes"`
	LastID uint64 `json:"last_id"`
}

// Verification is how the nodes' copies compare.
type Verification struct {
	Equal  bool            `json:"equal"` // all copies of all nodes were compared, and are
	Shards []ShardVerified `json:"shards"`
}

// ShardVerified is how the copies of one shard compare.
type ShardVerified struct {
	Shard int            `json:"shard"`
	At    uint64         `json:"at"`
	Equal bool           `json:"equal"`
	Nodes []NodeVerified `json:"nodes"`
}

// NodeVerified is what one node's copy has.
type NodeVerified struct {
	Name    string   `json:"name"`
	Content *Content `json:"content,omitempty"`
	Differs bool     `json:"differs"` // from most others
	Error   string   `json:"error,omitempty"`
}

const (
	// verifyTries is how often copies are compared that cannot be, or that differ. A difference counts
	// when it has been seen twice: see pebblestore's Sum for what the first may have been.
	verifyTries = 6
	verifyAgain = 500 * time.Millisecond
	placeLimit  = 2 * time.Second
	// verifyLimit bounds the reading of one copy, and arrives how long it waits for the record before.
	verifyLimit = 10 * time.Minute
	arrives     = 10 * time.Second
)

// Verify compares the copies of all nodes, which go on meanwhile. A node whose copy differs from those of
// most is told, and its status says so.
func (n *Node) Verify(ctx context.Context) (Verification, error) {
	v := Verification{Equal: true}
	for i := range n.replicas {
		s, err := n.verify(ctx, i)
		if err != nil {
			return v, err
		}
		v.Shards = append(v.Shards, s)
		v.Equal = v.Equal && s.Equal
	}
	return v, nil
}

func (n *Node) verify(ctx context.Context, shard int) (s ShardVerified, err error) {
	differed := false
	for try := range verifyTries {
		if try > 0 {
			if err := errors.Join(pause(ctx, verifyAgain), n.ctx.Err()); err != nil {
				return s, err
			}
		}
		s = n.compare(ctx, shard)
		failed, differs := s.state()
		if !failed && !differs || differs && differed {
			break
		}
		differed = differs
	}
	n.remark(ctx, &s)
	return s, ctx.Err()
}

// compare asks all nodes once: how far they are, and what they have at the newest of these records.
func (n *Node) compare(ctx context.Context, shard int) ShardVerified {
	s := ShardVerified{Shard: shard}
	names := n.names()
	var there []string // who does not answer this does not answer what may take long
	for i, r := range n.askNodes(ctx, names, placeLimit, question{About: placeOf, Shard: shard}) {
		s.At = max(s.At, r.Place)
		s.Nodes = append(s.Nodes, NodeVerified{Name: names[i], Error: r.Error})
		if r.Error == "" {
			there = append(there, names[i])
		}
	}
	answers := n.askNodes(ctx, there, verifyLimit, question{About: contentOf, Shard: shard, At: s.At})
	for i := range s.Nodes {
		if v := &s.Nodes[i]; v.Error == "" {
			v.Content, v.Error = answers[0].Content, answers[0].Error
			answers = answers[1:]
		}
	}
	s.judge()
	return s
}

// judge finds those that differ from most. If there are no most, nobody knows which of them are right.
func (s *ShardVerified) judge() {
	votes, all := map[Content]int{}, 0
	for _, n := range s.Nodes {
		if n.Content != nil {
			votes[*n.Content]++
			all++
		}
	}
	s.Equal = all == len(s.Nodes) && len(votes) == 1
	for content, of := range votes {
		if 2*of <= all {
			continue
		}
		s.At = content.At
		for i := range s.Nodes {
			n := &s.Nodes[i]
			n.Differs = n.Content != nil && *n.Content != content
		}
	}
}

// state says whether a copy that could be asked was not read, and whether copies differ.
func (s *ShardVerified) state() (failed, differs bool) {
	seen := map[Content]bool{}
	for _, n := range s.Nodes {
		if n.Content != nil {
			seen[*n.Content] = true
		} else if n.Error != silent.Error {
			failed = true
		}
	}
	return failed, len(seen) > 1
}

// remark tells the nodes what was found.
func (n *Node) remark(ctx context.Context, s *ShardVerified) {
	for _, v := range s.Nodes {
		if v.Content == nil {
			continue
		}
		text := ""
		if v.Differs {
			text = fmt.Sprintf("shard %d has not what most nodes' copies have at record %d: beanfield cluster "+
				"rebuild %s", s.Shard, v.Content.At, v.Name)
		}
		n.askNodes(ctx, []string{v.Name}, placeLimit, question{About: remark, Shard: s.Shard, Remark: text})
	}
}

// What nodes ask each other about their copies: how far one is, what it has at a record, and what is wrong with it.
const (
	placeOf   = "place"
	contentOf = "content"
	remark    = "remark"
)

// content says how far this node's copy is, or what it has at a record.
func (n *Node) content(ctx context.Context, q question) (reply, error) {
	r := n.replicas[q.Shard]
	for end := time.Now().Add(arrives); ; {
		place, whole := uint64(0), false
		err := n.ask(func(time.Duration) { r.report(); place, whole = r.state.Place.Number, !r.retired.Load() })
		switch {
		case err != nil:
			return reply{}, err
		case !whole || r.failure() != nil:
			return reply{}, errors.New("its copy is not whole")
		case q.About == placeOf:
			return reply{Place: place}, nil
		case time.Now().After(end):
			return reply{}, fmt.Errorf("it has not come to record %d: it is at %d", q.At, place)
		}
		if place >= q.At {
			return n.read(ctx, q)
		}
		if err := pause(ctx, tickEach); err != nil {
			return reply{}, err
		}
	}
}

// read says what a copy has. One that cannot be read tells Damaged, too.
func (n *Node) read(ctx context.Context, q question) (reply, error) {
	content, err := n.copies.Sum(ctx, q.Shard, q.At)
	if err != nil {
		return reply{}, err
	}
	return reply{Content: &content}, nil
}
