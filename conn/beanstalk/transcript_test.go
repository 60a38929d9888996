package beanstalk

import (
	"crypto/tls"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"beanfield/storage/must"
)

// The files in testdata/transcripts are conversations with a fresh server.
// testdata/transcripts/README tells how they are written.

// step is one line of a transcript.
type step struct {
	at   int    // line in the file
	who  string // connection
	kind byte   // '>' sends, '<' expects, '?' and '~' ask until the reply is right, '*' and '=' are of the server
	word string // eof, close: instead of text
	text string
}

type transcript struct {
	name  string
	flags map[string]int
	steps []step
}

func readTranscripts(t testing.TB) (all []*transcript) {
	files, err := filepath.Glob("testdata/transcripts/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, file := range files {
		data := must.Get(os.ReadFile(file))
		ts, err := parseTranscripts(strings.TrimSuffix(filepath.Base(file), ".txt"), string(data))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		all = append(all, ts...)
	}
	return all
}

func parseTranscripts(base, data string) (all []*transcript, err error) {
	var tr *transcript
	for i, line := range strings.Split(data, "\n") {
		switch {
		case strings.HasPrefix(line, "=== "):
			tr = &transcript{name: base + "/" + strings.ReplaceAll(line[4:], " ", "_"), flags: map[string]int{}}
			all = append(all, tr)
		case line == "" || line[0] == '#':
		case tr == nil:
			return nil, fmt.Errorf("line %d stands before the first name", i+1)
		case line[0] == '!':
			for _, f := range strings.Fields(line[1:]) {
				key, value, _ := strings.Cut(f, "=")
				tr.flags[key], _ = strconv.Atoi(value)
			}
		case strings.HasPrefix(line, "  "): // of the document begun before
			last := &tr.steps[len(tr.steps)-1]
			last.text += line[2:] + "\n"
		default:
			s, err := parseStep(line)
			if err != nil {
				return nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			s.at = i + 1
			tr.steps = append(tr.steps, s)
		}
	}
	return all, nil
}

func parseStep(line string) (s step, err error) {
	i := strings.IndexAny(line, "<>?*=~")
	if i < 0 {
		return s, fmt.Errorf("%q is no step", line)
	}
	s.who, s.kind = line[:i], line[i]
	rest := line[i+1:]
	switch {
	case s.kind == '*' || s.kind == '=' || s.kind == '~':
		s.text, err = unescape(strings.TrimSpace(rest))
	case rest == "eof" || rest == "close" || rest == "yaml":
		s.word = rest
	case rest == "" || rest[0] == ' ':
		text, open := strings.CutSuffix(strings.TrimPrefix(rest, " "), `\`)
		if s.text, err = unescape(text); err == nil && !open {
			s.text += "\r\n"
		}
	default:
		err = fmt.Errorf("%q is no step", line)
	}
	return s, err
}

// unescape resolves \r \n \s \\ \xHH and the repetition {text*times}; \d is a number, whatever it is.
func unescape(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		rest := s[i:]
		switch {
		case rest[0] == '{':
			end := strings.IndexByte(rest, '}')
			text, times, ok := strings.Cut(rest[1:max(end, 1)], "*")
			n, err := strconv.Atoi(times)
			if !ok || err != nil {
				return "", fmt.Errorf("a repetition is wrong: %q", rest)
			}
			if text, err = unescape(text); err != nil {
				return "", err
			}
			b.WriteString(strings.Repeat(text, n))
			i += end
		case rest[0] != '\\':
			b.WriteByte(rest[0])
		case len(rest) >= 4 && rest[1] == 'x':
			n, err := strconv.ParseUint(rest[2:4], 16, 8)
			if err != nil {
				return "", err
			}
			b.WriteByte(byte(n))
			i += 3
		case len(rest) >= 2 && strings.IndexByte(`rns\d`, rest[1]) >= 0:
			b.WriteByte(("\r\n \\" + anyNumber)[strings.IndexByte(`rns\d`, rest[1])])
			i++
		default:
			return "", fmt.Errorf("an escape is wrong: %q", rest)
		}
	}
	return b.String(), nil
}

// anyNumber stands for a number in what is expected. No server says it.
const anyNumber = "\x01"

// sent is how many bytes a transcript sends in all.
func (tr *transcript) sent() (n int) {
	for _, s := range tr.steps {
		if s.kind == '>' {
			n += len(s.text)
		}
	}
	return n
}

// play runs a transcript against a fresh server. cut is the position, among
// all bytes sent, at which a write is torn in two; -1 for none, -2 for a
// write per byte.
//
// A transcript with a lease says something only if it takes no longer than that. If the
// machine has held it up, it is played again.
func (tr *transcript) play(t testing.TB, network string, cut int) {
	t.Helper()
	for {
		began := time.Now()
		err := tr.once(t, network, cut)
		if err == nil {
			return
		}
		if lease := tr.flags["lease"]; lease == 0 || time.Since(began) < time.Duration(lease)*time.Second {
			t.Fatal(err)
		}
	}
}

func (tr *transcript) once(t testing.TB, network string, cut int) error {
	t.Helper()
	began := time.Now()
	h := tr.stage(t, cut)
	defer func() {
		for _, c := range h.talkers {
			c.close()
		}
		h.close()
		h.events()
	}()
	pos := 0
	tr = &transcript{tr.name, tr.flags, slices.Clone(tr.steps)}
	for i := range tr.steps {
		s := &tr.steps[i]
		for name, c := range h.talkers {
			s.text = strings.ReplaceAll(s.text, "@"+name, c.nc.LocalAddr().String())
		}
		c := h.talkers[s.who]
		if c == nil && s.who != "" {
			c = h.enter(network, s.who)
			h.talkers[s.who] = c
		}
		var err error
		switch {
		case s.word == "yaml":
			err = c.document(s.text, began)
		case s.kind == '=':
			err = obey(h.book, s.text)
		case s.kind == '*':
			err = h.await(s.text)
		default:
			err = tr.step(h.house, c, i, cut-pos, cut == -2)
		}
		if err != nil {
			return fmt.Errorf("%s, line %d, torn at %d: %w", tr.name, s.at, cut, err)
		}
		if s.kind == '>' {
			pos += len(s.text)
		}
	}
	return nil
}

func (tr *transcript) step(h *house, c *client, i, cut int, bytewise bool) error {
	s := tr.steps[i]
	switch {
	case s.kind == '~':
		line, want, _ := strings.Cut(s.text, " | ")
		eventually(h.t, s.text, func() bool { return has(c.yaml(line), want) })
	case s.word == "close":
		c.close()
	case s.word == "eof" && s.kind == '>':
		c.closeWrite()
	case s.word == "eof":
		c.eof()
	case s.kind == '>' && bytewise:
		for j := range len(s.text) {
			c.sendAll(s.text[j : j+1])
		}
	case s.kind == '>' && cut > 0 && cut < len(s.text):
		c.sendAll(s.text[:cut])
		c.send(s.text[cut:])
	case s.kind == '>':
		c.send(s.text)
	case s.kind == '?':
		want := tr.steps[i+1].text
		eventually(h.t, fmt.Sprintf("line %d answers %q", s.at, want), func() bool {
			c.send(s.text)
			got, _ := c.br.Peek(len(want))
			if string(got) == want {
				return true // left for the next step to read
			}
			var n int
			if _, err := fmt.Sscanf(c.line(), "OK %d", &n); err == nil {
				c.bytes(n + 2)
			}
			return false
		})
	default:
		return c.compare(s.text)
	}
	return nil
}

// has tells whether a document has all lines that are wanted, with commas in between; or one that begins like what is
// wanted before an ellipsis. "#2" wants two jobs.
func has(lines []string, want string) bool {
	if start, ok := strings.CutSuffix(want, "…"); ok {
		return slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, start) })
	}
	jobs := strings.Count(strings.Join(lines, "\n"), "- id: ")
	return !slices.ContainsFunc(strings.Split(want, ", "), func(w string) bool {
		return w != fmt.Sprint("#", jobs) && !slices.Contains(lines, w)
	})
}

// document reads a document, which comes in a conversation that began then.
func (c *client) document(text string, began time.Time) error {
	head := c.line()
	n, err := strconv.Atoi(strings.TrimPrefix(head, "OK "))
	if err != nil || head != fmt.Sprint("OK ", n) {
		return fmt.Errorf("got %q, want a document", head)
	}
	doc := string(c.bytes(n))
	late := int(time.Since(began) / time.Second)
	got, want := strings.SplitAfter(doc, "\n"), strings.SplitAfter("---\n"+text, "\n")
	for i, line := range want {
		if i >= len(got) || got[i] != line && !heldUp(got[i], line, late) {
			return fmt.Errorf("line %d of %q is not %q", i+1, doc, line)
		}
	}
	if len(got) > len(want) {
		return fmt.Errorf("%q goes on after %d lines", doc, len(want))
	}
	return c.compare("\r\n")
}

// heldUp tells whether a line is what is wanted but for the seconds by which the machine may have
// held up the conversation: ages and the time that is left are told in whole seconds.
func heldUp(got, want string, late int) bool {
	key, value, _ := strings.Cut(strings.TrimSpace(got), ": ")
	wantKey, wantValue, _ := strings.Cut(strings.TrimSpace(want), ": ")
	n, err := strconv.Atoi(value)
	m, _ := strconv.Atoi(wantValue)
	switch {
	case err != nil || key != wantKey:
		return false
	case key == "age":
		return m <= n && n <= m+late
	}
	return strings.HasSuffix(key, "time-left") && m-late <= n && n <= m
}

// sendAll writes and then gives the server the chance to read, so that the next write does not join this one: less of
// it behind a write that the server has not read, because it does not want to.
func (c *client) sendAll(s string) {
	chance := 3 * time.Millisecond
	if c.unread() > 0 {
		chance /= 10
	}
	c.send(s)
	for end := time.Now().Add(chance); c.unread() > 0 && time.Now().Before(end); {
		runtime.Gosched()
	}
}

// unread is how many bytes the other end has not read yet. Only unix sockets
// tell; for others it is what the other end's kernel has not yet taken.
func (c *client) unread() (n int32) {
	nc := c.nc
	if t, ok := nc.(*tls.Conn); ok {
		nc = t.NetConn()
	}
	raw := must.Get(nc.(syscall.Conn).SyscallConn())
	raw.Control(func(fd uintptr) {
		syscall.Syscall(syscall.SYS_IOCTL, fd, syscall.TIOCOUTQ, uintptr(unsafe.Pointer(&n)))
	})
	return n
}
