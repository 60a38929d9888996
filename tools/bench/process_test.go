package main

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"
)

func TestUsageOfThisProcess(t *testing.T) {
	before, err := usageOf(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	// Work until the clock says so: 30 ms of processor time, whoever else runs.
	x := 1
	for {
		for range 1000 {
			x = x*7 + 1
		}
		now, err := usageOf(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if now.cpu-before.cpu >= 30*time.Millisecond {
			break
		}
	}
	if before.rss < 1<<20 || before.peak < before.rss || before.system > before.cpu {
		t.Errorf("%+v, %d", before, x&1)
	}
	if none, err := usageOf(0); err != nil || none != (usage{}) {
		t.Errorf("no process uses %+v, %v", none, err)
	}
}

func TestParseCPUs(t *testing.T) {
	set, err := parseCPUs("0,3-5,64")
	if err != nil || set[0] != 0b111001 || set[1] != 1 {
		t.Errorf("%b %v", set, err)
	}
	for _, bad := range []string{"", "a", "3-1", "-1", "0,", "99999"} {
		if _, err := parseCPUs(bad); err == nil {
			t.Errorf("%q passed", bad)
		}
	}
}

func TestPinSelfAndBack(t *testing.T) {
	before, err := ownAffinity()
	if err != nil {
		t.Fatal(err)
	}
	if err := pinSelf(before); err != nil {
		t.Fatal(err)
	}
	after, err := ownAffinity()
	if err != nil || after != before {
		t.Errorf("%v %v", after, err)
	}
}

func TestServerThatEndsAtOnce(t *testing.T) {
	s, err := newServer(launch{command: "ls {dir}/absent", data: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	defer s.stop()
	err = s.serve(context.Background())
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
