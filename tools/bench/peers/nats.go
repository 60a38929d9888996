//go:build linux

package peers

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"strconv"
	"time"

	natsserver "github.com/nats-io/nats-server/v2/server"

	"beanfield/tools/server"
)

// nats is NATS JetStream with a stream of the policy "work queue".
func nats() (all []Peer) {
	for _, durable := range []bool{false, true} {
		p := Peer{Name: "NATS JetStream", Durable: durable, consume: consumeNATS,
			launch: server.Launch{Command: "{self} nats -p {port} -d {dir}"}}
		storage := "memory"
		if durable {
			storage = "file"
			p.launch.Command += " -sync"
		}
		p.dial = func(s *server.Launched, worker int) (client, error) { return dialNATS(s, worker, storage) }
		p.Settings = "nats-server " + natsserver.VERSION + " as a library in a process of its own; a stream with " +
			storage + " storage, and retention as a work queue"
		if durable {
			p.Settings += ", `sync_interval: always`"
		}
		p.Settings += "; a pull consumer; publishes and acks are answered. A delay is a scheduled message"
		all = append(all, p)
	}
	return all
}

// ServeNATS is bench nats: the server of NATS, with JetStream.
func ServeNATS(ctx context.Context, args []string) error {
	o := natsserver.Options{Host: "127.0.0.1", JetStream: true, NoSigs: true, JetStreamMaxMemory: -1, JetStreamMaxStore: -1}
	f := flag.NewFlagSet("bench nats", flag.ContinueOnError)
	f.IntVar(&o.Port, "p", 4222, "port")
	f.StringVar(&o.StoreDir, "d", "", "`directory`")
	f.BoolVar(&o.SyncAlways, "sync", false, "each write is on the disk before its answer")
	if err := f.Parse(args); err != nil {
		return err
	}
	s, err := natsserver.NewServer(&o)
	if err != nil {
		return err
	}
	s.ConfigureLogger()
	s.Start()
	<-ctx.Done()
	s.Shutdown()
	s.WaitForShutdown()
	return nil
}

// A natsClient speaks NATS. Its subject for answers has a part that tells messages of the consumer from other answers.
type natsClient struct {
	*wire
	inbox  string
	acks   []string // where to acknowledge what was taken
	window int      // it is pushed: so many are asked for at once
	asked  int      // messages that were asked for and have not come
}

const subject, delayedSubject = tube + ".now", tube + ".later"

func dialNATS(s *server.Launched, worker int, storage string) (client, error) {
	w, err := open(s.Addr)
	if err != nil {
		return nil, err
	}
	c := &natsClient{wire: w, inbox: fmt.Sprintf("_INBOX.%d", worker)}
	if _, err = w.expect("INFO "); err != nil {
		return nil, err
	}
	w.printf("CONNECT {\"verbose\":false,\"headers\":true,\"no_responders\":true}\r\nSUB %s.> 1\r\n", c.inbox)
	err = c.call("STREAM.CREATE."+tube, fmt.Sprintf(`{"name":%q,"subjects":["bench.*"],"retention":"workqueue",`+
		`"storage":%q,"num_replicas":1,"allow_msg_schedules":true,"allow_msg_ttl":true}`, tube, storage), nil)
	if err == nil {
		err = c.call("CONSUMER.DURABLE.CREATE."+tube+"."+tube, `{"stream_name":"bench","config":{"durable_name":"bench",`+
			`"ack_policy":"explicit","ack_wait":600000000000,"max_ack_pending":-1,"filter_subject":"bench.now"}}`, nil)
	}
	return c, err
}

func consumeNATS(s *server.Launched, worker, window int) (client, error) {
	c, err := dialNATS(s, worker, "memory") // the stream is there already, and what does not fit is refused
	if c, ok := c.(*natsClient); ok {
		c.window = window
	}
	return c, err
}

// call asks JetStream's API.
func (c *natsClient) call(what, request string, into any) error {
	c.publish("$JS.API."+what, c.inbox+".api", []byte(request), "")
	if err := c.flush(); err != nil {
		return err
	}
	m, err := c.message()
	if err != nil {
		return err
	}
	var failed struct {
		Error *struct {
			Code        int `json:"err_code"`
			Description string
		}
	}
	if err := json.Unmarshal(m.body, &failed); err != nil {
		return fmt.Errorf("%s answered %.200q: %w", what, m.body, err)
	}
	if failed.Error != nil && failed.Error.Code != streamThere {
		return fmt.Errorf("%s: %s", what, failed.Error.Description)
	}
	if into != nil {
		return json.Unmarshal(m.body, into)
	}
	return nil
}

// streamThere is the code for a stream that is there with other settings.
const streamThere = 10058

func (c *natsClient) publish(to, reply string, body []byte, headers string) {
	if headers == "" {
		c.printf("PUB %s %s %d\r\n", to, reply, len(body))
	} else {
		c.printf("HPUB %s %s %d %d\r\n%s", to, reply, len(headers), len(headers)+len(body), headers)
	}
	c.out = append(append(c.out, body...), "\r\n"...)
}

// A message is one that came.
type message struct {
	subject, reply string
	status         string // of one without a body
	body           []byte
}

func (c *natsClient) message() (m message, err error) {
	for {
		line, err := c.line()
		if err != nil {
			return m, err
		}
		fields := bytes.Fields(line)
		if len(fields) == 0 {
			continue
		}
		switch string(fields[0]) {
		case "PING":
			c.out = append(c.out, "PONG\r\n"...)
			if err := c.flush(); err != nil {
				return m, err
			}
		case "MSG", "HMSG":
			headers := 0
			if len(fields[0]) == len("HMSG") {
				headers, _ = strconv.Atoi(string(fields[len(fields)-2]))
				fields = append(fields[:len(fields)-2], fields[len(fields)-1])
			}
			m.subject = string(fields[1])
			if len(fields) == 5 {
				m.reply = string(fields[3])
			}
			size, _ := strconv.Atoi(string(fields[len(fields)-1]))
			text, err := c.body(size)
			if headers > 0 && headers == size {
				head, _, _ := bytes.Cut(text, []byte("\r\n"))
				m.status = string(head)
			}
			m.body = text[headers:]
			return m, err
		case "PONG", "+OK", "INFO":
		default:
			return m, fmt.Errorf("NATS sent %.200q", line)
		}
	}
}

func (c *natsClient) put(bodies [][]byte) error {
	for _, b := range bodies {
		c.publish(subject, c.inbox+".put", b, "")
	}
	return c.stored(len(bodies))
}

// stored wants so many answers of JetStream to a publish.
func (c *natsClient) stored(n int) error {
	err := c.flush()
	for i := 0; err == nil && i < n; i++ {
		var m message
		if m, err = c.message(); err == nil && !bytes.Contains(m.body, []byte(`"seq":`)) {
			err = fmt.Errorf("NATS answered a publish with %.200q %s", m.body, m.status)
		}
	}
	return err
}

func (c *natsClient) delay(bodies [][]byte, by time.Duration) error {
	at := time.Now().Add(by).UTC().Format(time.RFC3339Nano)
	for i, b := range bodies {
		headers := fmt.Sprintf("NATS/1.0\r\nNats-Schedule: @at %s\r\nNats-Schedule-Target: %s\r\n\r\n", at, subject)
		c.publish(delayedSubject+c.unique(i), c.inbox+".put", b, headers)
	}
	return c.stored(len(bodies))
}

// unique is the end of a subject: there is one schedule for each.
func (c *natsClient) unique(i int) string {
	return fmt.Sprintf("-%s-%d-%d", c.inbox[len("_INBOX."):], time.Now().UnixNano(), i)
}

func (c *natsClient) take(n int) (bodies [][]byte, err error) {
	if c.window == 0 || c.asked < c.window/2 {
		ask := max(n, c.window-c.asked)
		c.publish("$JS.API.CONSUMER.MSG.NEXT."+tube+"."+tube, c.inbox+".next",
			fmt.Appendf(nil, `{"batch":%d,"expires":60000000000}`, ask), "")
		c.asked += ask
		if err = c.flush(); err != nil {
			return nil, err
		}
	}
	for len(bodies) < n && (len(bodies) == 0 || c.window == 0 || c.in.Buffered() > 0) {
		m, err := c.message()
		if err != nil {
			return nil, err
		}
		if m.status != "" {
			return nil, fmt.Errorf("%w: %s", errStarved, m.status)
		}
		c.asked--
		c.acks, bodies = append(c.acks, m.reply), append(bodies, m.body)
	}
	return bodies, nil
}

func (c *natsClient) done() error {
	n := len(c.acks)
	if c.window > 0 {
		// Answers would come between the messages that are pushed.
		for _, to := range c.acks {
			c.printf("PUB %s 4\r\n+ACK\r\n", to)
		}
		c.acks = c.acks[:0]
		return c.flush()
	}
	for _, to := range c.acks {
		c.publish(to, c.inbox+".ack", []byte("+ACK"), "")
	}
	c.acks = c.acks[:0]
	err := c.flush()
	for i := 0; err == nil && i < n; i++ {
		_, err = c.message()
	}
	return err
}

func (c *natsClient) count() (int, error) {
	var info struct{ State struct{ Messages int } }
	err := c.call("STREAM.INFO."+tube, "", &info)
	return info.State.Messages, err
}
