package server

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

func TestUsageOfThisProcess(t *testing.T) {
	before := must.Get(UsageOf(os.Getpid()))
	// Work until the clock says so: 30 ms of processor time, whoever else runs.
	x := 1
	for {
		for range 1000 {
			x = x*7 + 1
		}
		now := must.Get(UsageOf(os.Getpid()))
		if now.CPU-before.CPU >= 30*time.Millisecond {
			break
		}
	}
	if before.RSS < 1<<20 || before.Peak < before.RSS {
		t.Errorf("%+v, %d", before, x&1)
	}
	if after, err := UsageOf(os.Getpid()); err != nil || after.Written < before.Written {
		t.Errorf("%d bytes written, and before %d, %v", after.Written, before.Written, err)
	}
	if none, err := UsageOf(0); err != nil || none != (Usage{}) {
		t.Errorf("no process uses %+v, %v", none, err)
	}
}

// What is written counts, wherever the kernel tells of it and the directory is on a disk.
func TestUsageCountsWhatIsWritten(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	disk := DiskOf(filepath.Dir(path))
	before, on := bytesWritten(os.Getpid()), disk.Written()
	file := must.Get(os.Create(path))
	defer file.Close()
	must.Get(file.Write(make([]byte, 1<<20)))
	must.Do(t, file.Sync())
	if _, err := os.Stat("/proc/self/io"); err != nil || disk == "" {
		t.Skip("the kernel does not tell, or there is no disk")
	}
	if n := bytesWritten(os.Getpid()) - before; n < 1<<20 {
		t.Errorf("%d bytes written, of 1 MiB", n)
	}
	if n := disk.Written() - on; n < 1<<20 {
		t.Errorf("%d bytes written to the disk, of 1 MiB", n)
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
	s := must.Get(Launch{Command: "sh", Data: t.TempDir()}.Prepare())
	defer s.Stop()
	s.args = []string{"sh", "-c", "trap '' TERM; echo ready; exec sleep 600"}
	must.Do(t, s.Start())
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
