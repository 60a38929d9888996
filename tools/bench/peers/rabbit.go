//go:build linux

package peers

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"

	"beanfield/tools/server"
)

// rabbit is RabbitMQ with queues of the types that its manual has for such jobs.
func rabbit() (all []Peer) {
	for _, kind := range []rabbitQueue{{"classic", false}, {"classic", true}, {"quorum", true}} {
		p := Peer{Name: "RabbitMQ " + kind.name, Durable: kind.durable,
			source: source{"rabbitmq-server", "usr/lib/rabbitmq/bin/rabbitmq-server"},
			launch: server.Launch{Config: rabbitFile, Command: "env HOME={dir} RABBITMQ_CONF_ENV_FILE={config} " +
				"RUNNING_UNDER_SYSTEMD=true {root}/usr/lib/rabbitmq/bin/rabbitmq-server"},
			beside: func(s *server.Launched, root string) []string {
				_, port, _ := strings.Cut(s.TLS, ":")
				return []string{"{root}/usr/bin/epmd", "-address", "127.0.0.1", "-port", port}
			},
			dial: func(s *server.Launched, _ int) (client, error) { return dialRabbit(s, kind, 0) },
			consume: func(s *server.Launched, _, window int) (client, error) {
				return dialRabbit(s, kind, window)
			},
		}
		how := "a queue and messages that are not durable"
		if p.Durable {
			how = fmt.Sprintf("a durable %s queue, persistent messages", kind.name)
		}
		p.Settings = "`rabbitmq-server` without plugins; " + how + "; publisher confirms; basic.consume, whose prefetch is " +
			"as many jobs as are taken at once, or the window of pushes; one basic.ack for all that were taken, which AMQP " +
			"does not answer. A delay is a queue with a TTL that dead-letters into this one"
		all = append(all, p)
	}
	return all
}

const rabbitFile = `NODENAME=bench@localhost
NODE_IP_ADDRESS=127.0.0.1
NODE_PORT={port}
DIST_PORT={queue}
ERL_EPMD_PORT={tls}
ERL_EPMD_ADDRESS=127.0.0.1
MNESIA_BASE={dir}
LOGS=-
ENABLED_PLUGINS_FILE={dir}/plugins
PID_FILE={dir}/pid
SERVER_ADDITIONAL_ERL_ARGS="-kernel inet_dist_use_interface {127,0,0,1}"
`

type rabbitQueue struct {
	name    string
	durable bool
}

// A rabbitClient consumes from its first take on. What it holds goes to others when it is closed.
type rabbitClient struct {
	conn    *amqp.Connection
	channel *amqp.Channel
	out     *cork
	kind    rabbitQueue
	window  int
	came    <-chan amqp.Delivery
	tag     uint64 // of the last that was taken
}

const delayQueue = tube + "-later"

func dialRabbit(s *server.Launched, kind rabbitQueue, window int) (client, error) {
	c := &rabbitClient{kind: kind, window: window}
	var err error
	c.conn, err = amqp.DialConfig("amqp://guest:guest@"+s.Addr, amqp.Config{
		Dial: func(network, addr string) (net.Conn, error) {
			conn, err := net.Dial(network, addr)
			c.out = &cork{Conn: conn}
			return c.out, err
		}})
	if err != nil {
		return nil, err
	}
	if c.channel, err = c.conn.Channel(); err != nil {
		return c, err
	}
	for name, args := range map[string]amqp.Table{
		tube: {"x-queue-type": kind.name},
		delayQueue: {"x-queue-type": kind.name, "x-dead-letter-exchange": "", "x-dead-letter-routing-key": tube,
			"x-message-ttl": delayed.Milliseconds()},
	} {
		if _, err = c.channel.QueueDeclare(name, kind.durable, false, false, false, args); err != nil {
			return c, err
		}
	}
	return c, c.channel.Confirm(false)
}

func (c *rabbitClient) put(bodies [][]byte) error { return c.to(tube, bodies) }

func (c *rabbitClient) delay(bodies [][]byte, by time.Duration) error {
	if by != delayed {
		return errUnable // the queue has one delay
	}
	return c.to(delayQueue, bodies)
}

// to publishes, and waits until all is confirmed.
func (c *rabbitClient) to(queue string, bodies [][]byte) error {
	mode := uint8(amqp.Transient)
	if c.kind.durable {
		mode = amqp.Persistent
	}
	confirms := make([]*amqp.DeferredConfirmation, len(bodies))
	c.out.hold()
	for i, b := range bodies {
		var err error
		confirms[i], err = c.channel.PublishWithDeferredConfirm("", queue, false, false,
			amqp.Publishing{DeliveryMode: mode, Body: b})
		if err != nil {
			return err
		}
	}
	if err := c.out.release(); err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	for _, confirm := range confirms {
		if ok, err := confirm.WaitContext(ctx); err != nil || !ok {
			return cmp.Or(err, errors.New("RabbitMQ refused a message, or closed the connection"))
		}
	}
	return nil
}

func (c *rabbitClient) take(n int) (bodies [][]byte, err error) {
	if c.came == nil {
		if err = c.consume(cmp.Or(c.window, n)); err != nil {
			return nil, err
		}
	}
	late := time.NewTimer(patience)
	defer late.Stop()
	// What has come is all that is there: the first is waited for.
	for len(bodies) < n && (len(bodies) == 0 || len(c.came) > 0) {
		select {
		case d, ok := <-c.came:
			if !ok {
				return nil, amqp.ErrClosed
			}
			bodies, c.tag = append(bodies, d.Body), d.DeliveryTag
		case <-late.C:
			return nil, errStarved
		}
	}
	return bodies, nil
}

// consume has so many messages pushed at most that are not done yet.
func (c *rabbitClient) consume(window int) error {
	if err := c.channel.Qos(window, 0, false); err != nil {
		return err
	}
	one, err := c.channel.Consume(tube, "", false, false, false, false, nil)
	if err != nil {
		return err
	}
	came := make(chan amqp.Delivery, window) // the module's has no room, and does not tell how many have come
	c.came = came
	go func() {
		defer close(came)
		for d := range one {
			came <- d
		}
	}()
	return nil
}

func (c *rabbitClient) done() error { return c.channel.Ack(c.tag, true) }

func (c *rabbitClient) count() (int, error) {
	q, err := c.channel.QueueDeclarePassive(tube, c.kind.durable, false, false, false, nil)
	return q.Messages, err
}

func (c *rabbitClient) close() { c.conn.Close() }

// A cork holds back what is written, so that many commands go out in one write: the module writes each of its own.
type cork struct {
	net.Conn
	mu   sync.Mutex
	on   bool
	held []byte
}

func (c *cork) hold() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.on = true
}

func (c *cork) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.on {
		c.held = append(c.held, b...)
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *cork) release() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	_, err := c.Conn.Write(c.held)
	c.on, c.held = false, c.held[:0]
	return err
}
