package main

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// A conversation is a file of testdata: steps, one a line, with servers as processes, their clients, and a shell.
//
//	file NAME        the indented lines that follow are the text of DIR/NAME
//	cert NAME [TIME] DIR/NAME.cert and DIR/NAME.key, which end after a time; DIR/ca has signed them
//	env NAME=VALUE   what the servers that are started from now on have in their environment
//	start FLAGS      a server is started, and says that it is ready; again: another one with the same flags
//	launch FLAGS     the same, and nobody waits for that
//	fails CODE FLAGS a server does not start: what it says
//	stop, kill       the server ends in order, with code 0, or at once; then the one before it is meant
//	ends CODE        the same, by itself
//	signal NAME      the server is sent a signal
//	hears STATE      systemd is told that by the server
//	reload           SIGHUP is sent, and heeded: what the server says meanwhile
//	said             what the server has said so far
//	dial NAME [tls] AT
//	                 a client connects, to a socket of DIR or to an address: whose certificate is shown
//	NAME: COMMAND    a client sends a command, or nothing; it is at DIR/s if it was not dialled. With "?" behind its
//	                 first word, the reply is a document, and a word "#" is the length of what stands behind its line,
//	                 where lines end as in a file. The command gone is nothing: the reply is all that comes until the
//	                 server closes the connection
//	GET AT/PATH [TOKEN]
//	                 a request over HTTP to a socket of DIR, or over TLS to an address: its status, and the page
//	POST AT/PATH [TOKEN] BODY
//	                 likewise; "-" is no token, and =TOKEN one without "Bearer"
//	sh [CODE] WORDS  a shell does something in DIR, and ends with a code: what it prints
//	need WORDS       the rest is skipped if a shell cannot do that
//	let NAME REGEXP  the name stands for a part of what the step before came to
//	with A=B, C=D    the whole conversation is for these names, and once more for those of each other such line
//	until STEP       the step is repeated until it comes to what is wanted
//
// Behind " => ", and on indented lines, stands what a step comes to: a reply is that, and all else has it in it; with
// "!" before it, it has not, and with "=" it is just that. In commands, and in what they come to, "|" is the end of a
// line, and {x*9} is x nine times. DIR is a directory, TCP0 to TCP3 are free addresses, UID is the user, and HASH:WORD
// the hash of a token.
type script struct {
	*process
	t       *testing.T
	names   []string // and what they stand for
	env     []string
	before  []*process
	clients map[string]*client
	ca      *securetest.Authority
	last    string // what a step came to
}

func TestConversations(t *testing.T) {
	t.Parallel()
	for _, path := range must.Get(filepath.Glob("testdata/*.txt")) {
		lines := strings.Split(string(must.Get(os.ReadFile(path))), "\n")
		with := slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return !strings.HasPrefix(l, "with ") })
		for _, names := range append(with, "with -=-")[:max(1, len(with))] {
			t.Run(strings.TrimSuffix(filepath.Base(path), ".txt"), func(t *testing.T) {
				t.Parallel()
				converse(t, path, lines, names)
			})
		}
	}
}

// converse runs a conversation from top to bottom.
func converse(t *testing.T, path string, lines []string, with string) {
	s := &script{process: &process{t: t, dir: shortDir(t)}, t: t, clients: map[string]*client{}}
	s.names = []string{"DIR", s.dir, "UID", strconv.Itoa(os.Getuid())}
	for pair := range strings.SplitSeq(strings.TrimPrefix(with, "with "), ", ") {
		name, value, _ := strings.Cut(pair, "=")
		s.names = append(s.names, name, value)
	}
	for i := range 4 {
		s.names = append(s.names, fmt.Sprint("TCP", i), freeAddress(t))
	}
	s.ca = securetest.NewAuthority(t, "authority")
	securetest.Write(t, s.dir, "ca", s.ca.PEM)
	for at := 0; at < len(lines); {
		step, begun := lines[at], at
		for at++; at < len(lines) && strings.HasPrefix(lines[at], "\t"); at++ {
		}
		if !remark.MatchString(step) && !s.step(step, lines[begun+1:at]) {
			t.Fatalf("%s:%d: %s\ncomes to %q\nthe server has said\n%s", path, begun+1, step, s.last, s.said())
		}
	}
}

var (
	remark   = regexp.MustCompile(`^(#|with |$)`)
	hashed   = regexp.MustCompile(`HASH:\w+`)
	repeated = regexp.MustCompile(`\{(.)\*(\d+)\}`)
)

// meant puts in what names stand for.
func (s *script) meant(text string) string {
	text = strings.NewReplacer(s.names...).Replace(text)
	text = hashed.ReplaceAllStringFunc(text, func(m string) string { return access.HashOf(m[5:]).String() })
	return repeated.ReplaceAllStringFunc(text, func(m string) string {
		of := repeated.FindStringSubmatch(m)
		return strings.Repeat(of[1], must.Get(strconv.Atoi(of[2])))
	})
}

// step does a step, and says whether it comes to what is wanted.
func (s *script) step(line string, more []string) bool {
	line, again := strings.CutPrefix(line, "until ")
	line, want, found := strings.Cut(s.meant(line), " => ")
	word, arg, _ := strings.Cut(line, " ")
	var wants []string
	if found {
		wants = []string{want}
	}
	for _, w := range more {
		wants = append(wants, s.meant(w[1:]))
	}
	do := verbs[word]
	if name, talks := strings.CutSuffix(word, ":"); talks {
		do = func(s *script, arg string) string { return s.talk(name, arg, wants) }
	}
	switch {
	case word == "file":
		must.Do(s.t, os.WriteFile(filepath.Join(s.dir, arg), []byte(strings.Join(append(wants, ""), "\n")), 0o600))
		return true
	case do == nil:
		s.t.Fatalf("%q is no step", word)
	}
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		s.last = lineEnds.Replace(do(s, arg))
		missed := slices.ContainsFunc(wants, func(w string) bool { return !fits(s.last, w) })
		if !missed || !again || time.Now().After(end) {
			return !missed
		}
	}
}

var lineEnds = strings.NewReplacer("\r\n", "|", "\n", "|")

// fits says whether a step came to what is wanted.
func fits(got, want string) bool {
	if not, ok := strings.CutPrefix(want, "!"); ok {
		return !strings.Contains(got, not)
	}
	exactly, ok := strings.CutPrefix(want, "=")
	return ok && got == exactly || !ok && strings.Contains(got, strings.TrimPrefix(want, "~"))
}

// talk has a client say something, and returns the reply, of which as many lines are read as are wanted.
func (s *script) talk(name, command string, wants []string) string {
	c := s.clients[name]
	if c == nil {
		c = s.client()
		s.clients[name] = c
	}
	word, rest, _ := strings.Cut(command, " ")
	if word == "gone" {
		return string(must.Get(io.ReadAll(c.r)))
	}
	word, document := strings.CutSuffix(word, "?")
	command = strings.ReplaceAll(strings.TrimSpace(word+" "+rest), "|", "\r\n")
	if document {
		line, body, behind := strings.Cut(command, "\r\n")
		body = strings.ReplaceAll(body, "\r\n", "\n")
		if line = strings.Replace(line, " #", fmt.Sprint(" ", len(body)), 1); behind {
			line += "\r\n"
		}
		c.send(line + body)
		return c.document()
	}
	if command != "" {
		c.send(command)
	}
	if len(wants) == 0 {
		return ""
	}
	if !strings.HasPrefix(wants[0], "~") {
		wants[0] = "=" + strings.TrimPrefix(wants[0], "=")
	}
	return c.lines(1 + strings.Count(wants[0], "|"))
}

// verbs are the steps, by their first words: what they do with what stands behind that, and come to.
var verbs = map[string]func(s *script, arg string) string{
	"cert":  (*script).certify,
	"env":   func(s *script, arg string) string { s.env = append(s.env, arg); return "" },
	"start": func(s *script, arg string) string { return s.begin(strings.Fields(arg)) },
	"launch": func(s *script, arg string) string {
		must.Do(s.t, s.prepared(strings.Fields(arg)).Start())
		return ""
	},
	"again": func(s *script, _ string) string { return s.begin(s.Args[1:]) },
	"fails": func(s *script, arg string) string {
		words := strings.Fields(arg)
		p := s.prepared(words[1:])
		must.Do(s.t, p.Start())
		p.ends(must.Get(strconv.Atoi(words[0])))
		return s.over().said()
	},
	"stop":   func(s *script, _ string) string { s.stop(); return s.over().said() },
	"kill":   func(s *script, _ string) string { s.kill(); return s.over().said() },
	"ends":   func(s *script, arg string) string { s.ends(must.Get(strconv.Atoi(arg))); return s.over().said() },
	"signal": func(s *script, arg string) string { s.signal(signalNamed[arg]); return "" },
	"hears":  func(s *script, arg string) string { s.hears(arg); return "" },
	"reload": func(s *script, _ string) string { return s.reads() },
	"said":   func(s *script, _ string) string { return s.said() },
	"dial":   (*script).connect,
	"need": func(s *script, arg string) string {
		if out, err := exec.Command("bash", "-c", arg).CombinedOutput(); err != nil {
			s.t.Skipf("%s: %v\n%s", arg, err, out)
		}
		return ""
	},
	"GET":  func(s *script, arg string) string { return s.request("GET", arg) },
	"POST": func(s *script, arg string) string { return s.request("POST", arg) },
	"sh":   (*script).shell,
	"let": func(s *script, arg string) string {
		name, pattern, _ := strings.Cut(arg, " ")
		found := regexp.MustCompile(pattern).FindStringSubmatch(s.last)
		if found == nil {
			s.t.Fatalf("there is no %s in %q", pattern, s.last)
		}
		s.names = append(s.names, name, found[1])
		return s.last
	},
}

var signalNamed = map[string]syscall.Signal{"TERM": syscall.SIGTERM, "INT": syscall.SIGINT, "PIPE": syscall.SIGPIPE,
	"XFSZ": syscall.SIGXFSZ, "USR1": syscall.SIGUSR1, "USR2": syscall.SIGUSR2, "HUP": syscall.SIGHUP}

// prepared makes the process that is meant from now on.
func (s *script) prepared(words []string) *process {
	s.before = append(s.before, s.process)
	s.process = prepareIn(s.t, s.dir, words...)
	s.Env = append(s.Env, s.env...)
	s.clients = map[string]*client{}
	return s.process
}

// begin starts it.
func (s *script) begin(words []string) string {
	s.prepared(words).start()
	s.names = append([]string{"PID", strconv.Itoa(s.Process.Pid)}, s.names...)
	return ""
}

// over has the process before this one be meant, if it is there, and returns the one that has ended.
func (s *script) over() (ended *process) {
	ended = s.process
	if last := len(s.before) - 1; s.before[last].Cmd != nil && s.before[last].ProcessState == nil {
		s.process, s.before = s.before[last], s.before[:last]
	}
	return ended
}

func (s *script) certify(arg string) string {
	name, lasts, _ := strings.Cut(arg, " ")
	pair := s.ca.Usual(name)
	if lasts != "" {
		pair = s.ca.Issue(name, time.Now().Add(must.Get(time.ParseDuration(lasts))))
	}
	securetest.Write(s.t, s.dir, name+".cert", pair.Cert)
	securetest.Write(s.t, s.dir, name+".key", pair.Key)
	return ""
}

// connect has a client connect.
func (s *script) connect(arg string) (shown string) {
	name, at, _ := strings.Cut(arg, " ")
	at, secure := strings.CutPrefix(at, "tls ")
	if !strings.Contains(at, ":") {
		at = filepath.Join(s.dir, at)
	}
	c := s.dial(at)
	if secure {
		over := tls.Client(c.Conn, s.ca.Trust())
		must.Do(s.t, over.Handshake())
		c.Conn, c.r = over, bufio.NewReader(over)
		shown = over.ConnectionState().PeerCertificates[0].Subject.CommonName
	}
	s.clients[name] = c
	return shown
}

// request asks for a page.
func (s *script) request(method, arg string) string {
	at, rest, _ := strings.Cut(arg, " ")
	token, body, _ := strings.Cut(rest, " ")
	at, path, _ := strings.Cut(at, "/")
	if token = strings.TrimPrefix(token, "-"); token != "" && token[0] != '=' {
		token = "Bearer " + token
	}
	token = strings.TrimPrefix(token, "=")
	if strings.Contains(at, ":") {
		status, page, by := request(s.t, s.ca.Trust(), at, method, "/"+path, token, body)
		return fmt.Sprintf("%s: HTTP %d %s", by, status, page)
	}
	status, page, _ := request(s.t, nil, filepath.Join(s.dir, at), method, "/"+path, token, body)
	return fmt.Sprintf("HTTP %d %s", status, page)
}

// shell runs a command.
func (s *script) shell(arg string) string {
	first, rest, _ := strings.Cut(arg, " ")
	code, err := strconv.Atoi(first)
	if err != nil {
		rest = arg
	}
	cmd := exec.Command("bash", "-c", rest)
	cmd.Dir = s.dir
	cmd.Env = append(os.Environ(), "PATH="+filepath.Dir(binary())+":"+os.Getenv("PATH"),
		"BEANFIELD_SERVER=unix:"+s.dir+"/s")
	out, _ := cmd.CombinedOutput()
	if got := cmd.ProcessState.ExitCode(); got != code {
		s.t.Errorf("%q ends with %d\n%s", rest, got, out)
	}
	return string(out)
}
