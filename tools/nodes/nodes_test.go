package nodes

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

// The test binary stands in for a server and its subcommand, if the variable says so.
const standsIn = "BEANFIELD_TEST_NODE"

func TestMain(m *testing.M) {
	if os.Getenv(standsIn) == "" {
		os.Exit(m.Run())
	}
	if os.Args[1] == "cluster" {
		fmt.Println(`{"nodes": [{"name": "a", "alive": true}, {"name": "b", "alive": false}],
			"shards": [{"shard": 0, "owner": "a", "epoch": 7}, {"shard": 1, "owner": "a", "epoch": 8}]}`)
		return
	}
	text := string(must.Get(os.ReadFile(os.Args[2])))
	at := regexp.MustCompile(`address = '(.*)'`).FindStringSubmatch(text)[1]
	l := must.Get(net.Listen("tcp4", at))
	fmt.Println("ready")
	for {
		conn := must.Get(l.Accept())
		go func() {
			for in := bufio.NewScanner(conn); in.Scan(); {
				if in.Text() == "stats" {
					stats := fmt.Sprintf("---\npid: %d\n", servedBy())
					fmt.Fprintf(conn, "OK %d\r\n%s\r\n", len(stats), stats)
				} else {
					fmt.Fprintf(conn, "USING default\r\n")
				}
			}
		}()
	}
}

// passesOn has all nodes pass their clients on, to the process of this test.
const passesOn = standsIn + "_PASSES"

func servedBy() int {
	if os.Getenv(passesOn) != "" {
		return os.Getppid()
	}
	return os.Getpid()
}

func three(t *testing.T) *Cluster {
	t.Setenv(standsIn, "1")
	c := must.Get(New(Options{Binary: must.Get(os.Executable()), Dir: t.TempDir(), Proxied: true,
		Spare: []string{"d"}, Storage: "log_size = '1MiB'"}))
	t.Cleanup(func() { must.Do(t, c.Close()) })
	return c
}

func (n *Node) want(t *testing.T, running, serves bool) {
	t.Helper()
	if n.Running() != running || n.Serves(t.Context()) != serves {
		t.Errorf("node %s: running is not %v, or serving not %v", n.Name, running, serves)
	}
	if up := running && !n.Paused(); up != (n.Up() != 0) || up && n.Up() != int64(n.PID()) {
		t.Errorf("node %s is up as %d", n.Name, n.Up())
	}
}

func TestLifeOfNodes(t *testing.T) {
	c := three(t)
	must.Do(t, c.Start())
	served := must.Get(c.Serving(t.Context()))
	served.want(t, true, true)
	if err := served.Lose(); !errors.Is(err, ErrRunning) {
		t.Errorf("its directory is removed while it runs: %v", err)
	}
	must.Do(t, served.Pause())
	served.want(t, true, false)
	if !served.Paused() {
		t.Error("it is not known to be paused")
	}
	must.Do(t, served.Resume())
	served.want(t, true, true)
	pid := served.PID()
	if err := served.Start(); !errors.Is(err, ErrRunning) || served.PID() != pid {
		t.Errorf("it is started twice: %v", err)
	}
	if c.Process(pid) != served || c.Process(1) != nil {
		t.Error("it is not known whose process this is")
	}
	served.Kill()
	served.want(t, false, false)
	if err := served.Ended(); err != nil {
		t.Errorf("a kill is taken for an end of its own: %v", err)
	}
	must.Do(t, os.WriteFile(filepath.Join(served.Data(), "x"), nil, 0o600))
	must.Do(t, served.Lose())
	if left := must.Get(os.ReadDir(served.Data())); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
	must.Do(t, c.Start())
	must.Get(c.Serving(t.Context()))
	if text := string(must.Get(os.ReadFile(served.Log()))); !strings.Contains(text, "ready") {
		t.Errorf("its log says %q", text)
	}
	must.Do(t, c.Stop())
	for _, n := range c.Nodes {
		n.want(t, false, false)
	}
}

// A node that passes its clients on answers them, and does not serve.
func TestNodeThatPassesOn(t *testing.T) {
	t.Setenv(passesOn, "1")
	c := three(t)
	n := c.Node("a")
	must.Do(t, n.Start())
	var k *client.Client
	for k == nil {
		k, _ = n.Dial(t.Context(), answerWithin)
	}
	defer k.HangUp()
	if pid := must.Get(Server(k)); pid != os.Getpid() {
		t.Errorf("process %d serves, not the test's %d", pid, os.Getpid())
	}
	n.want(t, true, false)
}

// A process that ends by itself is told from one that was ended.
func TestEndOfItsOwn(t *testing.T) {
	c := three(t)
	n := c.Node("b")
	n.binary = "false"
	must.Do(t, n.Start())
	<-n.process().Exited()
	if n.Ended() == nil || n.Running() {
		t.Error("its end is not noticed")
	}
	if _, err := c.Serving(t.Context()); err == nil || !strings.Contains(err.Error(), "node b") {
		t.Errorf("whoever waits for it is told %v", err)
	}
	n.binary = must.Get(os.Executable())
	must.Do(t, n.Start())
}

// Each node has its own address, and links for the others.
func TestConfigurations(t *testing.T) {
	c := three(t)
	address := regexp.MustCompile(`(?m)^([a-d]) = '(.*)'$`)
	var all []string
	for _, n := range c.Nodes {
		text := string(must.Get(os.ReadFile(n.config())))
		for _, line := range address.FindAllStringSubmatch(text, -1) {
			if want := c.Node(line[1]).At; line[2] != want && (line[1] != n.Name || line[2] != n.Engine) {
				t.Errorf("node %s has %s, want %s", n.Name, line[0], want)
			}
			all = append(all, line[2])
		}
		for _, want := range []string{"path = '" + n.Data() + "'\nlog_size = '1MiB'", "node = '" + n.Name + "'", n.HTTP,
			n.Client} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
	}
	if slices.Sort(all); len(all) != 13 || len(slices.Compact(all)) != 7 {
		t.Errorf("the addresses are %v", all)
	}
	alone := must.Get(New(Options{Binary: "x", Dir: t.TempDir(), Names: []string{"a"}, Config: "loops = 3\n[stats]",
		TLS: true, Queue: true, Flags: []string{"-z", "9"}}))
	n := alone.Nodes[0]
	text := string(must.Get(os.ReadFile(n.config())))
	if strings.Contains(text, "cluster") || !strings.HasPrefix(text, "loops = 3\n[stats]\n[[listen]]") ||
		!strings.Contains(text, "address = '"+n.TLS+"'\ncert = '"+alone.Dir) {
		t.Errorf("a node alone has %s", text)
	}
	if line := strings.Join(n.Command(), " "); line != "x -config "+n.config()+" -queue "+n.Queue+" -z 9" {
		t.Error(line)
	}
	must.Do(t, alone.Close())
}

func TestStatus(t *testing.T) {
	c := three(t)
	if _, err := c.Status(t.Context()); err == nil {
		t.Error("nodes that do not run are asked")
	}
	must.Do(t, c.Node("c").Start())
	s := must.Get(c.Status(t.Context()))
	if s.Shards[1].Owner != "a" || s.Shards[1].Epoch != 8 || !s.Nodes[0].Alive || s.Nodes[1].Alive {
		t.Errorf("%+v", s)
	}
}

// It is known which node has opened a connection, and that none of them has.
func TestDialler(t *testing.T) {
	c := three(t)
	n := c.Node("a")
	n.pids = []int{os.Getpid()}
	l := must.Get(net.Listen("tcp4", "127.0.0.1:0"))
	defer l.Close()
	conn := must.Get(net.Dial("tcp4", l.Addr().String()))
	defer conn.Close()
	far := must.Get(l.Accept())
	defer far.Close()
	if name := c.dialler(far); name != "a" {
		t.Errorf("node %q", name)
	}
	n.pids = nil
	if name := c.dialler(far); name != "" {
		t.Errorf("node %q, which has no process", name)
	}
}
