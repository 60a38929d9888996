package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
)

// question is what nodes ask each other: what an operator has ordered, how copies compare, who founds a cluster.
type question struct {
	Version int     `json:"v"`
	About   string  `json:"about"`
	Node    string  `json:"node,omitempty"` // of an order; of tableOf, who asks
	Undo    bool    `json:"undo,omitempty"` // likewise
	Shard   int     `json:"shard"`
	At      uint64  `json:"at,omitempty"`     // the record at which a copy is looked at
	Remark  string  `json:"remark,omitempty"` // what is wrong with it; "": nothing is
	Change  *Change `json:"change,omitempty"`
}

// reply is the answer.
type reply struct {
	Error   string             `json:"error,omitempty"`
	silent  bool               // there was none
	Told    *ownership.Message `json:"told,omitempty"` // what the node that has obeyed says now
	Place   uint64             `json:"place,omitempty"`
	Content *Content           `json:"content,omitempty"`
	Founds  bool               `json:"founds,omitempty"`
	Table   *members.Table     `json:"table,omitempty"`
	Lives   *uint64            `json:"lives,omitempty"` // since when another process is the node that asks; nil: none is
	Todo    string             `json:"todo,omitempty"`  // what the change under way waits for
	Paper   *Founding          `json:"paper,omitempty"` // of a reshard
	Bound   bool               `json:"bound,omitempty"` // which cannot be taken back
}

// silent is the reply of a node that does not answer.
var silent = reply{Error: "it does not answer", silent: true}

// askNodes asks nodes the same, side by side.
func (n *Node) askNodes(ctx context.Context, names []string, limit time.Duration, q question) []reply {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	defer context.AfterFunc(n.ctx, cancel)()
	q.Version = ownership.Major
	text, _ := json.Marshal(q)
	all := make([]reply, len(names))
	var asking sync.WaitGroup
	for i, name := range names {
		asking.Go(func() {
			if name == n.o.Node { // it may be cut off from its engine
				all[i] = n.answer(ctx, q)
				return
			}
			m, err := n.bulk.RequestWithContext(ctx, n.subject("ask."+name), text)
			if err != nil {
				all[i] = silent
			} else if err = json.Unmarshal(m.Data, &all[i]); err != nil {
				all[i].Error = err.Error()
			}
		})
	}
	asking.Wait()
	return all
}

// answers has this node answer questions, or ends that.
func (n *Node) answers(does bool) (err error) {
	switch {
	case does == (n.hears != nil):
		return nil
	case !does:
		err = n.hears.Unsubscribe()
		n.hears = nil
		return err
	}
	n.hears, err = n.bulk.Subscribe(n.subject("ask."+n.o.Node), func(m *nats.Msg) {
		n.mu.Lock()
		defer n.mu.Unlock()
		if n.closed {
			return
		}
		n.begun.Go(func() {
			var q question
			r := reply{Error: "the question is none"}
			if json.Unmarshal(m.Data, &q) == nil || q.Version != 0 {
				r = n.answer(n.ctx, q)
			}
			if text, err := json.Marshal(r); err == nil {
				_ = m.Respond(text)
			}
		})
	})
	return err
}

func (n *Node) answer(ctx context.Context, q question) (r reply) {
	var err error
	switch {
	case q.Version != ownership.Major:
		err = fmt.Errorf("its messages have version %d, and the question has %d", ownership.Major, q.Version)
	case q.About == founding:
		r = n.begins.says()
	case q.About == binding:
		if err = n.begins.bind(); err == nil {
			r = n.begins.says()
		}
	case q.About == tableOf:
		if n.knows.Load() {
			r.Table = n.table.Load()
		}
		if !n.stranger.Load() { // it has listened
			if since, lives := n.watch.Lives(q.Node); lives {
				r.Lives = &since
			}
		}
		r.Todo = *n.todo.Load()
	case n.lanes.Load() == nil:
		err = errors.New("it has not started yet")
	case q.Shard >= len(n.replicas) || q.Shard < 0 && q.About != rebuildOrder:
		err = fmt.Errorf("there is no shard %d", q.Shard)
	case q.About == placeOf || q.About == contentOf:
		limit, cancel := context.WithTimeout(ctx, verifyLimit)
		defer cancel()
		r, err = n.content(limit, q)
	case q.About == changeOrder && q.Change != nil:
		err = n.changes(ctx, *q.Change)
	case q.About == remark:
		err = n.ask(func(time.Duration) { n.election.Copy(q.Shard).Remark = q.Remark })
	default:
		r, err = n.obey(q)
	}
	if err != nil {
		r.Error = err.Error()
	}
	return r
}
