package main

import (
	"bufio"
	"fmt"
	"maps"
	"net"
	"slices"
	"sync"
	"time"

	"beanfield/conn/beanstalk/client"
	"beanfield/tools/server"
)

// connection is one connection to one server. A goroutine of its own reads, so that
// a server is never blocked by a comparison that is busy elsewhere.
type connection struct {
	conn  net.Conn
	queue []arrival
}

// arrival is a reply and the moment it was read.
type arrival struct {
	reply
	at time.Time
}

// side is one of the two servers and all connections to it. Only the goroutine
// that runs the comparison touches it, but for the queues.
type side struct {
	name       string
	beanstalkd bool // whether the process is the reference, on whichever side
	form       form // of the strings in its stats
	reworded   bool // whether it is told some commands in words of its own
	logs       bool // whether it keeps its jobs in a log
	server     *server.Launched
	pid        int // the server's
	conns      map[string]*connection
	mu         sync.Mutex    // protects the queues
	came       chan struct{} // has something when a queue has more
	// asked counts the questions that the tool itself put to this server, by
	// the counter that they raise, so that stats can be corrected for them.
	asked map[string]int
}

func newSide(name string, pid int, s *server.Launched) *side {
	return &side{
		name:   name,
		form:   never,
		server: s,
		pid:    pid,
		conns:  map[string]*connection{},
		came:   make(chan struct{}, 1),
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
			if len(raw) > 0 {
				s.post(c, arrival{reply{raw: raw}, at})
			}
			if err != nil {
				s.post(c, arrival{reply{eof: true}, at})
				return
			}
		}
	}()
}

func (s *side) post(c *connection, a arrival) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c.queue = append(c.queue, a)
	select {
	case s.came <- struct{}{}:
	default:
	}
}

// dial opens a further connection.
func (s *side) dial(name string) error {
	conn, err := net.DialTimeout("tcp", s.server.Addr, patience)
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
func (s *side) next(name string, wait time.Duration) (a arrival, ok bool) {
	if _, ok = s.nextOf([]string{name}, wait); ok {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := s.conns[name]
		a, c.queue = c.queue[0], c.queue[1:]
	}
	return a, ok
}

// nextOf waits until one of several connections has a reply, and names it.
func (s *side) nextOf(names []string, wait time.Duration) (string, bool) {
	for late := time.After(wait); ; {
		if name, ok := s.waiting(names); ok {
			return name, true
		}
		select {
		case <-s.came:
		case <-late:
			return s.waiting(names)
		}
	}
}

// waiting names a connection that has a reply.
func (s *side) waiting(names []string) (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(names, func(name string) bool { return len(s.conns[name].queue) > 0 })
	if i < 0 {
		return "", false
	}
	return names[i], true
}

// unread names a connection that has a reply nobody asked for.
func (s *side) unread() (string, reply, bool) {
	name, ok := s.waiting(slices.Collect(maps.Keys(s.conns)))
	if !ok {
		return "", reply{}, false
	}
	a, _ := s.next(name, 0)
	return name, a.reply, true
}

// close ends every connection, and with it the goroutine that reads it.
func (s *side) close() {
	for name := range s.conns {
		s.forget(name)
	}
}
