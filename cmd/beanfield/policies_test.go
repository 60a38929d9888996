package main

import (
	"strings"
	"testing"

	"beanfield/storage/must"
)

// Old clients meet the policies that a file has, those that a reload brings, and those that
// hold after a restart, for the jobs that are there already.
func TestProcessFollowsPolicies(t *testing.T) {
	const full, other = "[[tube]]\nmatch = 'm*'\nmax_jobs = 2\n",
		"[[tube]]\nmatch = 'm*'\nmax_jobs = 2\nfull = 'oldest'\nmax_deliveries = 2\n"
	dir := t.TempDir()
	p, write := configured(t, full, "-l", "unix:DIR/s", "-b", dir)
	c := p.client()
	c.expect("use mail", "USING mail")
	c.expect("put 0 0 60 1\r\na", "INSERTED 1")
	c.expect("put 0 0 60 1\r\nb", "INSERTED 2")
	c.expect("put 0 0 60 1\r\nc", "OUT_OF_MEMORY")
	c.expect("use default", "USING default")
	c.expect("put 0 0 60 1\r\nd", "INSERTED 3")
	write(other)
	has(t, p.reads(), "tube: changed")
	c.expect("use mail", "USING mail")
	c.expect("put 0 0 60 1\r\ne", "INSERTED 4")
	c.expect("delete 1", "NOT_FOUND")
	c.expect("watch mail", "WATCHING 2")
	c.expect("ignore default", "WATCHING 1")
	c.expect("reserve", "RESERVED 2 1\r\nb")
	c.expect("release 2 0 0", "RELEASED")
	c.expect("reserve", "RESERVED 2 1\r\nb")
	c.expect("release 2 0 0", "RELEASED")
	if state := c.document("stats-job 2")["state"]; state != "buried" {
		t.Errorf("after two deliveries the job is %s", state)
	}
	write(strings.ReplaceAll(other, "2\n", "1\n") + "dead_letter = 'delete'\n")
	p.stop()
	again := startProcess(t, p.Args[1:]...) // at the same places
	c = again.dial(p.dir + "/s")
	c.expect("use mail", "USING mail")
	c.expect("reserve-job 4", "RESERVED 4 1\r\ne")
	c.expect("put 0 0 60 1\r\nf", "OUT_OF_MEMORY") // one is buried, and one reserved
	c.Close()
	c = again.dial(p.dir + "/s")
	for c.ask("peek 4") != "NOT_FOUND" { // until the server knows of the hang-up
		must.Get(c.r.ReadString('\n'))
	}
}

// Workers that wait for tubes of several shards are given what a rationed tube hands out, as
// soon as it does.
func TestProcessThrottlesATube(t *testing.T) {
	p, write := configured(t, "shards = 3\n[[tube]]\nmatch = 'm*'\nmax_reserved = 1\n", "-l", "unix:DIR/s")
	c, worker := p.client(), p.client()
	for _, name := range []string{"a", "b", "c", "d", "mail"} { // all shards have some
		worker.ask("watch " + name)
	}
	c.expect("use mail", "USING mail")
	c.expect("put 0 0 60 1\r\na", "INSERTED 1")
	c.expect("put 0 0 60 1\r\nb", "INSERTED 2")
	c.expect("put 0 0 60 1\r\nc", "INSERTED 3")
	c.expect("put 0 0 60 1\r\nd", "INSERTED 4")
	c.expect("watch mail", "WATCHING 2")
	c.expect("reserve", "RESERVED 1 1\r\na")
	c.expect("reserve-with-timeout 0", "TIMED_OUT")
	worker.send("reserve")
	p.client().until("current-waiting", "1")
	c.expect("delete 1", "DELETED")
	if got := must.Get(worker.r.ReadString('\n')) + must.Get(
		worker.r.ReadString('\n')); got != "RESERVED 2 1\r\nb\r\n" {
		t.Errorf("who has waited is answered %q", got)
	}
	write("shards = 3\n[[tube]]\nmatch = 'm*'\nrate = 1000000\nburst = 1\n")
	p.reads()
	c.expect("reserve", "RESERVED 3 1\r\nc")
	c.expect("reserve", "RESERVED 4 1\r\nd") // a microsecond later at the latest
}
