package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"beanfield/storage/jetstream"

	"github.com/nats-io/nats.go"
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

// question is what a node is asked.
type question struct {
	Shard  int           `json:"shard"`
	Read   bool          `json:"read,omitempty"` // what it has at a record, and not only how far it is
	At     uint64        `json:"at,omitempty"`
	Limit  time.Duration `json:"limit,omitempty"`
	Remark *string       `json:"remark,omitempty"` // what is wrong with its copy; "": nothing is
}

// reply is its answer.
type reply struct {
	Place   uint64   `json:"place,omitempty"`
	Content *Content `json:"content,omitempty"`
	Error   string   `json:"error,omitempty"`
}

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
			select {
			case <-ctx.Done():
				return s, ctx.Err()
			case <-n.ctx.Done():
				return s, ErrClosed
			case <-time.After(verifyAgain):
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
	names := n.o.names()
	var there []string // who does not answer this does not answer what may take long
	for i, r := range n.askAbout(ctx, names, placeLimit, question{Shard: shard}) {
		s.At = max(s.At, r.Place)
		s.Nodes = append(s.Nodes, NodeVerified{Name: names[i], Error: r.Error})
		if r.Error == "" {
			there = append(there, names[i])
		}
	}
	answers := n.askAbout(ctx, there, verifyLimit, question{Shard: shard, Read: true, At: s.At, Limit: verifyLimit})
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
		} else if n.Error != errSilent.Error() {
			failed = true
		}
	}
	return failed, len(seen) > 1
}

// remark tells the nodes what was found.
func (n *Node) remark(ctx context.Context, s *ShardVerified) {
	for _, v := range s.Nodes {
		text := ""
		switch {
		case v.Content == nil:
			continue
		case v.Differs:
			text = fmt.Sprintf("shard %d has not what most nodes' copies have at record %d: beanfield cluster "+
				"rebuild %s", s.Shard, v.Content.At, v.Name)
		}
		n.askAbout(ctx, []string{v.Name}, placeLimit, question{Shard: s.Shard, Remark: &text})
	}
}

// errSilent is the error of a node that does not answer.
var errSilent = errors.New("it does not answer")

// askAbout asks nodes the same, side by side.
func (n *Node) askAbout(ctx context.Context, names []string, limit time.Duration, q question) []reply {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(n.ctx, cancel)()
	all := make([]reply, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			text, err := json.Marshal(q)
			if err == nil {
				var m *nats.Msg
				if m, err = n.bulk.RequestWithContext(ctx, n.verifySubject(name), text); err == nil {
					err = json.Unmarshal(m.Data, &all[i])
				} else {
					err = errSilent
				}
			}
			if err != nil {
				all[i] = reply{Error: err.Error()}
			}
		})
	}
	asking.Wait()
	return all
}

func (n *Node) verifySubject(node string) string {
	return jetstream.PostPrefix(n.o.Name) + "verify." + node
}

// answerVerify has this node answer such questions.
func (n *Node) answerVerify() error {
	_, err := n.bulk.Subscribe(n.verifySubject(n.o.Node), func(m *nats.Msg) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.closed {
			return
		}
		n.begun.Go(func() {
			var q question
			var r reply
			err := json.Unmarshal(m.Data, &q)
			if err == nil {
				r, err = n.answer(q)
			}
			if err != nil {
				r.Error = err.Error()
			}
			if text, err := json.Marshal(r); err == nil {
				_ = m.Respond(text)
			}
		})
	})
	return err
}

// answer says how far this node's copy is, or what it has at a record.
func (n *Node) answer(q question) (reply, error) {
	if q.Shard < 0 || q.Shard >= len(n.replicas) {
		return reply{}, fmt.Errorf("there is no shard %d", q.Shard)
	}
	r := n.replicas[q.Shard]
	if q.Remark != nil {
		return reply{}, n.ask(func(time.Duration) { n.election.Remark(q.Shard, *q.Remark) })
	}
	ctx, cancel := context.WithTimeout(n.ctx, min(max(q.Limit, placeLimit), verifyLimit))
	defer cancel()
	for end := time.Now().Add(arrives); ; {
		place, whole := uint64(0), false
		err := n.ask(func(time.Duration) { r.report(); place, whole = r.state.Place.Number, !r.retired.Load() })
		switch {
		case err != nil:
			return reply{}, err
		case !whole || r.failure() != nil:
			return reply{}, errors.New("its copy is not whole")
		case !q.Read:
			return reply{Place: place}, nil
		case time.Now().After(end):
			return reply{}, fmt.Errorf("it has not come to record %d: it is at %d", q.At, place)
		}
		if place >= q.At {
			return n.read(ctx, q)
		}
		select {
		case <-ctx.Done():
			return reply{}, ctx.Err()
		case <-time.After(tickEach):
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
