//go:build linux

package floor

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/bench/socket"
)

// pair is a client and the server's end of its connection, which never block.
func pair(t *testing.T) (client, server int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() {
		syscall.Close(fds[0])
		syscall.Close(fds[1])
	})
	return fds[0], fds[1]
}

func got(fd int) string {
	buf := make([]byte, 4096)
	n, e := socket.Read(fd, buf)
	if e != 0 {
		return e.Error()
	}
	return string(buf[:n])
}

// A round has one write and one sync for all that is ready, and until that is over nobody
// has an answer. A round that changes nothing has none.
func TestRepliesWaitForOneSync(t *testing.T) {
	c1, s1 := pair(t)
	c2, s2 := pair(t)
	clients, kept := []int{c1, c2}, 0
	l := newLoop(func(group []byte) error {
		kept++
		if n := bytes.Count(group, []byte("the body")); n != 2 {
			t.Errorf("the group has %d bodies: %q", n, group)
		}
		for _, fd := range clients {
			if early := got(fd); early != syscall.EAGAIN.Error() {
				t.Errorf("an answer left before the sync: %q", early)
			}
		}
		return nil
	})
	both := []syscall.EpollEvent{{Fd: int32(s1)}, {Fd: int32(s2)}}
	for i, step := range []struct {
		sent  string
		reply [2]string
		kept  int
	}{
		{"put 1 0 60 8\r\nthe body\r\n", [2]string{"INSERTED 1\r\n", "INSERTED 2\r\n"}, 1},
		{"reserve\r\n", [2]string{"RESERVED 1 8\r\nthe body\r\n", "RESERVED 2 8\r\nthe body\r\n"}, 1},
	} {
		for _, fd := range clients {
			if _, e := socket.Write(fd, []byte(step.sent)); e != 0 {
				t.Fatal(e)
			}
		}
		must.Do(t, l.round(both))
		if kept != step.kept {
			t.Errorf("step %d: %d groups, want %d", i, kept, step.kept)
		}
		for k, fd := range clients {
			if reply := got(fd); reply != step.reply[k] {
				t.Errorf("step %d: %q, want %q", i, reply, step.reply[k])
			}
		}
	}
}

// Without a log, nothing is awaited.
func TestWithoutALog(t *testing.T) {
	client, server := pair(t)
	if _, e := socket.Write(client, []byte("put 1 0 60 1\r\nx\r\n")); e != 0 {
		t.Fatal(e)
	}
	must.Do(t, newLoop(nil).round([]syscall.EpollEvent{{Fd: int32(server)}}))
	if reply := got(client); reply != "INSERTED 1\r\n" {
		t.Errorf("the answer was %q", reply)
	}
}

func TestNoReplyAfterAFailedSync(t *testing.T) {
	client, server := pair(t)
	broken := errors.New("the disk is gone")
	l := newLoop(func([]byte) error { return broken })
	if _, e := socket.Write(client, []byte("put 1 0 60 1\r\nx\r\n")); e != 0 {
		t.Fatal(e)
	}
	if err := l.round([]syscall.EpollEvent{{Fd: int32(server)}}); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
	if reply := got(client); reply != syscall.EAGAIN.Error() {
		t.Errorf("the answer was %q", reply)
	}
}

// Commands may come in any pieces; what is not complete is left.
func TestQueue(t *testing.T) {
	const sent = "use a\r\nwatch a\r\nignore default\r\nput 1 0 60 3\r\na\nb\r\nput 1 0 60 " +
		"0\r\n\r\nreserve\r\nreserve\r\ndelete 2\r\nstats\r\ndelete 1\r\nx\r\n"
	const want = "USING a\r\nWATCHING 1\r\nWATCHING 1\r\nINSERTED 1\r\nINSERTED 2\r\nRESERVED 1 " +
		"3\r\na\nb\r\nRESERVED 2 0\r\n\r\nDELETED\r\n" +
		"OK 108\r\ntotal-jobs: 2\ncurrent-jobs-ready: 0\ncurrent-jobs-reserved: 1\ncurrent-jobs-delayed: 0\ncurrent-jobs-buried: 0\n\r\n" +
		"DELETED\r\nUNKNOWN_COMMAND\r\n"
	for size := 1; size <= len(sent); size++ {
		q, turn, in := newQueue(), turn{}, []byte(nil)
		for rest := sent; rest != ""; {
			n := min(size, len(rest))
			in, rest = append(in, rest[:n]...), rest[n:]
			taken := must.Get(q.run(in, &turn))
			in = in[taken:]
		}
		if string(turn.out) != want {
			t.Fatalf("in pieces of %d: %q", size, turn.out)
		}
		if n := len(turn.log); n != 2*13+3+2*9 {
			t.Fatalf("in pieces of %d: %d bytes of log: %q", size, n, turn.log)
		}
	}
}

func TestQueueRefuses(t *testing.T) {
	for sent, message := range map[string]string{
		"reserve\r\n":                       "would have to wait",
		"delete 1\r\n":                      "not reserved",
		"put 1 0 60 1\r\nx\r\ndelete 1\r\n": "not reserved",
		"put 1 0 60 x\r\n":                  "wrong size",
		"put 1 0 60 65537\r\n":              "wrong size",
	} {
		if _, err := newQueue().run([]byte(sent), new(turn)); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%.60q: %v, want %q", sent, err, message)
		}
	}
}

// Puts alone are kept, however many.
func TestQueueGrows(t *testing.T) {
	q, turn := newQueue(), new(turn)
	must.Get(q.run([]byte(strings.Repeat("put 1 0 60 1\r\nx\r\n", 2*firstJobs+1)), turn))
	for id := 1; id <= 2*firstJobs+1; id++ {
		turn.out = turn.out[:0]
		must.Get(q.run([]byte("reserve\r\n"), turn))
		if want := fmt.Sprintf("RESERVED %d 1\r\nx\r\n", id); string(turn.out) != want {
			t.Fatalf("%q, want %q", turn.out, want)
		}
	}
}

// The log is as long from its first group on as it ever will be, and is used again from
// its beginning.
func TestLogIsReused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	log := must.Get(newLog(path, 10))
	defer log.file.Close()
	for _, step := range []struct{ group, file string }{
		{"", "\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"},
		{"aaaa", "aaaa\x00\x00\x00\x00\x00\x00"},
		{"bbbb", "aaaabbbb\x00\x00"},
		{"cc", "aaaabbbbcc"},
		{"ddd", "dddabbbbcc"},
	} {
		must.Do(t, log.keep([]byte(step.group)))
		if text, err := os.ReadFile(path); err != nil || string(text) != step.file {
			t.Errorf("after %q: %q, %v", step.group, text, err)
		}
	}
	if err := log.keep(make([]byte, 11)); err == nil {
		t.Error("a group that is longer than the log was kept")
	}
}

// A server that has to be killed costs every measurement of it ten seconds.
func TestServersEnd(t *testing.T) {
	for _, args := range [][]string{nil, {"-d", t.TempDir(), "-log", "4096"}} {
		ctx, cancel := context.WithCancel(context.Background())
		ended := make(chan error, 1)
		go func() { ended <- Serve(ctx, args) }()
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				t.Errorf("%q: %v", args, err)
			}
		case <-time.After(5 * time.Minute):
			t.Errorf("the server %q goes on", args)
		}
	}
}
