package server

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestUsageOfThisProcess(t *testing.T) {
	before, err := UsageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// Work until the clock says so: 30 ms of processor time, whoever else runs.
	x := 1
	for {
		for range 1000 {
			x = x*7 + 1
		}
		now, err := UsageOf(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if now.CPU-before.CPU >= 30*time.Millisecond {
			break
		}
	}
	if before.RSS < 1<<20 || before.Peak < before.RSS || before.System > before.CPU {
		t.Errorf("%+v, %d", before, x&1)
	}
	if none, err := UsageOf(0); err != nil || none != (Usage{}) {
		t.Errorf("no process uses %+v, %v", none, err)
	}
}

func TestServerThatEndsAtOnce(t *testing.T) {
	s, err := Launch{Command: "ls {dir}/absent", Data: t.TempDir()}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	err = s.Serve(context.Background())
	if err == nil || !strings.Contains(err.Error(), "absent") {
		t.Errorf("%v: want what the server printed", err)
	}
}

func TestTailKeepsTheEnd(t *testing.T) {
	var out tail
	for range 3 {
		out.Write([]byte(strings.Repeat("x", tailSize)))
	}
	out.Write([]byte("the end\n"))
	if s := out.String(); len(s) > tailSize || !strings.HasSuffix(s, "xthe end") {
		t.Errorf("%d bytes, %.20q", len(s), s[len(s)-20:])
	}
}

func TestServerThatDoesNotEnd(t *testing.T) {
	s, err := Launch{Command: "sh", Data: t.TempDir()}.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	s.args = []string{"sh", "-c", "trap '' TERM; echo ready; exec sleep 600"}
	if err := s.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Minute); s.Said() != "ready"; {
		if time.Now().After(deadline) {
			t.Fatal("the shell does not run")
		}
		time.Sleep(time.Millisecond)
	}
	if err := s.Terminate(time.Millisecond); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("got %v", err)
	}
}
