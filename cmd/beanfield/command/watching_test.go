package command

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

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
		s.talk("$ put -tube a old\n1")
		begun, lines := follow(s, "-n", "4", "[ab]")
		<-begun
		s.run("put", "-tube", "a", "x\n").want(t, 0, "3\n", "")
		expect(t, lines, `3 a ready pri 1024: "x\n"`)
		s.talk("$ put -tube c 'not wanted'\n4\n$ put -tube b -delay 9 -pri 1 y\n5")
		expect(t, lines, `5 b delayed pri 1: "y"`)
		// More jobs come and go than a look goes ahead; some are never seen.
		s.puts("gone", 3*beyond)
		s.talk("$ purge gone\npurged 300\n$ put -tube a then\n306")
		expect(t, lines, `306 a ready pri 1024: "then"`)
		s.talk("$ put -tube a last\n307")
		expect(t, lines, `307 a ready pri 1024: "last"`)
		expect(t, lines, "code 0")
		s.talk("$ counts a ready\n4")
	})
}

// Many jobs come and go between two looks: the next one is found all the same, because the
// server counts them.
func TestTailKeepsUp(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		var out bytes.Buffer
		tr := follower{tail: &tail{}, s: s.dial(client.Options{}), out: bufio.NewWriter(&out), pattern: "*"}
		must.Do(t, errors.Join(tr.begin(), tr.look()))
		s.puts("gone", 3*beyond)
		s.talk("$ purge gone\npurged 300\n$ put next\n302")
		if err := tr.look(); err != nil || !strings.Contains(out.String(), `"next"`) {
			t.Errorf("tail prints %q, %v", out.String(), err)
		}
	})
}

// A tail whose server ends, ends too, with an error.
func TestTailEndsWithItsServer(t *testing.T) {
	s := startServer(t)
	begun, lines := follow(s)
	<-begun
	s.kill()
	expect(t, lines, "code 1")
}

func TestTop(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.puts("quiet", 3)
		for interval, looks := 300*time.Millisecond, 1; ; interval, looks = 2*interval, looks+1 {
			var o overview
			done, before := make(chan outcome), s.count("", "cmd-list-tubes")
			go func() { done <- s.run("top", "-json", "-interval", interval.String()) }()
			for s.count("", "cmd-list-tubes") == before {
			}
			s.puts("busy", 400)
			s.talk("$ purge busy -n 100\npurged 100")
			got := <-done
			if err := json.Unmarshal([]byte(got.stdout), &o); err != nil || got.code != 0 {
				t.Fatalf("%+v: %v", got, err)
			}
			most := 420 / interval.Seconds()
			if (len(o.Tubes) < 3 || o.Tubes[0].Put < most/14 || o.Tubes[0].Deleted < most/56) && looks < 6 {
				s.talk("$ purge busy\npurged 300")
				continue // the machine was so slow that this came after the second look, or that was late
			}
			if len(o.Tubes) < 3 || o.Tubes[0].Tube != "busy" || o.Tubes[0].Put < most/14 || o.Tubes[0].Put > most ||
				o.Tubes[0].Deleted < most/56 || o.Server.Put < most/14 {
				t.Errorf("%+v", o)
			}
			if o.Tubes[1].Tube != "quiet" || o.Tubes[1].Ready != 3 || o.Tubes[1].Put != 0 {
				t.Errorf("%+v", o)
			}
			break
		}
		text := s.run("top", "-interval", "1ms", "-count", "2", "-rows", "1")
		if text.code != 0 || strings.Count(text.stdout, "put/s") != 2 || strings.Count(text.stdout, "\n") != 8 ||
			strings.Contains(text.stdout, "\x1b") {
			t.Errorf("%+v", text)
		}
	})
}
