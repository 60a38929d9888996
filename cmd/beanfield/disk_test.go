package main

import (
	"bufio"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"beanfield/cmd/beanfield/exit"
	"beanfield/storage/must"
)

// dataDir makes an empty data directory in a directory of its own, where its backups
// go too.
func dataDir(t testing.TB) string {
	t.Helper()
	return mustMkdir(t, filepath.Join(t.TempDir(), "data"))
}

// onData starts a server on a data directory and connects to it.
func onData(t testing.TB, data string, words ...string) (*process, *client) {
	t.Helper()
	return served(t, append(words, "-b", data)...)
}

// stop ends the process in order, kill as a crash does.
func (p *process) stop() {
	p.t.Helper()
	p.signal(syscall.SIGTERM)
	p.ends(0)
}

func (p *process) kill() {
	p.t.Helper()
	p.signal(syscall.SIGKILL)
	p.Wait()
}

// untilSaid returns when the server has logged text, or fails at the deadline of the
// connection.
func (p *process) untilSaid(c *client, text string) {
	p.t.Helper()
	for !strings.Contains(p.said(), text) {
		c.stats("stats")
	}
}

// fill puts a job of each state; the last one is reserved.
func fill(c *client) {
	c.t.Helper()
	c.expect("put 5 0 60 5\r\nready", "INSERTED 1")
	c.expect("put 0 3600 60 7\r\ndelayed", "INSERTED 2")
	c.expect("put 1 0 60 6\r\nburied", "INSERTED 3")
	c.expect("put 0 0 60 7\r\ndeleted", "INSERTED 4")
	c.expect("delete 4", "DELETED")
	c.expect("reserve", "RESERVED 3 6\r\nburied")
	c.expect("bury 3 9", "BURIED")
	c.expect("reserve", "RESERVED 1 5\r\nready")
}

// checkFilled looks for the jobs of fill; next is the id of the next one.
func checkFilled(c *client, next string) {
	c.t.Helper()
	c.expect("peek-ready", "FOUND 1 5\r\nready")
	c.expect("peek-delayed", "FOUND 2 7\r\ndelayed")
	c.expect("peek-buried", "FOUND 3 6\r\nburied")
	c.expect("peek 4", "NOT_FOUND")
	c.expect("put 9 0 60 1\r\nx", "INSERTED "+next)
}

// What was acknowledged is there after a restart: after a clean stop in every sync
// mode, after a crash where that was promised, and with another number of shards.
func TestProcessKeepsJobs(t *testing.T) {
	for _, x := range []struct {
		flags []string
		end   func(*process)
	}{
		{[]string{"-shards", "2"}, (*process).stop},
		{[]string{"-shards", "2"}, (*process).kill},
		{[]string{"-shards", "2", "-f", "0"}, (*process).kill},
		{[]string{"-shards", "2", "-f", "50"}, (*process).stop},
		{[]string{"-shards", "2", "-F"}, (*process).stop},
	} {
		data := dataDir(t)
		p, c := onData(t, data, x.flags...)
		fill(c)
		x.end(p)
		if said := p.problems(); said != "" {
			t.Errorf("a healthy server says %q", said)
		}
		p, c = onData(t, data, x.flags...)
		checkFilled(c, "5")
		x.end(p)
		p, c = onData(t, data, "-shards", "3")
		checkFilled(c, "6")
		p.stop()
	}
}

// limitFiles makes every write beyond so many bytes of a file fail, which stands for
// a failing disk.
func (p *process) limitFiles(bytes uint64) {
	p.t.Helper()
	limit := syscall.Rlimit{Cur: bytes, Max: bytes}
	if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(p.Process.Pid), syscall.RLIMIT_FSIZE,
		uintptr(unsafe.Pointer(&limit)), 0, 0, 0); errno != 0 {
		p.t.Fatal(errno)
	}
}

// When its log has failed the server stays up, and acknowledges nothing that is not
// on disk. What was acknowledged is there after a restart.
func TestProcessRefusesWhenItsLogFails(t *testing.T) {
	data := dataDir(t)
	p, c := onData(t, data, "-shards", "1")
	body := strings.Repeat("x", 60_000)
	put := "put 0 0 60 " + strconv.Itoa(len(body)) + "\r\n" + body
	c.expect(put, "INSERTED 1")
	p.limitFiles(1 << 20)
	acknowledged := 1
	for {
		reply := c.ask(put)
		if reply == "INTERNAL_ERROR" {
			break
		}
		if acknowledged++; reply != "INSERTED "+strconv.Itoa(acknowledged) || acknowledged > 100 {
			t.Fatalf("put %d is answered %q", acknowledged, reply)
		}
	}
	p.untilFailed()
	again := p.client()
	again.expect("delete 1", "INTERNAL_ERROR")
	again.expect(put, "INTERNAL_ERROR")
	if got := again.stats("stats")["log-error"]; !strings.Contains(got, "file too large") {
		t.Errorf("stats says log-error: %q", got)
	}
	p.signal(syscall.SIGTERM)
	p.ends(exit.Failed)
	p, c = onData(t, data, "-shards", "1")
	if got := c.stats("stats")["current-jobs-ready"]; got != strconv.Itoa(acknowledged) &&
		got != strconv.Itoa(acknowledged+1) {
		t.Errorf("%s jobs are back, %d were acknowledged", got, acknowledged)
	}
	p.stop()
}

// untilFailed returns when the server has said that a log has failed.
func (p *process) untilFailed() {
	p.t.Helper()
	p.untilSaid(p.client(), "its shard answers INTERNAL_ERROR")
}

// A signal during recovery ends the process at once, and the log names it. The
// recovery never ends: it waits for somebody to write to a pipe.
func TestProcessEndsDuringRecovery(t *testing.T) {
	data := dataDir(t)
	must.Do(t, syscall.Mkfifo(filepath.Join(data, "beanfield.json"), 0o600))
	p := prepare(t, "-l", "unix:DIR/s", "-b", data)
	p.Stderr = nil
	out := must.Get(p.StderrPipe())
	must.Do(t, p.Start())
	lines := bufio.NewScanner(out)
	for _, want := range []string{"recovering jobs takes a while", "level=NOTICE msg=stopping signal=SIGTERM",
		"ending before all jobs are recovered"} {
		if !lines.Scan() || !strings.Contains(lines.Text(), want) {
			t.Errorf("it says %q, want %q", lines.Text(), want)
		}
		if strings.HasPrefix(want, "recovering") {
			p.signal(syscall.SIGTERM)
		}
	}
	if lines.Scan() {
		t.Errorf("it also says %q", lines.Text())
	}
	p.ends(0)
}
