package server

import (
	"beanfield/storage/must"
	"bufio"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The test binary stands in for a server: its arguments are a mode, -l, an address, -p
// and a port.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && strings.HasPrefix(os.Args[1], "answer-") {
		os.Exit(standIn(os.Args[1], os.Args[5]))
	}
	os.Exit(m.Run())
}

// standIn answers every line as if it were stats, with a pid that is right or wrong.
func standIn(mode, port string) int {
	l, err := net.Listen("tcp4", "127.0.0.1:"+port)
	if err != nil {
		return 111
	}
	for {
		conn, err := l.Accept()
		if err != nil {
			return 1
		}
		pid := os.Getpid()
		if mode == "answer-wrong" {
			pid++
		}
		go func() {
			for in := bufio.NewScanner(conn); in.Scan(); {
				text := fmt.Sprintf("---\npid: %d\nversion: 1\n", pid)
				fmt.Fprintf(conn, "OK %d\r\n%s\r\n", len(text), text)
			}
		}()
	}
}

func TestRunGivesAServerThatAnswers(t *testing.T) {
	p, conn, err := Launch{Command: "{self} answer-right -l 127.0.0.1 -p {port}", Data: t.TempDir()}.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer p.Kill()
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(startWithin))
	// Nothing of the first reply is left on the connection.
	fmt.Fprintf(conn, "stats\r\n")
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "OK ") {
		t.Errorf("%q, %v", line, err)
	}
	if err := p.Died(); err != nil {
		t.Error(err)
	}
	if use, err := UsageOf(p.PID()); err != nil || use.RSS == 0 {
		t.Errorf("%+v, %v", use, err)
	}
	p.End(syscall.SIGKILL)
	if err := p.Died(); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("it was killed: %v", err)
	}
}

func TestRunRefusesAStranger(t *testing.T) {
	defer func(d time.Duration) { endWithin = d }(endWithin)
	endWithin = time.Millisecond
	_, _, err := Launch{Command: "{self} answer-wrong -l 127.0.0.1 -p {port}", Data: t.TempDir()}.Run(t.Context())
	if !errors.Is(err, errTaken) {
		t.Errorf("got %v", err)
	}
}

func TestFreePortIsFree(t *testing.T) {
	taken, err := FreePort()
	if err != nil {
		t.Fatal(err)
	}
	// The next ports are in use.
	for port := taken + 1; port < taken+4; port++ {
		l, err := net.Listen("tcp4", localAddr(port))
		if err == nil {
			defer l.Close()
		}
	}
	got, err := FreePort()
	if err != nil || got > taken && got < taken+4 {
		t.Errorf("port %d after %d, %v", got, taken, err)
	}
}

// TestPortsAreTriedWithoutListening: whoever waits for a server at the port is not taken for a moment and then reset,
// and that server is not kept from it.
func TestPortsAreTriedWithoutListening(t *testing.T) {
	port := must.Get(FreePort())
	release := must.Get(hold(port))
	defer release()
	if conn, err := net.Dial("tcp4", localAddr(port)); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a connection to a port that is tried: %v, %v", conn, err)
	}
	must.Get(net.Listen("tcp4", localAddr(port))).Close()
}
