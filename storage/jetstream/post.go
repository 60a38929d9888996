package jetstream

import (
	"fmt"

	"github.com/nats-io/nats.go"
)

// Conn is a connection to the engine.
type Conn = nats.Conn

// Post is how nodes talk to each other beside the lanes: plain messages over the engine, which keeps
// none of them. They may be lost.
type Post struct {
	nc     *nats.Conn
	prefix string
	subs   []*nats.Subscription
}

// NewPost begins to receive what is sent to a node, and to all. Received is called with
// what the node itself sends to all, too, by two goroutines; it must not wait.
func NewPost(nc *nats.Conn, cluster, node string, received func(data []byte)) (*Post, error) {
	if !plain(cluster) || !plain(node) {
		return nil, fmt.Errorf("%w: the names %q and %q may have letters, digits, - and _ only", ErrOptions, cluster,
			node)
	}
	p := &Post{nc: nc, prefix: PostPrefix(cluster)}
	for _, subject := range []string{p.subject(node), p.subject("")} {
		sub, err := nc.Subscribe(subject, func(m *nats.Msg) { received(m.Data) })
		if err != nil {
			p.Close()
			return nil, err
		}
		p.subs = append(p.subs, sub)
	}
	return p, nil
}

// PostPrefix is what all subjects of messages between a cluster's nodes begin with.
func PostPrefix(cluster string) string { return "beanfield." + cluster + ".node." }

func (p *Post) subject(node string) string {
	if node == "" {
		return p.prefix + "all"
	}
	return p.prefix + "to." + node
}

// Send sends to a node, or to all if the name is empty.
func (p *Post) Send(node string, data []byte) error { return p.nc.Publish(p.subject(node), data) }

// Flush waits until the engine has what was sent.
func (p *Post) Flush() error { return p.nc.FlushTimeout(doubt) }

// Close ends it. What has come may still be received.
func (p *Post) Close() {
	for _, sub := range p.subs {
		_ = sub.Unsubscribe()
	}
}
