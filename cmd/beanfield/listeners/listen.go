package listeners

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure"
)

// listenAll binds every address, or none.
func listenAll(ctx context.Context, addrs []config.Listen, log *slog.Logger) ([]net.Listener, error) {
	var open []net.Listener
	for _, l := range addrs {
		bound, err := bind(ctx, l, log)
		if err != nil {
			CloseAll(open)
			return nil, exit.With(exit.Listen, fmt.Errorf("cannot listen on %s: %w", l.Address, err))
		}
		open = append(open, wrapped(&l, bound))
	}
	return open, nil
}

// For binds every address of a front end, or none.
func For(ctx context.Context, front string, addrs []config.Address, perms config.Permissions,
	certs *secure.Certificates, log *slog.Logger) ([]net.Listener, error) {
	var ls []config.Listen
	for _, a := range addrs {
		ls = append(ls, config.Listen{Address: a, Permissions: perms})
	}
	open, err := listenAll(ctx, ls, log)
	for i, l := range open {
		open[i] = Special{Listener: l, Front: front, Certs: certs}
	}
	return open, err
}

// wrapped says how the clients of a listener are served.
func wrapped(l *config.Listen, bound net.Listener) net.Listener {
	if plain(l) {
		return bound
	}
	return Special{bound, Beanstalk, l.TLS.Certs, l.Login, l.HTTP}
}

// plain says that the clients of an address need nothing but the beanstalk protocol.
func plain(l *config.Listen) bool { return l.TLS.Certs == nil && !l.Login && !l.HTTP }

func CloseAll(ls []net.Listener) {
	for _, l := range ls {
		l.Close() // it has accepted nobody yet, so nothing can be lost
	}
}

func bind(ctx context.Context, l config.Listen, log *slog.Logger) (net.Listener, error) {
	if l.Address.Path != "" {
		return listenUnix(ctx, l.Address.Path, l.Permissions, log)
	}
	places, err := places(ctx, l.Address)
	if err != nil {
		return nil, err
	}
	return listenFirst(ctx, places, l.Address.Port)
}

// listenFirst binds the first place that can be bound. If none can, its error gives
// each reason once: every place of a port that is taken fails for the same one.
func listenFirst(ctx context.Context, places []place, port int) (net.Listener, error) {
	var reasons []string
	for _, p := range places {
		bound, err := listenTCP(ctx, p, port)
		if err == nil {
			return bound, nil
		}
		if r := reason(err); !slices.Contains(reasons, r) {
			reasons = append(reasons, r)
		}
	}
	return nil, errors.New(strings.Join(reasons, "; "))
}

// reason is what the system said, without the address, which net repeats.
func reason(err error) string {
	var number syscall.Errno
	if errors.As(err, &number) {
		return number.Error()
	}
	return err.Error()
}

// place is one IP address that a host may stand for. The network is given too,
// because "tcp" with 0.0.0.0 means both families to package net.
type place struct{ network, host string }

// places lists what to try, in order; the first that can be bound is used. No
// host at all means every IPv4 address, or every IPv6 address if there is no IPv4.
func places(ctx context.Context, a config.Address) ([]place, error) {
	if a.Host == "" {
		return []place{{"tcp4", "0.0.0.0"}, {"tcp", "::"}}, nil
	}
	if ip, err := netip.ParseAddr(a.Host); err == nil {
		return []place{placeOf(ip)}, nil
	}
	ips, err := net.DefaultResolver.LookupNetIP(ctx, "ip", a.Host)
	if err != nil {
		return nil, err
	}
	var places []place
	for _, ip := range ips {
		places = append(places, placeOf(ip))
	}
	return places, nil
}

func placeOf(ip netip.Addr) place {
	ip = ip.Unmap()
	switch {
	case ip.Is4():
		return place{"tcp4", ip.String()}
	case ip == netip.IPv6Unspecified():
		return place{"tcp", "::"} // both families, as the kernel's own default is
	}
	return place{"tcp6", ip.String()}
}

func listenTCP(ctx context.Context, p place, port int) (net.Listener, error) {
	lc := net.ListenConfig{
		Control: func(_, _ string, c syscall.RawConn) error {
			var err error
			if e := c.Control(func(fd uintptr) { err = setTCPOptions(int(fd)) }); e != nil {
				return e
			}
			return err
		},
	}
	// Multipath TCP is net's default and would only cost here: its sockets
	// answer plain TCP through another layer.
	lc.SetMultipathTCP(false)
	return lc.Listen(ctx, p.network, net.JoinHostPort(p.host, strconv.Itoa(port)))
}

// setTCPOptions sets options on a listening socket that every accepted one
// inherits, so that accepting needs no further system calls.
func setTCPOptions(fd int) error {
	for _, o := range []struct{ level, name int }{
		{syscall.SOL_SOCKET, syscall.SO_REUSEADDR},
		{syscall.SOL_SOCKET, syscall.SO_KEEPALIVE},
		{syscall.IPPROTO_TCP, syscall.TCP_NODELAY},
	} {
		if err := syscall.SetsockoptInt(fd, o.level, o.name, 1); err != nil {
			return os.NewSyscallError("setsockopt", err)
		}
	}
	return nil
}

// listenUnix makes a socket in the file system. It replaces a socket that a dead
// server left there; a file that is not a socket may be somebody's data and stays. As
// with beanstalkd the socket stays when the process ends, so that an old process
// that ends late never removes its successor's.
func listenUnix(ctx context.Context, path string, perms config.Permissions, log *slog.Logger) (net.Listener, error) {
	switch info, err := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return nil, err
	case info.Mode().Type() != fs.ModeSocket:
		return nil, errors.New("another file already exists in the given path")
	default:
		log.Warn("removing existing local socket to replace it", "path", path)
		if err := os.Remove(path); err != nil {
			return nil, err
		}
	}
	if path[0] == '@' {
		path = "./" + path // or net would take it for a name outside the file system
	}
	usual := syscall.Umask(0o777) // nothing else makes files while the process starts
	syscall.Umask(umask(perms, usual))
	l, err := new(net.ListenConfig).Listen(ctx, "unix", path)
	syscall.Umask(usual)
	if err != nil {
		return nil, err
	}
	if err := giveToGroup(perms, path, usual); err != nil {
		l.Close() // which removes the socket
		return nil, err
	}
	l.(*net.UnixListener).SetUnlinkOnClose(false)
	return l, nil
}
