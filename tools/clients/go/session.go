package main

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/beanstalkd/go-beanstalk"

	"beanfield/tools/clients/checks"
)

var must = checks.Must

// session is one connection that uses and watches one tube alone.
type session struct {
	*checks.Checks
	address string
	name    string
	conn    *beanstalk.Conn
	tube    *beanstalk.Tube
	set     *beanstalk.TubeSet
}

func open(c *checks.Checks, address, name string) *session {
	conn, err := beanstalk.Dial("tcp", address)
	must(err)
	return &session{c, address, name, conn, beanstalk.NewTube(conn, name), beanstalk.NewTubeSet(conn, name)}
}

// body compares bytes without printing 64 KiB of them.
func (s *session) body(what string, got, want []byte) {
	s.That(what, string(got) == string(want), fmt.Sprintf("%d bytes %.40q, want %d bytes %.40q", len(got), got,
		len(want), want))
}

func (s *session) fails(what string, got, want error) {
	s.That(what, errors.Is(got, want), fmt.Sprintf("%v, want %v", got, want))
}

// stats compares some keys of a dictionary.
func (s *session) stats(what string, got map[string]string, err error, want map[string]any) {
	must(err)
	for key, value := range want {
		s.Equal(what+" "+key, got[key], value)
	}
}

// keys wants all of these keys; go-beanstalk loses their order.
func (s *session) keys(what string, got map[string]string, want []string, more bool) {
	for _, key := range want {
		_, ok := got[key]
		s.That(what+" has "+key, ok, "nothing")
	}
	for key := range got {
		s.That(what+" has no other key", more || slices.Contains(want, key), key)
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	must(err)
	return n
}

// another is a second client on the same tube.
func (s *session) another() *session { return open(s.Checks, s.address, s.name) }

func (s *session) put(body string, pri uint32, delay, ttr time.Duration) uint64 {
	id, err := s.tube.Put([]byte(body), pri, delay, ttr)
	must(err)
	return id
}

// reserve wants this very job.
func (s *session) reserve(what string, id uint64, body string) {
	got, b, err := s.set.Reserve(checks.Patience)
	must(err)
	s.Equal(what+": id", got, id)
	s.body(what+": body", b, []byte(body))
}

func (s *session) delete(ids ...uint64) {
	for _, id := range ids {
		must(s.conn.Delete(id))
	}
}

func (s *session) job(id uint64, want map[string]any) {
	got, err := s.conn.StatsJob(id)
	s.stats("stats-job", got, err, want)
}
