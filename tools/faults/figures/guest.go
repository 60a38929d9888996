package figures

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"beanfield/tools/nodes"
)

// A guest is an engine in this process that keeps nothing, and reaches the streams of the nodes' engines as
// an owner does: over a route, from a client in its process.
type guest struct {
	engine *server.Server
	conn   *nats.Conn
	lane   map[string]uint64 // where each of its own streams ends
}

const guestWithin = 30 * time.Second

// visit has a guest join the engines of a site.
func (s *site) visit(ctx context.Context) (*guest, error) {
	password := sha256.Sum256([]byte("beanfield engine\x00" + nodes.Name + "\x00" + nodes.Secret)) // as package jetstream has it
	user := fmt.Sprintf("user: beanfield, password: %x", password)
	var b strings.Builder
	fmt.Fprintf(&b, "server_name: guest\nhost: 127.0.0.1\nport: -1\nmax_payload: %d\nmax_pending: %d\n", 8<<20, 128<<20)
	fmt.Fprintf(&b, "cluster {\nname: %s\nhost: 127.0.0.1\nport: -1\nno_advertise: true\nauthorization { %s }\nroutes: [\n", nodes.Name, user)
	for _, n := range s.Nodes {
		fmt.Fprintf(&b, "\"nats-route://beanfield:%x@%s\"\n", password, n.Engine)
	}
	b.WriteString("]\n}\n")
	o := new(server.Options)
	if err := o.ProcessConfigString(b.String()); err != nil {
		return nil, err
	}
	o.NoSigs, o.NoLog = true, true
	engine, err := server.NewServer(o)
	if err != nil {
		return nil, err
	}
	g := &guest{engine: engine, lane: map[string]uint64{}}
	go engine.Start()
	for end := time.Now().Add(guestWithin); engine.NumRoutes() == 0 || !engine.ReadyForConnections(look); time.Sleep(look) {
		if time.Now().After(end) {
			g.leave()
			return nil, errors.New("no engine of a node can be reached")
		}
	}
	if g.conn, err = nats.Connect("", nats.InProcessServer(engine)); err != nil {
		g.leave()
		return nil, err
	}
	return g, nil
}

func (g *guest) leave() {
	if g.conn != nil {
		g.conn.Close()
	}
	g.engine.Shutdown()
	g.engine.WaitForShutdown()
}

// ask is a request about streams.
func (g *guest) ask(ctx context.Context, what string, request, answer any) error {
	limit, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	data, err := json.Marshal(request)
	if err != nil {
		return err
	}
	m, err := g.conn.RequestWithContext(limit, "$JS.API.STREAM."+what, data)
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	var failed struct{ Error *nats.APIError }
	if err = json.Unmarshal(m.Data, &failed); err == nil && failed.Error != nil {
		err = failed.Error
	}
	if err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return json.Unmarshal(m.Data, answer)
}

// likeLane makes a stream like the lane in use of a shard, led by the same node.
func (g *guest) likeLane(ctx context.Context, shard int) (name string, err error) {
	var in nats.StreamInfo // the lane in use has had the last record
	for lane := range 2 {
		var info nats.StreamInfo
		if err := g.ask(ctx, fmt.Sprintf("INFO.beanfield-%s-%d-%d", nodes.Name, shard, lane), nil, &info); err != nil {
			return "", err
		}
		if lane == 0 || info.State.LastTime.After(in.State.LastTime) {
			in = info
		}
	}
	name = fmt.Sprintf("bare-%d", shard)
	o := in.Config
	o.Name, o.Subjects, o.Metadata = name, []string{name}, nil
	var made nats.StreamInfo
	if _, there := g.lane[name]; !there {
		if err := g.ask(ctx, "CREATE."+name, o, &made); err != nil {
			return "", err
		}
		g.lane[name] = made.State.LastSeq
	}
	for end := time.Now().Add(guestWithin); ; time.Sleep(look) {
		if err := g.ask(ctx, "INFO."+name, nil, &made); err != nil {
			return "", err
		}
		if made.Cluster != nil && made.Cluster.Leader == in.Cluster.Leader {
			return name, nil
		}
		if time.Now().After(end) {
			return "", fmt.Errorf("stream %s: node %s does not lead it", name, in.Cluster.Leader)
		}
		_ = g.ask(ctx, "LEADER.STEPDOWN."+name, map[string]any{"placement": map[string]string{"preferred": in.Cluster.Leader}}, new(struct{}))
	}
}

// publish appends records of these sizes to a stream, again and again, one after the other as an owner does,
// until ctx ends. It tells how long each took.
func (g *guest) publish(ctx context.Context, stream string, sizes []int, done func(size int, took time.Duration)) error {
	inbox := g.conn.NewInbox()
	answers := make(chan *nats.Msg, 1)
	sub, err := g.conn.ChanSubscribe(inbox, answers)
	if err != nil {
		return err
	}
	defer sub.Unsubscribe()
	for i := 0; ctx.Err() == nil; i++ {
		size := sizes[i%len(sizes)]
		m := &nats.Msg{Subject: stream, Reply: inbox, Data: make([]byte, size)}
		m.Header = nats.Header{nats.ExpectedLastSeqHdr: {strconv.FormatUint(g.lane[stream], 10)}}
		begun := time.Now()
		if err := g.conn.PublishMsg(m); err != nil {
			return err
		}
		var ack struct {
			Seq   uint64
			Error *nats.APIError
		}
		select {
		case a := <-answers:
			if err := json.Unmarshal(a.Data, &ack); err != nil || ack.Error != nil {
				return fmt.Errorf("an append to %s: %q", stream, a.Data)
			}
		case <-time.After(patience):
			return fmt.Errorf("an append to %s is not answered", stream)
		}
		took := time.Since(begun)
		g.lane[stream] = ack.Seq
		done(size, took)
	}
	return nil
}

// sizes are those of the records that a site's owner appends to each shard's lanes while something is done.
func (g *guest) sizes(shards int, do func() error) ([][]int, error) {
	var mu sync.Mutex
	of := make([][]int, shards)
	var subs []*nats.Subscription
	for shard := range of {
		sub, err := g.conn.Subscribe(fmt.Sprintf("beanfield.%s.%d.*", nodes.Name, shard), func(m *nats.Msg) {
			mu.Lock()
			defer mu.Unlock()
			of[shard] = append(of[shard], len(m.Data))
		})
		if err != nil {
			return nil, err
		}
		subs = append(subs, sub)
	}
	err := errors.Join(g.conn.Flush(), do(), g.conn.Flush())
	for _, sub := range subs {
		err = errors.Join(err, sub.Unsubscribe())
	}
	mu.Lock()
	defer mu.Unlock()
	return of, err
}
