package config

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os/user"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

const (
	defaultPort = "11300"
	unixPrefix  = "unix:"
	maxUnixPath = len(syscall.RawSockaddrUnix{}.Path) - 1 // what fits into sockaddr_un with its final NUL
)

// Address is a place to listen on: a path for a unix socket, or a host and a
// port. An empty host is every address of the machine.
type Address struct {
	Host string // IP address or name
	Port int
	Path string
}

// String is the form that the configuration file uses.
func (a Address) String() string {
	if a.Path != "" {
		return unixPrefix + a.Path
	}
	return net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
}

// anyPort says whether the kernel picks the port: then two equal addresses differ.
func (a Address) anyPort() bool { return a.Path == "" && a.Port == 0 }

// parseAddress reads the form of the configuration file.
func parseAddress(s string) (Address, error) {
	if path, ok := strings.CutPrefix(s, unixPrefix); ok {
		return unixAddress(path)
	}
	host, port, err := net.SplitHostPort(s)
	if err != nil {
		var ae *net.AddrError
		if errors.As(err, &ae) {
			return Address{}, errors.New(ae.Err)
		}
		return Address{}, err
	}
	return tcpAddress(host, port)
}

// parseAddresses reads a list of addresses with commas between them, as flags have it.
func parseAddresses(s string) (list []Address, err error) {
	for one := range strings.SplitSeq(s, ",") {
		a, err := parseAddress(one)
		if err != nil {
			return nil, err
		}
		if !a.anyPort() && slices.Contains(list, a) {
			return nil, fmt.Errorf("%s comes twice", a)
		}
		list = append(list, a)
	}
	return list, nil
}

// flagAddress reads what -l and -p say; either may be absent.
func flagAddress(addr, port *string) (Address, error) {
	p := defaultPort
	if port != nil {
		p = *port
	}
	if addr == nil {
		return tcpAddress("", p)
	}
	if path, ok := strings.CutPrefix(*addr, unixPrefix); ok {
		return unixAddress(path)
	}
	if *addr == "" {
		return Address{}, errors.New("empty address")
	}
	return tcpAddress(*addr, p)
}

func unixAddress(path string) (Address, error) {
	switch {
	case path == "":
		return Address{}, errors.New("the path of the socket is missing")
	case strings.ContainsRune(path, 0):
		return Address{}, errors.New("a path cannot contain NUL")
	case len(path) > maxUnixPath:
		return Address{}, fmt.Errorf("the path has %d bytes, a socket's can have %d", len(path), maxUnixPath)
	}
	return Address{Path: path}, nil
}

func tcpAddress(host, port string) (Address, error) {
	p, err := parsePort(port)
	if err != nil {
		return Address{}, err
	}
	if _, err := netip.ParseAddr(host); err != nil && host != "" && !isHostName(host) {
		return Address{}, fmt.Errorf("%q is neither an IP address nor a host name", host)
	}
	return Address{Host: host, Port: p}, nil
}

// parsePort takes a number or the name of a service. Names are looked up here, so
// that a wrong one is reported as a mistake in the configuration.
func parsePort(s string) (int, error) {
	if s == "" || s[0] == '+' || s[0] == '-' {
		return 0, fmt.Errorf("%q is not a port", s)
	}
	if n, err := strconv.Atoi(s); err == nil {
		if n > 65535 {
			return 0, fmt.Errorf("port %d is above 65535", n)
		}
		return n, nil
	}
	n, err := net.LookupPort("tcp", s)
	if err != nil {
		return 0, fmt.Errorf("%q is neither a port number nor the name of a service", s)
	}
	return n, nil
}

// isHostName says whether a name could be looked up. Whether it exists is found out
// when it is bound.
func isHostName(s string) bool {
	for _, c := range s {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '-', c == '.', c == '_':
		default:
			return false
		}
	}
	return strings.Trim(s, "0123456789.") != "" // not a name but a mistyped IP address
}

// Permissions are those of unix sockets: anyone who may write to one may connect.
type Permissions struct {
	Mode  fs.FileMode // 0 leaves it to the umask
	Group Group
}

// Group is a group of this machine; none if it has no name.
type Group struct {
	Name string // or number, as the configuration has it
	GID  int
}

// asGroup looks a group up now, before anything is bound.
func asGroup(name string) (Group, error) {
	if name == "" {
		return Group{}, nil
	}
	if runtime.GOOS != "linux" {
		return Group{}, errors.New("a socket can be given to a group on Linux only")
	}
	number := name
	if strings.Trim(name, "0123456789") != "" {
		g, err := user.LookupGroup(name)
		var unknown user.UnknownGroupError
		if errors.As(err, &unknown) {
			return Group{}, errors.New("no such group")
		}
		if err != nil {
			return Group{}, err
		}
		number = g.Gid
	}
	gid, err := strconv.ParseUint(number, 10, 31)
	if err != nil {
		return Group{}, errors.New("not the number of a group")
	}
	return Group{name, int(gid)}, nil
}
