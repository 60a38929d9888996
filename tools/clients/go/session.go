package main

import (
	"os"
	"strings"
	"time"

	"github.com/beanstalkd/go-beanstalk"

	"beanfield/tools/clients/checks"
)

var must = checks.Must

// session plays one section.
type session struct {
	*checks.Checks
	address string
	names   map[string]any // what lines may name
	conns   []*beanstalk.Conn
	start   time.Time // the last clock
}

// library are its functions that are no methods.
type library struct{}

func (library) NewTube(c *beanstalk.Conn, name string) *beanstalk.Tube {
	return beanstalk.NewTube(c, name)
}

func (library) NewTubeSet(c *beanstalk.Conn, one, other string) *beanstalk.TubeSet {
	return beanstalk.NewTubeSet(c, one, other)
}

var failures = map[string]error{
	"ErrTimeout": beanstalk.ErrTimeout, "ErrNotFound": beanstalk.ErrNotFound, "ErrJobTooBig": beanstalk.ErrJobTooBig,
	"ErrBadFormat": beanstalk.ErrBadFormat, "ErrDeadline": beanstalk.ErrDeadline, "ErrDraining": beanstalk.ErrDraining,
}

// largest is the max-job-size of the server.
const largest = 65535

func newSession(c *checks.Checks, address, name string) *session {
	var octets strings.Builder
	for i := range 256 {
		octets.WriteByte(byte(i))
	}
	host, err := os.Hostname()
	must(err)
	kernel, err := os.ReadFile("/proc/sys/kernel/version")
	must(err)
	s := &session{Checks: c, address: address, names: map[string]any{
		"beanstalk": library{}, "self": name, "shown": text(name), "host": text(host), "pid": os.Getenv("SERVER_PID"),
		"kernel": text(strings.TrimSpace(string(kernel))), "octets": octets.String(),
		"largest": strings.Repeat("\x00\xff\r\n", largest)[:largest], "too-large": strings.Repeat("x", largest+1),
		"longest": strings.Repeat("n", 199), // the library stops one short of the protocol's 200
	}}
	s.connect("")
	s.names["conn"] = s.conns[0]
	return s
}

// connect makes a client that uses and watches the section's tube alone.
func (s *session) connect(name string) {
	conn, err := beanstalk.Dial("tcp", s.address)
	must(err)
	s.conns = append(s.conns, conn)
	s.names[name] = conn
	tube := s.names["self"].(string)
	s.names[strings.TrimPrefix(name+"-tube", "-")] = beanstalk.NewTube(conn, tube)
	s.names[strings.TrimPrefix(name+"-set", "-")] = beanstalk.NewTubeSet(conn, tube)
}

func (s *session) close() {
	for _, c := range s.conns {
		c.Close()
	}
}
