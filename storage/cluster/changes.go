package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"time"

	"beanfield/storage/cluster/members"
	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
	"beanfield/storage/turns"
)

// Change is an order that changes the members: which nodes there are, and how many keep each lane.
type Change = members.Order

// changeOrder is the question with one.
const changeOrder = "change"

const (
	// changeEach is how often it is looked what is to be done next, stepLimit how long a request of a step may take.
	changeEach = 200 * time.Millisecond
	stepLimit  = 10 * time.Second
	// groupEach is how often engines are looked for that have come back to the engines' group without being members.
	groupEach = time.Minute
	// foldEach is how often copies fold what they have while a change is under way (P16), at first, and foldRarely
	// when it waits for long. A copy may lack records when it folds, so it is to fold again.
	foldEach   = 500 * time.Millisecond
	foldRarely = 4 * time.Second
	// settles is for how long lanes are not steered after something has moved in them, unless nothing is left to be
	// moved: a new leader begins a move anew.
	settles = 5 * time.Second
	// nearly is how many records a node may lack that is to become a member.
	nearly = 1000
)

// Change begins a change of the members, takes it back, or has it go on. It returns when that is decided; Status
// tells how far it is.
func (n *Node) Change(ctx context.Context, o Change) error {
	return n.order(ctx, "", question{About: changeOrder, Change: &o})
}

// changes begins a change at the node that owns the shards.
func (n *Node) changes(ctx context.Context, o members.Order) error {
	if o.Do == members.Add || o.Do == members.Replace {
		if err := n.finds(ctx, o); err != nil {
			return err
		}
	}
	n.deciding.Lock()
	defer n.deciding.Unlock()
	t := n.table.Load()
	if o.Do == members.Add && len(t.Nodes) == 1 && n.server != nil { // its engine has neither routes nor a group
		return errors.New("a cluster of one node cannot grow: stop it, take its directory out (beanfield cluster " +
			"detach), " +
			"and begin a cluster of three nodes with its jobs (beanfield cluster init -from)")
	}
	for _, node := range t.Nodes {
		if node.Address == "" && n.server != nil {
			return fmt.Errorf("the configuration of node %s, which serves, lacks the address of node %s", n.o.Node,
				node.Name)
		}
	}
	missing := map[string]string{}
	err := n.ask(func(time.Duration) {
		for _, node := range t.Nodes {
			missing[node.Name] = n.lackingIn(node.Name)
		}
	})
	if err != nil {
		return err
	}
	next, err := t.Begin(o, func(name string) string { return missing[name] })
	if err != nil || next == t {
		return err
	}
	return n.decide(ctx, next)
}

// finds says what is wrong with a node that is to come. One that is to stay where it was may have no name there any
// more.
func (n *Node) finds(ctx context.Context, o members.Order) error {
	err := jetstream.CheckNode(o.Node, o.Address)
	if err != nil || n.server == nil || n.table.Load().Has(o.Node, o.Address) {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, lookLimit)
	defer cancel()
	host, _, _ := net.SplitHostPort(o.Address)
	if _, err = net.DefaultResolver.LookupHost(ctx, host); err != nil {
		err = fmt.Errorf("node %s, which serves, cannot look the host %s up: %w", n.o.Node, host, err)
	}
	return err
}

// lackingIn says what is wrong with a node so that its copies may not be relied on. The loop calls it.
func (n *Node) lackingIn(name string) string {
	r, alive, _ := n.election.Told(name)
	switch {
	case !alive:
		return "cannot be reached"
	case r.Broken:
		return "has a copy that is not whole"
	case r.Version != n.o.Version:
		return fmt.Sprintf("has version %s, and this one %s: a change needs the same", r.Version, n.o.Version)
	case r.Since != n.table.Load().Find(name).Since && slices.Max(append(r.Promised, 0)) > 0:
		return "is another one than the cluster has"
	}
	return n.behind(name)
}

// behind says that a node has not caught up; empty if it has.
func (n *Node) behind(name string) string {
	r, _, _ := n.election.Told(name)
	if len(r.Places) != len(n.replicas) {
		return "has not said yet what its copies have"
	}
	for i, place := range r.Places {
		if newest := n.election.Newest(i); place+nearly < newest {
			return fmt.Sprintf("lacks %d records of shard %d", newest-place, i)
		}
	}
	return ""
}

// decide appends a table to the log of each shard. The owner calls it, holding deciding.
func (n *Node) decide(ctx context.Context, t *members.Table) error {
	var term *Term
	may := ErrNobody
	err := n.ask(func(now time.Duration) {
		if term = n.term; term != nil && term.serves() {
			may = n.election.MayChange(now, voters(t))
		}
	})
	if err = cmp.Or(err, may); err != nil {
		return err
	}
	for i := range n.replicas {
		if err := n.tell(ctx, term, i, t.Encode()); err != nil {
			return err
		}
	}
	return nil
}

// tell appends a table to the log of a shard, and returns when this node's election knows.
func (n *Node) tell(ctx context.Context, term *Term, shard int, table []byte) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := n.adds(term, shard, turns.AppendMembers(nil, table)); err != nil {
		return err
	}
	return n.ask(n.replicas[shard].learn)
}

// adds appends what is nobody's but the log's from now on. When the node ends, it does not wait: the drivers, without
// which an append in doubt does not end, are closed after the changer.
func (n *Node) adds(term *Term, shard int, b []byte) error {
	done := make(chan error, 1)
	go func() { done <- term.Append(shard, b) }()
	select {
	case err := <-done:
		return err
	case <-n.ctx.Done():
		return ErrClosed
	}
}

// changer is the goroutine that carries out what has been decided about the members: at each node what concerns that
// one, and at the owner the steps of the change.
func (n *Node) changer() {
	tick, group := time.NewTicker(changeEach), time.NewTicker(groupEach)
	defer tick.Stop()
	defer group.Stop()
	var tended *members.Table
	for folds := (folding{}); ; {
		looks := false
		select {
		case <-n.ctx.Done():
			return
		case <-n.change:
		case <-tick.C:
		case <-group.C:
			looks = true
		}
		tended = n.tend(n.ctx, tended)
		if folds.due(n.table.Load(), time.Now()) {
			n.fold()
		}
		todo := n.goOn(n.ctx, looks)
		n.todo.Store(&todo)
	}
}

// folding is when a node folds its copies.
type folding struct {
	of   *members.Table
	each time.Duration // while that is the newest
	last time.Time
}

// due tells whether it is time to fold, and takes that for done.
func (f *folding) due(t *members.Table, now time.Time) bool {
	if t != f.of {
		f.of, f.each = t, foldEach
	}
	if t.Change == nil || now.Sub(f.last) < f.each {
		return false
	}
	f.last, f.each = now, min(2*f.each, foldRarely)
	return true
}

// fold makes all durable that the node's copies have.
func (n *Node) fold() {
	for _, r := range n.replicas {
		if err := n.copies.Fold(r.i); err != nil {
			n.o.Logger.Debug("a copy is not durable yet", "shard", r.i, "error", err)
		}
	}
}

// goOn does, as the owner, what is to be done next of a change. It says what it waits for.
func (n *Node) goOn(ctx context.Context, group bool) (todo string) {
	n.deciding.Lock()
	defer n.deciding.Unlock()
	var term *Term
	var unfinished ownership.Members
	var lack []int
	_ = n.ask(func(time.Duration) {
		if n.term != nil && n.term.serves() && n.election.Role() == ownership.Owner {
			term = n.term
			unfinished, lack = n.election.Unfinished()
		}
	})
	if term == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, stepLimit)
	defer cancel()
	t := n.table.Load()
	if t.Change != nil && !term.partless {
		return n.endParts(term)
	}
	if len(lack) > 0 {
		if t.Version != unfinished.Version {
			return fmt.Sprintf("version %d of the members is to come to all shards", unfinished.Version)
		}
		for _, i := range lack {
			if err := n.tell(ctx, term, i, t.Encode()); err != nil {
				return err.Error()
			}
		}
		return ""
	}
	step := t.Next(n.o.Node)
	if step.Do == members.Nothing {
		if group && t.Version > 0 {
			_, _ = n.expel(ctx, t.Nodes)
		}
		return ""
	}
	todo, err := n.carryOut(ctx, step)
	if err == nil && todo == "" && step.Then != nil {
		err = n.decide(ctx, step.Then)
		nudge(n.change)
	}
	if err != nil {
		n.o.Logger.Debug("a change of the nodes does not go on yet", "step", step.String(), "error", err)
		todo = err.Error()
	}
	return todo
}

// endParts appends a turn that changes nothing to each shard, once in a term. If the owner before had begun turns that
// it has not ended, their parts become durable with what comes after them, which P16 waits for.
func (n *Node) endParts(term *Term) (todo string) {
	for i := range n.replicas {
		if err := n.adds(term, i, turns.AppendRaise(nil, 0)); err != nil {
			return err.Error()
		}
	}
	term.partless = true
	return ""
}

// carryOut does a part of a step, and says what is still to be done of it.
func (n *Node) carryOut(ctx context.Context, step members.Step) (todo string, err error) {
	switch step.Do {
	case members.HandOver:
		return "the shards are handed over", n.handOver()
	case members.Streams:
		return n.adjust(ctx, step.Keepers, step.Replicas)
	case members.Expel:
		if todo, err = n.expel(ctx, step.Keepers); todo == "" && err == nil {
			todo, err = n.adjust(ctx, step.Keepers, step.Replicas)
		}
		return todo, err
	}
	if todo, err = n.expel(ctx, step.Keepers); todo != "" || err != nil {
		return todo, err
	}
	err = n.ask(func(time.Duration) {
		if why := n.lackingIn(step.Node.Name); why != "" {
			todo = "node " + step.Node.Name + " " + why
		}
	})
	return todo, err
}

// handOver has the best other node own the shards.
func (n *Node) handOver() (err error) {
	asked := n.ask(func(now time.Duration) {
		err = errors.New("no other node could own the shards now")
		for _, name := range n.table.Load().Names() {
			if r, alive, _ := n.election.Told(name); name != n.o.Node && alive && r.Fit && err != nil {
				err = n.election.Obey(now, ownership.Move, name, false)
			}
		}
	})
	return cmp.Or(asked, err)
}

// adjust has the lanes come nearer to being kept by these nodes, one copy of one lane of one shard at a time.
func (n *Node) adjust(ctx context.Context, keepers []members.Node, replicas int) (todo string, err error) {
	for _, r := range n.replicas {
		todo, err = r.shard.Adjust(ctx, n.server, n.engines(keepers), replicas, r.driver.Load())
		if todo != "" || err != nil {
			if todo = fmt.Sprintf("shard %d: %s", r.i, todo); todo != *n.todo.Load() {
				n.moves.Store(int64(n.now()))
			}
			return todo, err
		}
	}
	if n.moves.Swap(0) > 0 { // until the lanes are steered, the owner may lead some, and its end is that of both lanes
		nudge(n.steer)
	}
	return "", nil
}

// expel has nobody but these nodes in the engines' group.
func (n *Node) expel(ctx context.Context, keepers []members.Node) (todo string, err error) {
	if n.server == nil {
		return "", nil
	}
	return n.server.Expel(ctx, n.engines(keepers))
}

// engines are what the engine calls nodes; nil with a site's own engine, which has its own.
func (n *Node) engines(of []members.Node) (names []string) {
	if n.server == nil {
		return nil
	}
	for _, node := range of {
		names = append(names, jetstream.EngineName(node.Name, node.Since))
	}
	return names
}
