package listeners

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/storage/must"
)

func listenOn(t *testing.T, l config.Listen) (net.Listener, string) {
	t.Helper()
	var logged bytes.Buffer
	ls := must.Get(listenAll(context.Background(), []config.Listen{l}, slog.New(slog.NewTextHandler(&logged, nil))))
	t.Cleanup(func() { ls[0].Close() })
	return ls[0], logged.String()
}

// Sockets accepted with a bare system call have these options.
func TestAcceptedSocketsInheritOptions(t *testing.T) {
	l, _ := listenOn(t, config.Listen{Address: config.Address{Host: "127.0.0.1"}})
	if got, want := acceptedOptions(t, l), [2]bool{true, true}; got != want {
		t.Errorf("TCP_NODELAY, SO_KEEPALIVE of an accepted socket: %v", got)
	}
}

// acceptedOptions are TCP_NODELAY and SO_KEEPALIVE of a socket that l accepts,
// without package net, which would set them itself.
func acceptedOptions(t *testing.T, l net.Listener) (set [2]bool) {
	t.Helper()
	f := must.Get(l.(*net.TCPListener).File())
	defer f.Close()
	client := must.Get(net.Dial("tcp", l.Addr().String()))
	defer client.Close()
	fd := int(f.Fd()) // Fd makes it blocking
	must.Do(t, syscall.SetNonblock(fd, false))
	conn, _, err := syscall.Accept(fd)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(conn)
	for i, o := range [][2]int{{syscall.IPPROTO_TCP, syscall.TCP_NODELAY}, {syscall.SOL_SOCKET, syscall.SO_KEEPALIVE}} {
		v := must.Get(syscall.GetsockoptInt(conn, o[0], o[1]))
		set[i] = v != 0
	}
	return set
}

func TestPlaces(t *testing.T) {
	for host, want := range map[string][]place{
		"":                 {{"tcp4", "0.0.0.0"}, {"tcp", "::"}},
		"0.0.0.0":          {{"tcp4", "0.0.0.0"}},
		"::":               {{"tcp", "::"}},
		"::1":              {{"tcp6", "::1"}},
		"::ffff:127.0.0.1": {{"tcp4", "127.0.0.1"}},
		"fe80::1%lo":       {{"tcp6", "fe80::1%lo"}},
	} {
		got, err := places(context.Background(), config.Address{Host: host})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %v, %v; want %v", host, got, err, want)
		}
	}
}

// The default is every IPv4 address, not every address.
func TestWildcardFamily(t *testing.T) {
	l, _ := listenOn(t, config.Listen{Address: config.Address{Host: ""}})
	if host, _, _ := net.SplitHostPort(l.Addr().String()); host != "0.0.0.0" {
		t.Errorf("the default is %s", l.Addr())
	}
}

func TestHostName(t *testing.T) {
	l, _ := listenOn(t, config.Listen{Address: config.Address{Host: "localhost"}})
	if !l.Addr().(*net.TCPAddr).IP.IsLoopback() {
		t.Errorf("localhost is %s", l.Addr())
	}
}

// 192.0.2.1 is reserved for documentation, so no machine has it.
func TestListenFirst(t *testing.T) {
	absent := place{"tcp4", "192.0.2.1"}
	l := must.Get(listenFirst(context.Background(), []place{absent, {"tcp4", "127.0.0.1"}}, 0))
	defer l.Close()
	if !strings.HasPrefix(l.Addr().String(), "127.0.0.1:") {
		t.Errorf("listens on %s", l.Addr())
	}
	if _, err := listenFirst(context.Background(), []place{absent, absent}, 0); err == nil ||
		err.Error() != "cannot assign requested address" {
		t.Errorf("two places that fail for one reason: %v", err)
	}
	other := place{"tcp6", "127.0.0.1"}
	if _, err := listenFirst(context.Background(), []place{absent, other}, 0); err == nil ||
		strings.Count(err.Error(), "; ") != 1 {
		t.Errorf("two places that fail for two reasons: %v", err)
	}
}

// If one address cannot be bound, none stays bound.
func TestListenAllOrNone(t *testing.T) {
	taken, _ := listenOn(t, config.Listen{Address: config.Address{Host: "127.0.0.1"}})
	path := filepath.Join(t.TempDir(), "s")
	_, err := listenAll(context.Background(), []config.Listen{
		{Address: config.Address{Path: path}},
		{Address: config.Address{Host: "127.0.0.1", Port: taken.Addr().(*net.TCPAddr).Port}},
	}, slog.New(slog.DiscardHandler))
	if err == nil || exit.Code(err) != exit.Listen || !strings.Contains(err.Error(), taken.Addr().String()) {
		t.Fatalf("error %v, code %d", err, exit.Code(err))
	}
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		t.Error("the unix socket still listens")
	}
}

func TestUnixModes(t *testing.T) {
	old := syscall.Umask(0o027)
	defer syscall.Umask(old)
	for mode, want := range map[fs.FileMode]fs.FileMode{0: 0o750, 0o600: 0o600, 0o660: 0o660, 0o777: 0o777} {
		path := filepath.Join(t.TempDir(), "s")
		listenOn(t, config.Listen{Address: config.Address{Path: path}, Permissions: config.Permissions{Mode: mode}})
		info := must.Get(os.Stat(path))
		if got := info.Mode(); got != want|fs.ModeSocket {
			t.Errorf("mode %o makes %v, want %o", mode, got, want)
		}
	}
	if got := syscall.Umask(0o027); got != 0o027 {
		t.Errorf("the umask became %o", got)
	}
}

func TestUnixReplacesSocketOnly(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s")
	l, logged := listenOn(t, config.Listen{Address: config.Address{Path: path}})
	if logged != "" {
		t.Errorf("logged %q", logged)
	}
	l.Close()
	if info, err := os.Lstat(path); err != nil || info.Mode().Type() != fs.ModeSocket {
		t.Fatalf("closing took the socket away: %v", err)
	}
	_, logged = listenOn(t, config.Listen{Address: config.Address{Path: path}})
	if !strings.Contains(logged, "removing existing local socket to replace it") || !strings.Contains(logged, path) {
		t.Errorf("logged %q", logged)
	}

	file := filepath.Join(t.TempDir(), "data")
	must.Do(t, os.WriteFile(file, []byte("precious"), 0o600))
	_, err := listenAll(context.Background(), []config.Listen{{Address: config.Address{Path: file}}},
		slog.New(slog.DiscardHandler))
	if err == nil || exit.Code(err) != exit.Listen || !strings.Contains(err.Error(), "another file already exists") {
		t.Errorf("over a file: %v, code %d", err, exit.Code(err))
	}
	if b, err := os.ReadFile(file); string(b) != "precious" || err != nil {
		t.Errorf("the file is now %q, %v", b, err)
	}
}

// A path that begins with @ is a file like any other.
func TestUnixPathWithAt(t *testing.T) {
	t.Chdir(t.TempDir())
	listenOn(t, config.Listen{Address: config.Address{Path: "@s"}})
	if _, err := os.Lstat("@s"); err != nil {
		t.Error(err)
	}
}
