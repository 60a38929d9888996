package listeners

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"strconv"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure"
)

// Open takes the sockets that systemd passed, or binds if there are none. It
// always binds those of the queue service and of the HTTP side.
func Open(ctx context.Context, c *config.Config, log *slog.Logger) (ls []net.Listener, inherited bool, err error) {
	if ls, err = inheritedListeners(); err != nil {
		return nil, false, err
	}
	if inherited = len(ls) > 0; inherited {
		for _, o := range c.IgnoredWhenInherited() {
			log.Warn("inherited listen fd; ignoring option: " + o)
		}
		if ls, err = secureInherited(c, ls); err != nil {
			return nil, true, err
		}
	} else if ls, err = listenAll(ctx, c.Listen, log); err != nil {
		return nil, false, err
	}
	for _, more := range []struct {
		front string
		addrs []config.Address
		perms config.Permissions
		certs *secure.Certificates
	}{{Queue, c.Queue.Listen, c.Queue.Permissions, c.Queue.TLS.Certs}, {Admin, c.HTTP.Listen, c.HTTP.Permissions,
		c.HTTP.TLS.Certs}} {
		open, err := For(ctx, more.front, more.addrs, more.perms, more.certs, log)
		if err != nil {
			CloseAll(ls)
			return nil, inherited, err
		}
		ls = append(ls, open...)
	}
	for _, l := range ls {
		logOpen(log, l)
	}
	return ls, inherited, nil
}

// logOpen says that a listener has been opened.
func logOpen(log *slog.Logger, l net.Listener) {
	log.Info("listening", "network", l.Addr().Network(), "address", l.Addr().String(), "face", FrontOf(l), "tls",
		CertsOf(l) != nil)
}

// firstInheritedFD is where systemd's sockets begin, after the standard three.
const firstInheritedFD = 3

// inheritedListeners are all sockets that systemd opened for this process. It
// unsets the variables that announce them, so that no child takes them for its own.
func inheritedListeners() ([]net.Listener, error) {
	pid, count := os.Getenv("LISTEN_PID"), os.Getenv("LISTEN_FDS")
	for _, name := range []string{"LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"} {
		os.Unsetenv(name)
	}
	if pid == "" || count == "" {
		return nil, nil
	}
	for _, s := range []string{pid, count} {
		if n, err := strconv.Atoi(s); err != nil || n < 0 || n > 1<<30 {
			return nil, exit.With(exit.Listen, fmt.Errorf("LISTEN_PID=%s LISTEN_FDS=%s: not numbers", pid, count))
		}
	}
	if pid != strconv.Itoa(os.Getpid()) {
		return nil, nil // meant for the parent process
	}
	n, _ := strconv.Atoi(count)
	var open []net.Listener
	for fd := firstInheritedFD; fd < firstInheritedFD+n; fd++ {
		l, err := inherit(fd)
		if err != nil {
			CloseAll(open)
			return nil, exit.With(exit.Listen, fmt.Errorf("inherited file descriptor %d: %w", fd, err))
		}
		open = append(open, l)
	}
	return open, nil
}

// secureInherited gives the sockets that systemd passed what [[listen]] asks for: TLS, login, HTTP.
// They have no order that could be relied on, so this is clear only if all addresses ask
// for the same, or if there is one of each.
func secureInherited(c *config.Config, ls []net.Listener) ([]net.Listener, error) {
	secured := slices.ContainsFunc(c.Listen, func(l config.Listen) bool { return !plain(&l) })
	switch {
	case !secured:
		return ls, nil
	case len(c.Listen) > 1 || len(ls) > 1:
		CloseAll(ls)
		return nil, exit.With(exit.Listen,
			errors.New("[[listen]] asks for TLS, login or HTTP, and it is not clear for which of the inherited "+
				"sockets: "+
				"pass one socket and have one [[listen]]"))
	}
	return []net.Listener{wrapped(&c.Listen[0], ls[0])}, nil
}
