package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

// follow runs tail until it has shown n jobs. begun is closed when it looks.
func follow(s *daemon, args ...string) (begun chan struct{}, lines chan string) {
	out, printed := io.Pipe()
	said, says := io.Pipe()
	begun, lines = make(chan struct{}), make(chan string, 100)
	go func() {
		p := Program{Stdin: strings.NewReader(""), Stdout: printed, Stderr: says}
		code := p.Run(Find("tail"), append([]string{"-server", s.addr, "-interval", "5ms"}, args...))
		fmt.Fprintf(printed, "code %d\n", code)
		printed.Close()
		says.Close()
	}()
	go func() {
		r := bufio.NewReader(said)
		if line, _ := r.ReadString('\n'); strings.Contains(line, "as they come") {
			close(begun)
		}
		_, _ = io.Copy(io.Discard, r)
	}()
	go func() {
		defer close(lines)
		for r := bufio.NewScanner(out); r.Scan(); {
			lines <- r.Text()
		}
	}()
	return begun, lines
}

func expect(t *testing.T, lines chan string, want string) {
	t.Helper()
	if got := <-lines; got != want {
		t.Errorf("tail prints %q, want %q", got, want)
	}
}

func TestTail(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "a", "old").want(t, 0, "1\n", "")
		begun, lines := follow(s, "-n", "4", "[ab]")
		<-begun
		s.run("put", "-tube", "a", "x\n").want(t, 0, "3\n", "")
		expect(t, lines, `3 a ready pri 1024: "x\n"`)
		s.run("put", "-tube", "c", "not wanted").want(t, 0, "4\n", "")
		s.run("put", "-tube", "b", "-delay", "9", "-pri", "1", "y").want(t, 0, "5\n", "")
		expect(t, lines, `5 b delayed pri 1: "y"`)
		// More jobs come and go than a look goes ahead; some are never seen.
		many := strings.Repeat("z\n", 3*beyond)
		s.typed(many, "put", "-lines", "-tube", "gone", "-quiet").want(t, 0, "", "")
		s.run("purge", "gone").want(t, 0, fmt.Sprintf("purged %d\n", 3*beyond), "")
		s.run("put", "-tube", "a", "then").want(t, 0, fmt.Sprintln(6+3*beyond), "")
		expect(t, lines, fmt.Sprintf(`%d a ready pri 1024: "then"`, 6+3*beyond))
		s.run("put", "-tube", "a", "last").want(t, 0, fmt.Sprintln(7+3*beyond), "")
		expect(t, lines, fmt.Sprintf(`%d a ready pri 1024: "last"`, 7+3*beyond))
		expect(t, lines, "code 0")
		s.wantCount("a", "current-jobs-ready", "4")
	})
}

// Many jobs come and go between two looks: the next one is found all the same, because the
// server counts them.
func TestTailKeepsUp(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		c := must.Get(client.Dial(client.Options{Server: s.addr, Timeout: patience}))
		defer c.Close()
		var out bytes.Buffer
		tr := trail{tail: &tail{}, s: &server{Client: c}, out: bufio.NewWriter(&out), pattern: "*"}
		must.Do(t, errors.Join(tr.begin(), tr.look()))
		s.typed(strings.Repeat("z\n", 3*beyond), "put", "-lines", "-tube", "gone", "-quiet").want(t, 0, "", "")
		s.run("purge", "gone").want(t, 0, fmt.Sprintf("purged %d\n", 3*beyond), "")
		s.run("put", "next").want(t, 0, fmt.Sprintln(3*beyond+2), "")
		if err := tr.look(); err != nil || !strings.Contains(out.String(), `"next"`) {
			t.Errorf("tail prints %q, %v", out.String(), err)
		}
	})
}

// A tail whose server ends, ends too, with an error.
func TestTailEndsWithItsServer(t *testing.T) {
	s := startServer(t, beanfield(t))
	begun, lines := follow(s)
	<-begun
	s.kill()
	expect(t, lines, "code 1")
}

func TestTop(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "quiet", "1", "2", "3").want(t, 0, "1\n2\n3\n", "")
		var o overview
		done := make(chan outcome)
		go func() { done <- s.run("top", "-json", "-interval", "300ms") }()
		for asks(s, "cmd-list-tubes") < 1 {
		}
		s.typed(strings.Repeat("x\n", 400), "put", "-lines", "-tube", "busy", "-quiet").want(t, 0, "", "")
		s.run("purge", "busy", "-n", "100").want(t, 0, "purged 100\n", "")
		got := <-done
		if err := json.Unmarshal([]byte(got.stdout), &o); err != nil || got.code != 0 {
			t.Fatalf("%+v: %v", got, err)
		}
		if len(o.Tubes) < 3 || o.Tubes[0].Tube != "busy" || o.Tubes[0].Put < 100 || o.Tubes[0].Put > 1400 ||
			o.Tubes[0].Deleted < 25 || o.Server.Put < 100 {
			t.Errorf("%+v", o)
		}
		if o.Tubes[1].Tube != "quiet" || o.Tubes[1].Ready != 3 || o.Tubes[1].Put != 0 {
			t.Errorf("%+v", o)
		}
		text := s.run("top", "-interval", "1ms", "-count", "2", "-rows", "1")
		if text.code != 0 || strings.Count(text.stdout, "put/s") != 2 || strings.Count(text.stdout, "\n") != 8 ||
			strings.Contains(text.stdout, "\x1b") {
			t.Errorf("%+v", text)
		}
		s.run("top", "-interval", "0s").want(t, 2, "", "interval")
	})
}

// asks is a count of the server's stats.
func asks(s *daemon, key string) int {
	n, _ := strconv.Atoi(valueIn(s.run("stats").stdout, key))
	return n
}
