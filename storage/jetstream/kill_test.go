package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// asEngine makes the test's program an engine, with these options, until its input ends.
const asEngine = "BEANFIELD_TEST_ENGINE"

func TestMain(m *testing.M) {
	text := os.Getenv(asEngine)
	if text == "" {
		os.Exit(m.Run())
	}
	var o Options
	err := json.Unmarshal([]byte(text), &o)
	if err == nil {
		var s *Server
		if s, err = Start(context.Background(), o); err == nil {
			defer s.Stop()
			_, err = io.Copy(io.Discard, os.Stdin)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// process starts a node's engine as a process of its own. It ends with the test.
func (c *cluster) process(name string) *exec.Cmd {
	c.Helper()
	o := c.options
	o.Node, o.Dir = name, c.dirs[name]
	text, err := json.Marshal(o)
	if err != nil {
		c.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), asEngine+"="+string(text)), os.Stderr
	if _, err := cmd.StdinPipe(); err != nil {
		c.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		c.Fatal(err)
	}
	c.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return cmd
}

// TestLeaderOfALaneIsKilled holds K1 and E5 on the real engine: the process that leads the lane in use
// gets no chance to hand it over.
func TestLeaderOfALaneIsKilled(t *testing.T) {
	c := prepare(t)
	victim := c.process("c")
	a, b := c.start("a"), c.start("b")
	c.join(a)
	c.join(b)
	l := newLedger()
	c.own(a)
	c.steer(a)
	for i := range 2 {
		if name, _, err := a.shard.Leader(limited(t), i); err == nil && name == "c" {
			a.driver.Use(i)
		}
	}
	stop := make(chan struct{})
	ended := c.flood(l, a, stop)
	c.more(l, 100)
	at := time.Now()
	if err := victim.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	c.more(l, 100)
	t.Logf("100 were acknowledged within %v of the kill", time.Since(at))
	close(stop)
	t.Logf("the longest time between acknowledgements: %v; %+v", <-ended, a.driver.State())
	c.agree(l, a, b)
	c.join(c.start("c")) // it finds its files as the kill left them
	c.some(l, a, 0, 10)
	c.agree(l, a, b, c.nodes["c"])
	if len(l.lost) > 0 {
		t.Error("the owner did not change, and did not acknowledge:", l.lost)
	}
}
