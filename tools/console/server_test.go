package console

import (
	"fmt"
	"net"
	"os"
	"testing"
	"time"

	beanstalk "beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
	"beanfield/tools/server"
)

var built server.Build

func TestMain(m *testing.M) { os.Exit(built.Run(m)) }

// newServer starts a server with this configuration. It ends with the test.
func newServer(t *testing.T, config string) *server.Launched {
	t.Helper()
	if !*browsing {
		t.Skip("without -browser")
	}
	binary := must.Get(built.Program())
	s := must.Get(server.Launch{Config: config, Command: binary +
		" -config {config} -l 127.0.0.1 -p {port} -http 127.0.0.1:{queue} -queue 127.0.0.1:{tls}"}.Prepare())
	t.Cleanup(s.Stop)
	must.Do(t, s.Serve(t.Context()))
	return s
}

// client speaks the beanstalk protocol.
type client struct {
	t testing.TB
	net.Conn
	protocol *beanstalk.Client
}

func dial(t *testing.T, s *server.Launched) *client {
	t.Helper()
	c := must.Get(net.Dial("tcp", s.Addr))
	t.Cleanup(func() { c.Close() })
	return &client{t, c, beanstalk.On(c, s.Addr, 5*time.Minute)}
}

// say sends commands, reads their answers and returns the last.
func (c *client) say(commands ...string) beanstalk.Reply {
	c.t.Helper()
	replies := must.Get(c.protocol.Exchange(commands...))
	return replies[len(replies)-1]
}

func use(tube string) string { return "use " + tube }

func put(delay int, body string) string {
	return fmt.Sprintf("put 1024 %d 60 %d\r\n%s", delay, len(body), body)
}

// many is how many tubes the server has.
const many = 100_000

// order is the body of a job in tubes that somebody looks at.
func order(i int) string {
	return fmt.Sprintf(`{"order":%d,"customer":{"name":"Ann","city":"Oslo"},"items":[{"sku":"bean-%03d","count":2}]}`,
		1000+i, i)
}

// hostile is a body that would be a script if somebody took it for HTML.
const hostile = "<img src=x onerror=\"document.title='lost'\"><script>document.title='lost'</script>\x01\x1b[31m"

// fillUp makes all tubes. Those with work come first: the server remembers how these were, also if it takes a
// sample before all others are there.
func fillUp(t *testing.T, s *server.Launched) {
	c := dial(t, s)
	for k, name := range []string{"orders", "mail", "webhooks.out", "thumbnails", "invoices"} {
		commands := []string{use(name)}
		for i := range 60 + 20*k {
			commands = append(commands, put(i%5/4*3600, order(i)))
		}
		c.say(commands...)
	}
	c.say(use("mail"), "watch mail", "ignore default")
	for range 7 {
		c.say(fmt.Sprintf("bury %d 1024", c.say("reserve-with-timeout 0").Number))
	}
	c.say(use("odd"), put(0, hostile), "pause-tube thumbnails 3600")
	for i := 0; i < many; i += 1000 {
		var commands []string
		for k := i; k < i+1000; k++ {
			commands = append(commands, use(fmt.Sprintf("tenant-%05d.events", k)), put(0, "x"))
		}
		c.say(commands...)
	}
}
