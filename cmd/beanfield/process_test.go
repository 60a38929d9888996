package main

import (
	"bufio"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/cmd/beanfield/config"
	"beanfield/storage/must"
)

const patience = must.Patience

// process is the program under test. It tells its start and its end through the
// notification socket of systemd, so no test has to wait blindly.
type process struct {
	*exec.Cmd
	t      testing.TB
	dir    string // for its sockets; short, as paths of sockets must be
	heard  *net.UnixConn
	stderr *os.File
}

// shortDir is a directory for sockets, whose paths must be short.
func shortDir(t testing.TB) string {
	t.Helper()
	dir := must.Get(os.MkdirTemp("", "bf"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	must.Do(t, os.Chmod(dir, 0o755))
	return dir
}

// prepare makes a process that is not started yet, with the given arguments, and a directory that DIR in them stands
// for.
func prepare(t testing.TB, words ...string) *process {
	t.Helper()
	dir := shortDir(t)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "DIR", dir)
	}
	return prepareIn(t, dir, words...)
}

// prepareIn is prepare in a directory that is there.
func prepareIn(t testing.TB, dir string, words ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(binary(), words...), t: t, dir: dir}
	p.SysProcAttr = mortal()
	if os.Geteuid() == 0 {
		p.SysProcAttr.Credential = &syscall.Credential{Groups: []uint32{0, 7, 8}} // which -u is to take away
	}
	p.stderr = must.Get(os.CreateTemp(dir, "stderr"))
	t.Cleanup(func() { p.stderr.Close() })
	p.Stderr = p.stderr
	name := p.stderr.Name() + "-notify"
	p.heard = must.Get(net.ListenUnixgram("unixgram", &net.UnixAddr{Name: name, Net: "unixgram"}))
	t.Cleanup(func() { p.heard.Close() })
	must.Do(t, os.Chmod(name, 0o777))
	p.Env = append(os.Environ(), "NOTIFY_SOCKET="+name)
	return p
}

// start starts it and returns when it has said that it is ready.
func (p *process) start() *process {
	p.t.Helper()
	must.Do(p.t, p.Start())
	p.t.Cleanup(func() {
		if p.ProcessState == nil {
			p.Process.Kill()
			p.Wait()
		}
	})
	p.hears("READY=1")
	return p
}

// client is one at that socket.
func (p *process) client() *client { return p.dial(p.dir + "/s") }

func (p *process) hears(want string) {
	p.t.Helper()
	p.heard.SetReadDeadline(time.Now().Add(patience))
	b := make([]byte, 100)
	n, err := p.heard.Read(b)
	if string(b[:n]) != want {
		p.t.Fatalf("heard %q, %v; want %q; it says\n%s", b[:n], err, want, p.said())
	}
}

// said is what the process has written to stderr so far.
func (p *process) said() string {
	return string(must.Get(os.ReadFile(p.stderr.Name())))
}

// addresses are those on which it listens by its log, which needs -V.
func (p *process) addresses() (found []string) {
	for _, m := range regexp.MustCompile(`msg=listening network=\w+ address=(\S+)`).FindAllStringSubmatch(p.said(),
		-1) {
		found = append(found, strings.Trim(m[1], `"`))
	}
	return found
}

func (p *process) signal(s syscall.Signal) {
	p.t.Helper()
	must.Do(p.t, p.Process.Signal(s))
}

// ends waits for the end and checks its code.
func (p *process) ends(code int) {
	p.t.Helper()
	timer := time.AfterFunc(patience, func() { p.Process.Kill() })
	defer timer.Stop()
	p.Wait()
	if got := p.ProcessState.ExitCode(); got != code {
		p.t.Errorf("ended with %v, want %d; it says\n%s", p.ProcessState, code, p.said())
	}
}

// client is a connection that sends and receives lines.
type client struct {
	net.Conn
	t testing.TB
	r *bufio.Reader
}

func (p *process) dial(addr string) *client {
	p.t.Helper()
	network := "tcp"
	if strings.HasPrefix(addr, "/") {
		network = "unix"
	}
	c, err := net.DialTimeout(network, addr, patience)
	if err != nil {
		p.t.Fatalf("%v; it says\n%s", err, p.said())
	}
	p.t.Cleanup(func() { c.Close() })
	c.SetDeadline(time.Now().Add(patience))
	return &client{c, p.t, bufio.NewReader(c)}
}

func (c *client) send(command string) {
	c.t.Helper()
	must.Get(io.WriteString(c, command+"\r\n"))
}

// ask sends a command and returns the first line of its reply.
func (c *client) ask(command string) string {
	c.t.Helper()
	c.send(command)
	return c.lines(1)
}

// expect wants a reply, of as many lines as want has.
func (c *client) expect(command, want string) {
	c.t.Helper()
	c.send(command)
	got := c.lines(1 + strings.Count(want, "\r\n"))
	if got != want {
		c.t.Errorf("%q is answered %q, want %q", command, got, want)
	}
}

// lines reads so many lines.
func (c *client) lines(n int) (all string) {
	c.t.Helper()
	for range n {
		line, _ := c.r.ReadString('\n') // an error leaves it short
		all += line
	}
	return strings.TrimSuffix(all, "\r\n")
}

// document reads a line, and what stands behind it if that says how long it is.
func (c *client) document() string {
	c.t.Helper()
	line := c.lines(1)
	_, size, _ := strings.Cut(line, " ")
	n, err := strconv.Atoi(size)
	if err != nil {
		return line
	}
	body := make([]byte, n+2)
	must.Get(io.ReadFull(c.r, body))
	return line + "\r\n" + string(body)
}

// stats returns the keys and values of a reply of any of the stats commands, as they are written.
func (c *client) stats(command string) map[string]string {
	c.t.Helper()
	c.send(command)
	found := map[string]string{}
	for line := range strings.Lines(c.document()) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), ": "); ok {
			found[key] = value
		}
	}
	return found
}

// until asks for stats until key has the value want, or fails at the deadline of the
// connection.
func (c *client) until(key, want string) {
	c.t.Helper()
	for c.stats("stats")[key] != want {
	}
}

// gone checks that the server sent rest and closed the connection.
func (c *client) gone(rest string) {
	c.t.Helper()
	got, err := io.ReadAll(c.r)
	if string(got) != rest || err != nil {
		c.t.Errorf("before its end the connection got %q, %v; want %q", got, err, rest)
	}
}

// Some of these tests wait for clocks: others run meanwhile.
func TestMain(m *testing.M) {
	flag.Set("test.parallel", strconv.Itoa(3+runtime.GOMAXPROCS(0)))
	code := m.Run()
	os.RemoveAll(builtIn)
	os.Exit(code)
}

// release is the version that the linker sets in what the tests build, as for a release.
const release = "9.8.7"

// builtIn is where the program was built, if a test needed it.
var builtIn string

// binary is the program itself, built once.
var binary = sync.OnceValue(func() string {
	builtIn = must.Get(os.MkdirTemp("", "beanfield"))
	path := filepath.Join(builtIn, "beanfield")
	if out, err := exec.Command("go", "build", "-ldflags", "-s -w -X main.version="+release, "-o", path,
		".").CombinedOutput(); err != nil {
		panic(fmt.Sprintf("%v\n%s", err, out))
	}
	if err := os.Chmod(builtIn, 0o755); err != nil { // for tests that become another user
		panic(err)
	}
	return path
})

// fileWith is a configuration file with this text.
func fileWith(t testing.TB, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "beanfield.toml")
	must.Do(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

// configOf is the configuration of the words of a command line and of a file.
func configOf(t testing.TB, args, text string) *config.Config {
	t.Helper()
	return must.Get(config.Load(must.Get(config.ParseFlags(append(strings.Fields(args), "-config",
		fileWith(t, text))))))
}

// reads sends SIGHUP, and returns when the process has told systemd that it is ready again:
// what it has said meanwhile.
func (p *process) reads() string {
	p.t.Helper()
	before := len(p.said())
	p.signal(syscall.SIGHUP)
	b := make([]byte, 100)
	n, err := p.heard.Read(b)
	if !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]{3,}$`).Match(b[:n]) {
		p.t.Fatalf("heard %q, %v", b[:n], err)
	}
	p.hears("READY=1")
	return p.said()[before:]
}

// configured is a process with a file that a test can replace.
func configured(t *testing.T, text string, args ...string) (p *process, write func(text string)) {
	t.Helper()
	p = prepare(t, append(args, "-config", "DIR/c.toml")...)
	write = func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte(strings.ReplaceAll(text, "DIR", p.dir)), 0o600))
	}
	write(text)
	return p.start(), write
}

// has checks which words are in what a process says.
func has(t testing.TB, said string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q:\n%s", w, said)
		}
	}
}

// dataDir makes an empty data directory in a directory of its own, where its backups
// go too.
func dataDir(t testing.TB) string {
	t.Helper()
	return mustMkdir(t, filepath.Join(t.TempDir(), "data"))
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
