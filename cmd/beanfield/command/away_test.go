package command

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/client/clienttest"
	"beanfield/storage/must"
)

// pretend is a server that a test plays.
func pretend(t *testing.T, talk func(conn net.Conn, in *bufio.Reader)) *daemon {
	t.Helper()
	return &daemon{t: t, addr: clienttest.Pretend(t, talk)}
}

// puts plays a server that answers line by line: the puts, the first n of them, and use, but for tube b. It returns
// how many jobs it got.
func puts(conn net.Conn, in *bufio.Reader, n int) (got int) {
	for got < n {
		line, err := in.ReadString('\n')
		switch {
		case err != nil || line == "quit\r\n":
			return got
		case line == "capabilities\r\n":
			_, _ = io.WriteString(conn, "UNKNOWN_COMMAND\r\n")
		case line == "use b\r\n":
			_, _ = io.WriteString(conn, "BAD_FORMAT\r\n")
		case strings.HasPrefix(line, "use "):
			_, _ = io.WriteString(conn, "USING a\r\n")
		case !strings.HasPrefix(line, "put "): // a body
			got++
			fmt.Fprintf(conn, "INSERTED %d\r\n", got)
		}
	}
	return got
}

// A server that goes away in the middle of many puts: what was acknowledged is counted,
// and so is what may or may not have been put.
func TestServerGoesAway(t *testing.T) {
	s := pretend(t, func(conn net.Conn, in *bufio.Reader) {
		puts(conn, in, 7)
		_, _ = io.Copy(io.Discard, io.LimitReader(in, 1000)) // so that it ends with a reset or an end
	})
	o := s.typed(strings.Repeat("x\n", 400), "put", "-lines", "-tube", "a")
	o.want(t, 1, "1\n2\n3\n4\n5\n6\n7\n", "7 jobs were put; what became of 393 more is not known")
}

// CL3 and U3: what is no beanstalkd, or says nothing, is told as such, and no command waits for
// ever.
func TestStrangers(t *testing.T) {
	for answer, says := range map[string]string{
		"HTTP/1.1 400 Bad Request\r\n":  "the server answers HTTP/1.1",
		"hello\n":                       "this is not a reply of beanstalkd",
		strings.Repeat("x", 100_000):    "this is not a reply of beanstalkd",
		"OK 99999999999\r\n":            "this is not a reply of beanstalkd",
		"OK 3\r\nabcde\r\n":             "no line end behind the body",
		"OK 3\r\nab":                    "has closed the connection",
		"OK 4\r\nabcd\r\n":              `"abcd" in a stats reply`,
		"":                              "has closed the connection",
		"\x16\x03\x01\x00\x02\x02(\r\n": "the server answers",
		"UNKNOWN_COMMAND\r\n":           "the server answers UNKNOWN_COMMAND",
	} {
		s := pretend(t, func(conn net.Conn, in *bufio.Reader) {
			_, _ = in.ReadString('\n')
			_, _ = io.WriteString(conn, answer)
		})
		s.run("stats").want(t, 1, "", says)
	}
	silent := pretend(t, func(conn net.Conn, in *bufio.Reader) { _, _ = io.Copy(io.Discard, in) })
	silent.run("stats", "-connect-timeout", "50ms").want(t, 1, "", "no answer from "+silent.addr+" within 50ms")
	ran("stats", "-server", "unix:/nowhere/s").want(t, 1, "", "cannot reach unix:/nowhere/s")
}

// The token is sent before anything else, and is never shown.
func TestToken(t *testing.T) {
	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, "  s3cret\n")
	for _, answer := range []string{"OK 0\r\n\r\n", "NOT_FOUND\r\n"} {
		s := pretend(t, func(conn net.Conn, in *bufio.Reader) {
			if line, _ := in.ReadString('\n'); line != "auth s3cret\r\n" {
				t.Errorf("the first line is %q", line)
			}
			_, _ = io.WriteString(conn, answer)
			_, _ = in.ReadString('\n')
			_, _ = io.WriteString(conn, "OK 5\r\n---\n\n\r\n")
		})
		o := s.run("stats", "-token-file", token)
		if answer == "NOT_FOUND\r\n" {
			o.want(t, 1, "", "the server refuses the token in "+token)
		} else {
			o.want(t, 0, "", "")
		}
		if strings.Contains(o.stderr, "s3cret") {
			t.Error(o.stderr)
		}
	}
	writeFile(t, token, "two\nwords\n")
	pretend(t, func(conn net.Conn, in *bufio.Reader) {}).run("stats", "-token-file", token).want(t, 1, "",
		"more than a token")
}

// deaf is an output that takes nothing.
type deaf struct{}

func (deaf) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// U2: a job that could not be printed is not deleted, and not buried. A count that nobody is told is an error: a script
// that asks for it must not go on.
func TestNothingIsLostUnprinted(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.talk("$ put one\n1")
		for _, args := range []string{"reserve -then delete", "reserve -then bury", "kick default", "kick default -json"} {
			p := Program{Stdin: strings.NewReader(""), Stdout: deaf{}, Stderr: io.Discard}
			all := words(args)
			if code := p.Run(Find(all[0]), append(all[1:], "-server", s.addr)); code != 1 {
				t.Errorf("%s: code %d", args, code)
			}
			s.talk("$ stats -job 1\n~ state: ready")
		}
	})
}

// Jobs that are deleted while an export runs are left out: it says so, and has not failed.
func TestExportOfVanishing(t *testing.T) {
	const stats = "---\nid: 1\ntube: \"a\"\nstate: ready\npri: 0\nttr: 1\ntime-left: 0\n"
	tube := "---\ncurrent-jobs-ready: 2\n"
	talk := func(conn net.Conn, in *bufio.Reader) {
		for asked := 0; ; {
			line, err := in.ReadString('\n')
			switch {
			case err != nil:
				return
			case line == "capabilities\r\n":
				_, _ = io.WriteString(conn, "OK 15\r\n---\n- list-jobs\r\n")
			case strings.HasPrefix(line, "stats-tube"), line == "stats\r\n":
				fmt.Fprintf(conn, "OK %d\r\n%s\r\n", len(tube), tube)
			case strings.HasPrefix(line, "stats-job") && asked < 2 || line == "stats-job 2\r\n":
				asked++
				fmt.Fprintf(conn, "OK %d\r\n%s\r\n", len(stats), strings.Replace(stats, "1", line[10:11], 1))
			case line == "peek 2\r\n":
				_, _ = io.WriteString(conn, "FOUND 2 1\r\nx\r\n")
			case line == "quit\r\n":
				return
			default:
				_, _ = io.WriteString(conn, "NOT_FOUND\r\n")
			}
		}
	}
	pretend(t, talk).run("export", "a", "-below", "3").want(t, 0,
		`{"tube":"a","id":2,"pri":0,"delay":0,"ttr":1,"state":"ready","body":"x"}`+"\n",
		"1 jobs were deleted before they could be exported")
	pretend(t, talk).run("export", "a", "-below", "2").want(t, 0, "",
		"1 jobs were deleted before they could be exported")
	s := pretend(t, talk).dial(client.Options{})
	tr := follower{tail: &tail{}, s: s, out: bufio.NewWriter(io.Discard), pattern: "a", seen: 2}
	must.Do(t, tr.look())
}

// A server that does not let us use a tube gets no job for it: that would go into the tube
// before.
func TestLoadOfRefusedTube(t *testing.T) {
	got := make(chan int, 1)
	s := pretend(t, func(conn net.Conn, in *bufio.Reader) { got <- puts(conn, in, 100) })
	s.typed(`{"tube":"a","body":"x"}`+"\n"+`{"tube":"b","body":"y"}`+"\n", "load").want(t, 1, "1\n",
		"use tube b: the server answers BAD_FORMAT\n1 jobs were put")
	if n := <-got; n != 1 {
		t.Errorf("%d jobs were put", n)
	}
}
