package cluster

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"beanfield/storage/must"
)

// site are a site's own servers, each a process of its own.
type site struct {
	testing.TB
	binary string
	dir    string
	urls   []string
	runs   []*exec.Cmd
}

// newSite starts three servers, with an account that may use streams, and one that may not.
func newSite(t testing.TB) *site {
	s := &site{TB: t, dir: t.TempDir(), runs: make([]*exec.Cmd, 3)}
	s.binary = filepath.Join(s.dir, "engine")
	if out, err := exec.Command("go", "build", "-o", s.binary,
		"github.com/nats-io/nats-server/v2").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var routes []string
	for range 6 {
		l := must.Get(net.Listen("tcp", "127.0.0.1:0"))
		defer l.Close()
		if at := l.Addr().String(); len(routes) < 3 {
			routes = append(routes, at)
		} else {
			s.urls = append(s.urls, "nats://bean:hush@"+at)
		}
	}
	for i, url := range s.urls {
		text := fmt.Sprintf(`server_name: n%d, listen: %q, max_payload: 8MB
jetstream { store_dir: %q, sync_interval: always }
accounts { BEAN { jetstream: enabled, users: [ { user: bean, password: hush } ] }, BARE { users: [ { user: bare, password: hush } ] } }
cluster { name: site, listen: %q, routes: [ "nats://%s", "nats://%s", "nats://%s" ] }
`, i, url[len("nats://bean:hush@"):], filepath.Join(s.dir, fmt.Sprint(i)), routes[i], routes[0], routes[1], routes[2])
		must.Do(t, os.WriteFile(s.config(i), []byte(text), 0o600))
	}
	t.Cleanup(func() {
		for i := range s.runs {
			s.kill(i)
		}
	})
	return s
}

func (s *site) config(i int) string { return filepath.Join(s.dir, fmt.Sprintf("%d.conf", i)) }

func (s *site) start(i int) {
	s.Helper()
	s.runs[i] = exec.Command(s.binary, "-c", s.config(i))
	must.Do(s.TB, s.runs[i].Start())
}

func (s *site) kill(i int) {
	if r := s.runs[i]; r != nil {
		_ = r.Process.Kill()
		_ = r.Wait()
		s.runs[i] = nil
	}
}

// A node waits for a site's engine that is not there, and works on it as on its own: the lanes are led by two
// servers, not by the one to which the owner is connected, so that any of them may be lost.
func TestSitesEngine(t *testing.T) {
	c := newTrio(t)
	s := newSite(t)
	c.options.Engine = s.urls
	var once sync.Once
	c.options.Waiting = func(what string) {
		if strings.HasPrefix(what, "the site's own engine: ") {
			once.Do(func() {
				for i := range s.runs {
					s.start(i)
				}
			})
		}
	}
	c.start("a", "b", "c")
	name, term := c.owner()
	n := c.nodes[name]
	near := n.conn.ConnectedServerName()
	apart := func() bool {
		var leaders [2]string
		for i := range leaders {
			leaders[i], _, _ = n.replicas[0].shard.Leader(limited(t), i)
		}
		return leaders[0] != "" && leaders[1] != "" && leaders[0] != leaders[1] && leaders[0] != near &&
			leaders[1] != near
	}
	for i, text := range []string{"one;", "two;", "three;"} {
		until(t, "two other servers lead the lanes", apart)
		s.kill(i)
		until(t, "a node appends", func() bool {
			name, term = c.owner()
			err := term.Append(0, []byte(text))
			if err == nil {
				err = term.Append(1, []byte(text))
			}
			return err == nil
		})
		c.append(term, text, "a", "b", "c")
		s.start(i)
		n = c.nodes[name]
		near = n.conn.ConnectedServerName()
	}
	c.kill("a")
	t.Run("what is refused", func(t *testing.T) { s.refuses(t, c) })
	c.start("a")
	c.fit("a", "b", "c")
	name, _ = c.owner()
	for _, name := range append(without(name, "a", "b", "c"), name) { // and with another number of shards
		c.close(name)
		c.resharded(name)
	}
	c.options.DefaultShards = 3
	c.start("a", "b", "c")
	_, term = c.owner()
	c.append(term, "four;", "a", "b", "c")
}

// refuses has a node start that may not, or cannot yet.
func (s *site) refuses(t *testing.T, c *trio) {
	o, at := c.of("a"), strings.TrimPrefix(s.urls[0], "nats://bean:hush@")
	o.Engine = []string{"nats://bean:nope@" + at}
	if n, err := Start(limited(t), o); !errors.Is(err, ErrRefused) {
		t.Errorf("with a wrong password: node %v, error %v", n, err)
	}
	said := make(chan string, 100)
	o.Engine, o.Waiting = []string{"nats://bare:hush@" + at}, func(what string) {
		said <- what
	}
	ctx, cancel := context.WithCancel(limited(t))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = Start(ctx, o)
	}()
	until(t, "it says that the account has no streams", func() bool {
		what := <-said
		return strings.Contains(what, "the streams of the shards") && strings.Contains(what, "not enabled")
	})
	cancel()
	<-ended
}
