//go:build linux

package peers

import (
	"encoding/binary"
	"fmt"
	"strings"
	"time"

	"beanfield/tools/server"
)

// rabbit is RabbitMQ with queues of the types that its manual has for such jobs.
func rabbit() (all []Peer) {
	for _, kind := range []rabbitQueue{
		{"classic", 1, 0},
		{"classic", 2, durable},
		{"quorum", 2, durable},
	} {
		p := Peer{Name: "RabbitMQ " + kind.name, Durable: kind.bits == durable,
			source: source{"rabbitmq-server", "usr/lib/rabbitmq/bin/rabbitmq-server"},
			launch: server.Launch{Config: rabbitFile, Command: "env HOME={dir} RABBITMQ_CONF_ENV_FILE={config} " +
				"RUNNING_UNDER_SYSTEMD=true {root}/usr/lib/rabbitmq/bin/rabbitmq-server"},
			beside: func(s *server.Launched, root string) []string {
				_, port, _ := strings.Cut(s.TLS, ":")
				return []string{"{root}/usr/bin/epmd", "-address", "127.0.0.1", "-port", port}
			},
			dial:  func(s *server.Launched, _ int) (client, error) { return dialRabbit(s, kind, 0) },
			await: func(s *server.Launched, _ int) (client, error) { return dialRabbit(s, kind, 1) },
			consume: func(s *server.Launched, _, window int) (client, error) {
				return dialRabbit(s, kind, window)
			},
		}
		how := "a queue and messages that are not durable"
		if p.Durable {
			how = fmt.Sprintf("a durable %s queue, persistent messages", kind.name)
		}
		p.Settings = "`rabbitmq-server` without plugins; " + how + "; publisher confirms; basic.get, or basic.consume " +
			"with a prefetch; basic.ack, to which AMQP has no answer. A delay is a queue with a TTL that dead-letters into this one"
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
	name string
	mode uint8 // of its messages: 2 is persistent
	bits uint8
}

type rabbitClient struct {
	amqp
	kind   rabbitQueue
	window int
	tags   []uint64 // taken
	// Of messages: numbers count from 1.
	published, confirmed uint64
}

const delayQueue = tube + "-later"

func dialRabbit(s *server.Launched, kind rabbitQueue, window int) (client, error) {
	w, err := open(s.Addr)
	if err != nil {
		return nil, err
	}
	c := &rabbitClient{amqp: amqp{w}, kind: kind, window: window}
	if err = c.hello(); err != nil {
		return c, err
	}
	if _, err = c.declare(tube, kind.bits, table{"x-queue-type": kind.name}); err != nil {
		return c, err
	}
	if _, err = c.declare(delayQueue, kind.bits, table{"x-queue-type": kind.name, "x-dead-letter-exchange": "",
		"x-dead-letter-routing-key": tube, "x-message-ttl": int(delayed.Milliseconds())}); err != nil {
		return c, err
	}
	c.send(1, 85, 10, uint8(0))
	if _, err = c.want(confirmSelectOk); err != nil || window == 0 {
		return c, err
	}
	c.send(1, 60, 10, uint32(0), uint16(window), uint8(0))
	if _, err = c.want(basicQosOk); err != nil {
		return c, err
	}
	c.send(1, 60, 20, uint16(0), tube, "", uint8(0), table{})
	_, err = c.want(basicConsumeOk)
	return c, err
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
	for _, b := range bodies {
		c.publish(queue, b, c.kind.mode)
	}
	err := c.flush()
	// A confirm may be for all up to a number.
	for c.published += uint64(len(bodies)); err == nil && c.confirmed < c.published; {
		var m method
		var args []byte
		if m, args, err = c.method(); err != nil {
			return err
		}
		if m != basicAck {
			return fmt.Errorf("RabbitMQ answered a publish with %v", m)
		}
		if multiple := args[8]&1 == 1; multiple {
			c.confirmed = max(c.confirmed, binary.BigEndian.Uint64(args))
		} else {
			c.confirmed++
		}
	}
	return err
}

func (c *rabbitClient) take(n int) (bodies [][]byte, err error) {
	if c.window > 0 {
		return c.pushed(n)
	}
	for begun := time.Now(); len(bodies) == 0; {
		for range n {
			c.send(1, 60, 70, uint16(0), tube, uint8(0))
		}
		if err = c.flush(); err != nil {
			return nil, err
		}
		for range n {
			m, args, err := c.method()
			switch {
			case err != nil:
				return nil, err
			case m == basicGetOk:
				body, err := c.content()
				if err != nil {
					return nil, err
				}
				c.tags, bodies = append(c.tags, binary.BigEndian.Uint64(args)), append(bodies, body)
			case m != basicGetEmpty:
				return nil, fmt.Errorf("RabbitMQ answered a get with %v", m)
			}
		}
		if time.Since(begun) > patience {
			return nil, errStarved
		}
	}
	return bodies, nil
}

// pushed takes what has come, and waits for the first.
func (c *rabbitClient) pushed(n int) (bodies [][]byte, err error) {
	for len(bodies) < n && (len(bodies) == 0 || c.in.Buffered() > 0) {
		m, args, err := c.method()
		if err == nil && m != basicDeliver {
			err = fmt.Errorf("RabbitMQ pushed %v", m)
		}
		if err != nil {
			return nil, err
		}
		body, err := c.content()
		if err != nil {
			return nil, err
		}
		tag := args[1+int(args[0]):]
		c.tags, bodies = append(c.tags, binary.BigEndian.Uint64(tag)), append(bodies, body)
	}
	return bodies, nil
}

func (c *rabbitClient) done() error {
	for _, tag := range c.tags {
		c.send(1, 60, 80, tag, uint8(0))
	}
	c.tags = c.tags[:0]
	return c.flush()
}

func (c *rabbitClient) count() (int, error) { return c.declare(tube, c.kind.bits|passive, table{}) }
