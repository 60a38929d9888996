package cluster

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	mathrand "math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"

	"beanfield/storage/cluster/ownership"
	"beanfield/storage/jetstream"
	"beanfield/storage/turns"
)

// Start starts the engine, finds or makes the streams of all shards, opens the copies and begins to
// follow. While too few nodes are there it waits, and says so now and then, until the context
// ends.
func Start(ctx context.Context, o Options) (*Node, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Waiting == nil {
		o.Waiting = func(string) {}
	}
	n := newNode(o)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	n.begun.Go(func() {
		select {
		case <-n.failed:
			cancel()
		case <-n.ctx.Done():
		}
	})
	for _, step := range []func(context.Context) error{n.room, n.remember, n.startEngine, n.announce, n.admit, n.join,
		n.openShards, n.openCopies, n.take} {
		if err := step(ctx); err != nil {
			n.stop()
			select {
			case <-n.failed:
				err = n.why
			default:
			}
			return nil, err
		}
	}
	return n, nil
}

// anyBytes has the engine use the disk as long as there is room. By itself it would take three quarters of
// what is free when it starts for all that it may have, its streams of before included.
const anyBytes = 1 << 50

// startEngine starts the embedded engine, or connects to the site's own.
func (n *Node) startEngine(ctx context.Context) (err error) {
	if err = os.MkdirAll(n.o.Dir, 0o700); err != nil {
		return err
	}
	if len(n.o.Engine) > 0 {
		return n.connect(func() (*jetstream.Conn, error) { return n.reach(ctx) })
	}
	n.server, err = jetstream.Start(ctx, jetstream.Options{
		Dir: filepath.Join(n.o.Dir, "engine"), Cluster: n.o.Name, Node: n.o.Node, Nodes: n.addresses(),
		Secret: n.o.Secret,
		Logger: n.o.Logger, Since: n.since, Rests: n.stranger.Load(),
		Cert: n.o.Cert, Key: n.o.Key, CA: n.o.CA, MaxFile: anyBytes,
	})
	if err != nil {
		return err
	}
	n.sound = n.server.Failure
	n.rests.Store(n.stranger.Load())
	return n.connect(n.server.Connect)
}

// reachAgain is how often a site's own engine is looked for.
const reachAgain = time.Second

// reach connects to the site's own engine. It waits for one that is not there: machines that start together
// start it, too. One that will not do, or does not let this node in, is refused.
func (n *Node) reach(ctx context.Context) (*jetstream.Conn, error) {
	dial := jetstream.Connect
	if n.o.EngineUnsafe {
		dial = jetstream.ConnectAny
	}
	w := n.saying("the site's own engine")
	defer w.done()
	for {
		conn, err := dial(n.o.Engine)
		if err == nil {
			return conn, nil
		}
		if jetstream.Unfit(err) {
			return nil, fmt.Errorf("%w: %w", ErrRefused, err)
		}
		w.because(err)
		if err := pause(ctx, reachAgain); err != nil {
			return nil, err
		}
	}
}

// join waits until there are enough nodes to make streams.
func (n *Node) join(ctx context.Context) (err error) {
	if n.server != nil {
		defer n.saying("enough of the other nodes").done()
		err = n.server.Joined(ctx)
		n.joined.Store(err == nil)
	}
	if err == nil { // so that no time is lost while the streams are waited for
		n.quietSince.Store(int64(n.now()))
		err = n.listen()
	}
	return err
}

// listen begins to receive what is sent to this node, and to all, itself included.
func (n *Node) listen() (err error) {
	for _, name := range []string{"", n.o.Node} {
		if err == nil {
			_, err = n.talk.Subscribe(n.subjectOf(name), func(m *nats.Msg) { n.received(m.Data) })
		}
	}
	return err
}

// subject is that of messages between nodes, which the engine passes on, and keeps none of them.
func (n *Node) subject(what string) string { return "beanfield." + n.o.Name + ".node." + what }

// subjectOf is that of a message for one node, or for all if the name is empty.
func (n *Node) subjectOf(name string) string {
	if name == "" {
		return n.subject("all")
	}
	return n.subject("to." + name)
}

// connect opens a connection for each kind of message, so that records and checkpoints hold up no beats.
func (n *Node) connect(open func() (*jetstream.Conn, error)) (err error) {
	for _, conn := range []**jetstream.Conn{&n.conn, &n.talk, &n.bulk} {
		if *conn, err = open(); err != nil {
			return err
		}
	}
	return nil
}

// waitsForStreams is what a node waits for until it has them.
const waitsForStreams = "the streams of the shards; too few of the engines are up, or have room"

// openShards finds the streams, and with those of shard 0 how many shards there are.
func (n *Node) openShards(ctx context.Context) error {
	begin := n.begins
	var err error
	if n.generation, err = begin.generation(ctx); err != nil {
		return err
	}
	w := n.saying(waitsForStreams)
	defer w.done()
	begin.wait = w
	o := jetstream.ShardOptions{Cluster: n.o.Name, Replicas: n.table.Load().Replicas, Shards: n.o.Shards,
		New: max(1, n.o.DefaultShards), Nodes: n.names(), Failed: w.because}
	o.Generation = n.generation
	if f := begin.paper(); f != nil {
		if o.New = f.Shards; n.o.Shards != 0 && n.o.Shards != o.New {
			return fmt.Errorf("%w: the cluster begins with %d shards, and the configuration says %d",
				ErrRefused, o.New, n.o.Shards)
		}
	}
	for i := 0; i == 0 || i < o.Shards; i++ {
		o.Shard = i
		o.Begin = func(ctx context.Context) (origin, base uint64, err error) { return begin.shard(ctx, i) }
		shard, err := jetstream.Open(ctx, n.conn, o)
		if errors.Is(err, jetstream.ErrStream) {
			return fmt.Errorf("%w: %w", ErrRefused, err)
		}
		if err != nil {
			return err
		}
		o.Shards = shard.Shards()
		n.replicas = append(n.replicas, &replica{node: n, i: i, shard: shard})
	}
	n.sweep()
	return nil
}

// openCopies opens the stores, and looks whether they are this log's.
func (n *Node) openCopies(context.Context) (err error) {
	var origins []turns.Place
	is := paper{Cluster: n.o.Name, Generation: n.generation}
	for _, r := range n.replicas {
		// an empty copy is none of a log that has a base
		origins = append(origins, turns.Place{Origin: r.shard.Origin()})
		is.Origins = append(is.Origins, r.shard.Origin())
	}
	if n.kept, err = openPromises(n.o.Dir, is, n.since); err != nil {
		return err
	}
	_, missing := os.Stat(n.kept.path)
	anew := !n.begins.mine()
	if n.copies, err = n.o.Open(Opening{Cluster: n.o.Name, Origins: origins, Anew: anew,
		Member: anew || missing == nil && !n.kept.other, Damaged: n.damaged}); err != nil {
		return err
	}
	if anew {
		if err := n.begins.begunAnew(); err != nil {
			return err
		}
	}
	if count := n.copies.Shards(); count != len(origins) {
		return fmt.Errorf("%w: the store has %d shards, the cluster %d", ErrRefused, count, len(origins))
	}
	for i, origin := range origins {
		if place := n.copies.Place(i); place.Origin != origin.Origin {
			return fmt.Errorf("%w: shard %d of the store belongs to another log (%x) than the streams of cluster %q "+
				"(%x)",
				ErrRefused, i, place.Origin, n.o.Name, origin.Origin)
		}
		if place, base := n.copies.Place(i), n.replicas[i].shard.Base(); place.Number == 0 && place.Hash != 0 &&
			place.Hash != base {
			return fmt.Errorf("%w: the cluster %q has begun without the jobs of this directory", ErrRefused, n.o.Name)
		}
	}
	n.opened()
	return nil
}

// take takes this node's place among the others.
func (n *Node) take(context.Context) (err error) {
	var seed [16]byte
	_, _ = rand.Read(seed[:])
	nonce := max(1, binary.LittleEndian.Uint64(seed[:]))
	prefer := time.Duration(0)
	if n.o.Prefer {
		prefer = ownership.Steady
	}
	n.placed.Store(true)
	n.election = ownership.New(ownership.Config{
		Since: time.Duration(n.quietSince.Load()), Cluster: n.o.Name, Node: n.o.Node, Version: n.o.Version,
		Nodes: n.replicas[0].shard.Nodes(), Shards: len(n.replicas), Nonce: nonce, Kept: n.kept.last, Prefer: prefer,
		Random: mathrand.New(mathrand.NewPCG(nonce, binary.LittleEndian.Uint64(seed[8:]))), Acts: acts{n},
		Logger: n.o.Logger,
	}, n.now())
	n.election.At = n.o.At
	for _, r := range n.replicas {
		r.members = nil
		r.learn(n.now())
		if err := r.drive(); err != nil {
			return err
		}
	}
	if err = n.serveCheckpoints(); err != nil {
		return err
	}
	for _, r := range n.replicas {
		if r.alien() {
			n.do(func(time.Duration) { r.rebuild("it has nothing of the jobs that the log began with") })
		}
	}
	var lanes []string
	for _, r := range n.replicas {
		lanes = append(lanes, r.shard.Streams()...)
	}
	n.lanes.Store(&lanes)
	n.owned = n.now() // its own start is no time without an owner
	n.begin()
	return nil
}

// stop ends what has been started, in the reverse order.
func (n *Node) stop() {
	n.shut()
	if n.copies != nil {
		n.copies.Stop() // so that no driver waits in Take
	}
	n.begun.Wait()
	if n.desk != nil {
		n.desk.Close()
	}
	for _, r := range n.replicas {
		r.close()
	}
	if n.copies != nil {
		ended := n.ended()
		err := n.copies.Close()
		if err != nil && !errors.Is(err, os.ErrClosed) {
			n.o.Logger.Error("the copies were not closed", "error", err)
		}
		if err == nil && ended != nil {
			if err = n.kept.end(ended); err != nil {
				n.o.Logger.Error("this node does not vote", "error", err)
			}
		}
	}
	for _, conn := range []*jetstream.Conn{n.talk, n.conn, n.bulk} {
		if conn != nil {
			conn.Close()
		}
	}
	if n.server != nil {
		n.server.Stop()
	}
}
