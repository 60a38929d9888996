package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/beanstalkd/go-beanstalk"
)

// checks counts what was compared. A wrong value is reported and the section
// goes on; an unexpected error ends the section, because what follows in it
// would only repeat the same complaint.
type checks struct {
	section      string
	done, failed int
}

// broken is what must panics with.
type broken struct{ err error }

func (c *checks) that(what string, ok bool, got any) {
	c.done++
	if !ok {
		c.failed++
		fmt.Fprintf(os.Stderr, "FAIL go-beanstalk: %s: %s: got %v\n", c.section, what, got)
	}
}

// equal compares any two values by what they print as: stats are strings.
func (c *checks) equal(what string, got, want any) {
	c.that(what, fmt.Sprint(got) == fmt.Sprint(want), fmt.Sprintf("%v, want %v", got, want))
}

// body compares bytes without printing 64 KiB of them.
func (c *checks) body(what string, got, want []byte) {
	c.that(what, string(got) == string(want), fmt.Sprintf("%d bytes %.40q, want %d bytes %.40q", len(got), got, len(want), want))
}

func (c *checks) fails(what string, got, want error) {
	c.that(what, errors.Is(got, want), fmt.Sprintf("%v, want %v", got, want))
}

// within says that at least low and less than high have passed since start.
// A high bound of a second and more forgives a busy machine.
func (c *checks) within(what string, start time.Time, low, high time.Duration) {
	took := time.Since(start)
	c.that(what, took >= low && took < high, took)
}

// stats compares some keys of a dictionary.
func (c *checks) stats(what string, got map[string]string, err error, want map[string]any) {
	must(err)
	for key, value := range want {
		c.equal(what+" "+key, got[key], value)
	}
}

// keys wants all of these keys; go-beanstalk loses their order.
func (c *checks) keys(what string, got map[string]string, want []string, more bool) {
	for _, key := range want {
		_, ok := got[key]
		c.that(what+" has "+key, ok, "nothing")
	}
	for key := range got {
		c.that(what+" has no other key", more || slices.Contains(want, key), key)
	}
}

func must(err error) {
	if err != nil {
		panic(broken{err})
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	must(err)
	return n
}

// session is one connection that uses and watches one tube alone.
type session struct {
	*checks
	address string
	name    string
	conn    *beanstalk.Conn
	tube    *beanstalk.Tube
	set     *beanstalk.TubeSet
}

func (c *checks) open(address, name string) *session {
	conn, err := beanstalk.Dial("tcp", address)
	must(err)
	return &session{c, address, name, conn, beanstalk.NewTube(conn, name), beanstalk.NewTubeSet(conn, name)}
}

// another is a second client on the same tube.
func (s *session) another() *session { return s.open(s.address, s.name) }

func (s *session) put(body string, pri uint32, delay, ttr time.Duration) uint64 {
	id, err := s.tube.Put([]byte(body), pri, delay, ttr)
	must(err)
	return id
}

// reserve wants this very job.
func (s *session) reserve(what string, id uint64, body string) {
	got, b, err := s.set.Reserve(patience)
	must(err)
	s.equal(what+": id", got, id)
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
