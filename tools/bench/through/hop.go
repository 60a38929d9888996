//go:build linux

package through

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"beanfield/tools/bench/socket"
	"beanfield/tools/server"
)

// hops compares latencies: of a node, directly and through another one, and of a bare loop, directly and through a bare
// hop. All take turns, question by question.
func (r *run) hops(ctx context.Context) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	bare, err := startSelf(self, "bare")
	if err != nil {
		return err
	}
	defer bare.End(unix.SIGKILL)
	hop, err := startSelf(self, "hop", "-to", bare.Addr)
	if err != nil {
		return err
	}
	defer hop.End(unix.SIGKILL)
	addrs := []string{r.owner.Client, r.between.Client, bare.Addr, hop.Addr}
	var took [4][]float64
	var conns [4]net.Conn
	for i, addr := range addrs {
		if conns[i], err = dial(ctx, addr); err != nil {
			return err
		}
		defer conns[i].Close()
	}
	for n := range warmUp + questions {
		for i, conn := range conns {
			begun := time.Now()
			if err := ask(conn); err != nil {
				return fmt.Errorf("%s: %w", addrs[i], err)
			}
			if n >= warmUp {
				took[i] = append(took[i], float64(time.Since(begun))/1e3)
			}
		}
	}
	direct, through, at, behind := median(took[0]), median(took[1]), median(took[2]), median(took[3])
	r.tell("latency", "%.1f µs through another node, %.1f directly: the hop takes %.1f, a bare one %.1f (%.1f and %.1f); "+
		"medians of %d", through, direct, through-direct, behind-at, behind, at, len(took[0]))
	return nil
}

// How often each is asked.
const (
	warmUp    = 500
	questions = 5_000
)

// startSelf starts this program as a server at a free port.
func startSelf(self, verb string, args ...string) (*server.Process, error) {
	port, err := server.FreePort()
	if err != nil {
		return nil, err
	}
	args = append([]string{self, verb, "-p", fmt.Sprint(port)}, args...)
	return server.Start(io.Discard, fmt.Sprintf("127.0.0.1:%d", port), args...)
}

// dial connects when the server is there.
func dial(ctx context.Context, addr string) (conn net.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, startWithin)
	defer cancel()
	for {
		if conn, err = net.Dial("tcp4", addr); err == nil {
			if err = ask(conn); err == nil { // or it was let in, and cut off
				return conn, nil
			}
			conn.Close()
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-time.After(pause):
		}
	}
}

// pause is before a client tries again.
const pause = 10 * time.Millisecond

// patience bounds the wait for an answer.
const patience = 30 * time.Second

const (
	question = "use default\r\n"
	answer   = "USING default\r\n"
)

var errStrange = errors.New("a strange answer")

// ask asks what no log has to keep.
func ask(conn net.Conn) error {
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	if _, err := io.WriteString(conn, question); err != nil {
		return err
	}
	var b [len(answer)]byte
	if _, err := io.ReadFull(conn, b[:]); err != nil {
		return err
	}
	if string(b[:]) != answer {
		return fmt.Errorf("%w: %q", errStrange, b)
	}
	return nil
}

// Hop is bench hop: it passes connections on, with a thread for each direction, which waits in the kernel.
func Hop(ctx context.Context, args []string) error {
	f := flag.NewFlagSet("bench hop", flag.ContinueOnError)
	port := f.Int("p", 11300, "its `port`")
	to := f.String("to", "", "the `address` to which connections go")
	if err := f.Parse(args); err != nil {
		return err
	}
	l, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", *port))
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for {
		conn, err := l.Accept()
		if err != nil {
			return errors.Join(ctx.Err(), err)
		}
		go func() {
			if err := join(conn, *to); err != nil {
				fmt.Fprintln(os.Stderr, "bench hop:", err)
			}
		}()
	}
}

// join passes on what a connection and an address say to each other.
func join(conn net.Conn, to string) error {
	far, err := net.Dial("tcp4", to)
	if err != nil {
		return errors.Join(err, conn.Close())
	}
	var fds [2]int
	for i, c := range []net.Conn{conn, far} {
		if fds[i], err = socket.Raw(c); err == nil {
			err = unix.SetNonblock(fds[i], false)
		}
		if err != nil {
			return err
		}
	}
	ended := make(chan bool)
	for i := range fds {
		go func() {
			pass(fds[1-i], fds[i])
			ended <- true
		}()
	}
	for range fds {
		<-ended
	}
	return errors.Join(unix.Close(fds[0]), unix.Close(fds[1]))
}

// pass brings what one side says to the other until its end, which it passes on.
func pass(to, from int) {
	runtime.LockOSThread()
	defer func() { _ = unix.Shutdown(to, unix.SHUT_WR) }()
	b := make([]byte, 64<<10)
	for {
		n, err := unix.Read(from, b)
		if n <= 0 || err != nil {
			return
		}
		for rest := b[:n]; len(rest) > 0; {
			m, err := unix.Write(to, rest)
			if err != nil {
				return
			}
			rest = rest[m:]
		}
	}
}
