package main

import (
	"bufio"
	"fmt"
	"net"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/server"
)

// connection is one connection to one server. A goroutine of its own reads, so that
// a server is never blocked by a comparison that is busy elsewhere; what it
// reads goes to the side's channel, and from there into the queue.
type connection struct {
	conn  net.Conn
	queue []arrival
}

// arrival is a reply and the moment it was read.
type arrival struct {
	reply
	at time.Time
}

type event struct {
	from *connection
	arrival
}

// side is one of the two servers and all connections to it. Only the goroutine
// that runs the comparison touches it.
type side struct {
	name       string
	beanstalkd bool // whether the process is the reference, on whichever side
	form       form // of the strings in its stats
	server     *server.Process
	pid        int // the server's
	conns      map[string]*connection
	events     chan event
	done       chan struct{} // closed when nobody will read events any more
	timer      *time.Timer
	// asked counts the questions that the tool itself put to this server, by
	// the counter that they raise, so that stats can be corrected for them.
	asked map[string]int
}

func newSide(name string, pid int, s *server.Process) *side {
	timer := time.NewTimer(time.Hour)
	timer.Stop()
	return &side{
		name:   name,
		form:   never,
		server: s,
		pid:    pid,
		conns:  map[string]*connection{},
		events: make(chan event, 1024),
		done:   make(chan struct{}),
		timer:  timer,
		asked:  map[string]int{"cmd-stats": server.AskedAtStart},
	}
}

// attach takes over a connection that is already open.
func (s *side) attach(name string, conn net.Conn) {
	c := &connection{conn: conn}
	s.conns[name] = c
	go func() {
		r := bufio.NewReader(conn)
		for {
			raw, err := client.ReadRaw(r)
			at := time.Now()
			if len(raw) > 0 && !s.post(event{c, arrival{reply{raw: raw}, at}}) {
				return
			}
			if err != nil {
				s.post(event{c, arrival{reply{eof: true}, at}})
				return
			}
		}
	}()
}

func (s *side) post(e event) bool {
	select {
	case s.events <- e:
		return true
	case <-s.done:
		return false
	}
}

// dialTimeout bounds the wait for a further connection.
const dialTimeout = 5 * time.Second

// dial opens a further connection.
func (s *side) dial(name string) error {
	conn, err := net.DialTimeout("tcp", s.server.Addr, dialTimeout)
	if err != nil {
		return fmt.Errorf("%s: %w", s.name, err)
	}
	s.attach(name, conn)
	return nil
}

// write sends bytes. If the peer has closed, the replies show it, so it is no error
// here.
func (s *side) write(name string, data []byte) {
	_, _ = s.conns[name].conn.Write(data)
}

// halfClose says that no more will be sent; the server answers what it has
// and then closes, which is how a transcript is known to be complete.
func (s *side) halfClose(name string) {
	if c, ok := s.conns[name].conn.(*net.TCPConn); ok {
		_ = c.CloseWrite()
	}
}

// abort drops the connection with a reset, as a client that dies does.
func (s *side) abort(name string) {
	if c, ok := s.conns[name].conn.(*net.TCPConn); ok {
		_ = c.SetLinger(0)
	}
	s.forget(name)
}

// forget closes our end and ignores what still comes.
func (s *side) forget(name string) {
	if c := s.conns[name]; c != nil {
		_ = c.conn.Close()
		delete(s.conns, name)
	}
}

// next waits for the next reply on a connection.
func (s *side) next(name string, wait time.Duration) (arrival, bool) {
	c := s.conns[name]
	deadline := time.Now().Add(wait)
	for len(c.queue) == 0 {
		if !s.pump(time.Until(deadline)) {
			return arrival{}, false
		}
	}
	a := c.queue[0]
	c.queue = c.queue[1:]
	return a, true
}

// nextOf waits until one of several connections has a reply, and names it.
func (s *side) nextOf(names []string, wait time.Duration) (string, bool) {
	deadline := time.Now().Add(wait)
	for {
		for _, name := range names {
			if len(s.conns[name].queue) > 0 {
				return name, true
			}
		}
		if !s.pump(time.Until(deadline)) {
			return "", false
		}
	}
}

// pump moves one reply from the channel to its connection's queue.
func (s *side) pump(wait time.Duration) bool {
	select {
	case e := <-s.events:
		e.from.queue = append(e.from.queue, e.arrival)
		return true
	default:
	}
	if wait <= 0 {
		return false
	}
	s.timer.Reset(wait)
	defer s.timer.Stop()
	select {
	case e := <-s.events:
		e.from.queue = append(e.from.queue, e.arrival)
		return true
	case <-s.timer.C:
		return false
	}
}

// unread names a connection that has a reply nobody asked for.
func (s *side) unread() (string, reply, bool) {
	for s.pump(0) {
	}
	for name, c := range s.conns {
		if len(c.queue) > 0 {
			return name, c.queue[0].reply, true
		}
	}
	return "", reply{}, false
}

// close ends every connection, and with it the goroutine that reads it.
func (s *side) close() {
	for name := range s.conns {
		s.forget(name)
	}
	close(s.done)
}
