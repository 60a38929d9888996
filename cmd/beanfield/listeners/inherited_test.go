package listeners

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/storage/must"
)

// inheritVar makes the test binary play another process.
const inheritVar = "BEANFIELD_TEST_INHERIT"

func TestMain(m *testing.M) {
	if os.Getenv(inheritVar) != "" {
		playInherit()
		return
	}
	os.Exit(m.Run())
}

// playInherit takes the sockets that were passed to the test binary, as the server would, and prints
// what it got. This needs a process of its own, which alone knows its LISTEN_PID.
func playInherit() {
	if os.Getenv("LISTEN_PID") == "self" {
		os.Setenv("LISTEN_PID", fmt.Sprint(os.Getpid()))
	}
	ls, err := inheritedListeners()
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		if _, set := os.LookupEnv(name); set {
			fmt.Println("still set:", name)
		}
	}
	if err != nil {
		fmt.Println("code", exit.Code(err), "error", err)
	}
	for _, l := range ls {
		fmt.Println(l.Addr().Network(), l.Addr(), optionsOf(l))
	}
}

// optionsOf lists which options accepted sockets will inherit.
func optionsOf(l net.Listener) (set []string) {
	raw, err := l.(syscall.Conn).SyscallConn()
	if err != nil {
		return []string{err.Error()}
	}
	raw.Control(func(fd uintptr) {
		if v, _ := syscall.GetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_KEEPALIVE); v != 0 {
			set = append(set, "keepalive")
		}
		if v, _ := syscall.GetsockoptInt(int(fd), syscall.IPPROTO_TCP, syscall.TCP_NODELAY); v != 0 {
			set = append(set, "nodelay")
		}
	})
	return set
}

// inheritIn runs that role with files from descriptor 3 on.
func inheritIn(t *testing.T, pid, fds string, files ...*os.File) string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), inheritVar+"=yes", "LISTEN_PID="+pid, "LISTEN_FDS="+fds, "LISTEN_FDNAMES=a:b")
	cmd.ExtraFiles = files
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

type filer interface{ File() (*os.File, error) }

func fileOf(t *testing.T, s filer) *os.File {
	t.Helper()
	f := must.Get(s.File())
	t.Cleanup(func() { f.Close() })
	return f
}

// Sockets that are accepted from a listener of systemd have the options of our own.
func TestInheritedOptions(t *testing.T) {
	tcp, unix := must.Get(net.Listen("tcp4", "127.0.0.1:0")),
		must.Get(net.Listen("unix", filepath.Join(t.TempDir(), "s")))
	defer CloseAll([]net.Listener{tcp, unix})
	got := inheritIn(t, "self", "2", fileOf(t, tcp.(filer)), fileOf(t, unix.(filer)))
	if want := fmt.Sprintf("tcp %v [keepalive nodelay]\nunix %v []", tcp.Addr(), unix.Addr()); got != want {
		t.Errorf("inherited\n%s\nwant\n%s", got, want)
	}
}

func TestInheritNothing(t *testing.T) {
	for _, c := range []struct{ pid, fds string }{
		{"", ""}, {"self", ""}, {"", "1"}, {"self", "0"}, {fmt.Sprint(os.Getpid()), "1"},
	} {
		if got := inheritIn(t, c.pid, c.fds); got != "" {
			t.Errorf("LISTEN_PID=%s LISTEN_FDS=%s: %s", c.pid, c.fds, got)
		}
	}
}

func TestInheritMistakes(t *testing.T) {
	udp := must.Get(net.ListenPacket("udp4", "127.0.0.1:0"))
	defer udp.Close()
	l := must.Get(net.Listen("tcp4", "127.0.0.1:0"))
	defer l.Close()
	client := must.Get(net.Dial("tcp4", l.Addr().String()))
	defer client.Close()
	plain := must.Get(os.Open(os.DevNull))
	defer plain.Close()
	const notListening = "not a listening TCP or unix stream socket"
	for _, c := range []struct {
		name, pid, fds string
		files          []*os.File
		want           string
	}{
		{"UDP", "self", "1", []*os.File{fileOf(t, udp.(filer))}, "code 111 error inherited file descriptor 3: " +
			notListening},
		{"connected", "self", "1", []*os.File{fileOf(t, client.(filer))},
			"code 111 error inherited file descriptor 3: " + notListening},
		{"second is a file", "self", "2", []*os.File{fileOf(t, l.(filer)), plain},
			"code 111 error inherited file descriptor 4: getsockopt: socket operation on non-socket"},
		{"no number", "self", "two", nil, "LISTEN_FDS=two: not numbers"},
		{"negative", "self", "-1", nil, "LISTEN_FDS=-1: not numbers"},
	} {
		if got := inheritIn(t, c.pid, c.fds, c.files...); !strings.HasPrefix(got, "code 111 ") ||
			!strings.HasSuffix(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
