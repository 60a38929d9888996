package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/cluster/partition"
)

// announce begins to tell the other nodes that this one is there. They are to hear that while it waits for
// them, and while its engine rests; but not before it is one of them.
func (n *Node) announce(context.Context) error {
	n.watch = partition.New(n.o.Node, n.table.Load().Names())
	n.watch.LetIn(n.since)
	if n.stranger.Load() && n.server != nil {
		n.watch.Started(true)
	}
	_, err := n.talk.Subscribe(n.subject("knock"), func(m *nats.Msg) {
		var k partition.Presence
		if !n.stranger.Load() && json.Unmarshal(m.Data, &k) == nil {
			n.watch.Heard(k)
		}
	})
	if err == nil {
		n.begun.Go(n.presence)
	}
	return err
}

// presence is the goroutine that tells the others of this node, and has the engine rest while it is of no use to them.
func (n *Node) presence() {
	tick := time.NewTicker(partition.Pace)
	defer tick.Stop()
	var p pursuit
	for i, down := 0, false; ; i++ {
		select {
		case <-n.ctx.Done():
			return
		case <-tick.C:
		}
		if n.stranger.Load() {
			continue
		}
		n.watch.Tick()
		if n.watch.Duplicate() {
			n.giveWay(n.ctx)
			return
		}
		if i%int(partition.Each/partition.Pace) == 0 {
			n.watch.Lack(n.lacks(&p))
			if b, err := json.Marshal(n.watch.Presence()); err == nil {
				_ = n.talk.Publish(n.subject("knock"), b)
			}
		}
		if due := n.watch.Due(); n.server != nil && n.joined.Load() && (down || due != n.rests.Load()) {
			p = pursuit{}
			if down = !n.rest(n.ctx, due); down {
				_ = pause(n.ctx, engineAgain)
			}
		}
	}
}

// giveWay has this process end, because another one is this node. Until then it does no more than it must.
func (n *Node) giveWay(ctx context.Context) {
	why := fmt.Errorf("%w: another process is node %s of this cluster, and has been for longer, or has replaced this "+
		"one: is this the configuration of another machine?", ErrRefused, n.o.Node)
	n.ends(ctx, why)
}

// ends has this process end, whose engine may still take part.
func (n *Node) ends(ctx context.Context, why error) {
	n.o.Logger.Error("this process ends", "error", why)
	n.fail(why)
	n.do(func(time.Duration) { n.fault = why.Error() })
	if n.server != nil {
		_ = n.server.Rest(ctx)
	}
}

// pursuit is how the engine gets what it has missed, since it was started.
type pursuit struct {
	told int
	has  map[string]bool
}

// heardLeaders is after so many presences: before that an engine may take itself for current, because it has not
// heard how far the others are.
const heardLeaders = 10

// lacks tells whether a lane that this node's engine keeps is not current yet there. A new leader would end its getting
// there, and it could not lead: so nobody must have it lead meanwhile.
func (n *Node) lacks(p *pursuit) bool {
	if n.server == nil {
		return false // a site's own engine is on other machines, and its operator's
	}
	lanes := n.lanes.Load()
	if p.told++; lanes == nil || p.told < heardLeaders {
		return true
	}
	if p.has == nil {
		p.has = map[string]bool{}
	}
	lacks := false
	for _, name := range *lanes {
		p.has[name] = n.server.Keeps(name) && (p.has[name] || n.server.Current(name))
		lacks = lacks || !p.has[name] && n.server.Keeps(name)
	}
	return lacks
}

// cutOff is what operators are told of a node whose engine rests.
const cutOff = "this node is cut off from the others: its engine rests until it hears enough of them"

// engineAgain is when an engine that did not start is started again.
const engineAgain = time.Second

// rest has the engine rest, or ends that. It tells whether the engine has started.
func (n *Node) rest(ctx context.Context, rest bool) bool {
	begun := time.Now()
	var err error
	if rest {
		n.o.Logger.Warn("this node is cut off, and its engine rests until it hears enough of the others")
		err = n.server.Rest(ctx)
	} else {
		n.o.Logger.Info("this node hears enough of the others again: its engine takes part again")
		err = n.server.Wake(ctx)
	}
	if err != nil {
		if ctx.Err() == nil {
			n.o.Logger.Error("this node's engine has failed to start", "rests", rest, "error", err)
		}
		return false
	}
	n.rests.Store(rest)
	n.watch.Started(rest)
	n.o.Logger.Info("the engine was started anew", "rests", rest, "after", time.Since(begun))
	return true
}
