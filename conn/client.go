package conn

import (
	"cmp"
	"math/rand/v2"
	"net"
	"net/netip"
	"strconv"
	"sync/atomic"
	"syscall"
)

// Client is a client as administrators see it at a moment.
type Client struct {
	ID       uint64 // its own; that of another process is hardly ever the same
	Peer     Peer
	TLS      bool
	Identity string // who it is by its certificate; "" if unknown
	Since    int64  // when it came, in nanoseconds since 1970
	Asked    uint64 // how often something has been read from it
	Doing    Doing
	Held     int    // jobs that are reserved, or pending at a consumer
	Used     string // the tube that it puts jobs into
	Watching int    // tubes
	Watched  string // the first WatchedMost of them, with spaces in between
	Consumer string // of the queue service: queue, group and user
}

var newest atomic.Uint64

// Another process begins elsewhere: a page that shows this one's clients must not disconnect those of the next one. The
// page's numbers are exact below 2^53.
func init() { newest.Store(rand.Uint64N(1 << 52)) }

// NextID is the ID of a client that has just come.
func NextID() uint64 { return newest.Add(1) }

// WatchedMost is how many of the tubes that a client watches are named.
const WatchedMost = 8

// Doing is what a client's connection is in the middle of.
type Doing uint8

// What a connection may be in the middle of.
const (
	Idle      Doing = iota
	Shaking         // a TLS handshake
	Working         // something that it has asked is being done, or is still arriving
	Waiting         // it waits in a reserve
	Stuck           // it does not read its answers
	Consuming       // it is pushed items
)

func (d Doing) String() string {
	return [...]string{"idle", "handshake", "working", "waiting", "stuck", "consuming"}[d]
}

// Peer is the other end of a socket.
type Peer struct {
	Addr     netip.AddrPort
	PID      int32 // on a unix socket; 0 if the kernel tells only the user
	UID, GID uint32
	Unix     bool // false also if the kernel does not tell who it is
}

// PeerOf asks the kernel for the other end of a socket. It does not block.
func PeerOf(socket int) (p Peer) {
	sa, err := syscall.Getpeername(socket)
	if err != nil {
		return p
	}
	switch sa := sa.(type) {
	case *syscall.SockaddrInet4:
		p.Addr = netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *syscall.SockaddrInet6:
		p.Addr = netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	case *syscall.SockaddrUnix:
		p.askWho(socket)
	}
	return p
}

// PeerAt is the other end of a connection without TLS, or of the one below it.
func PeerAt(c net.Conn) (p Peer) {
	k, ok := c.(syscall.Conn)
	if !ok {
		return p
	}
	if raw, err := k.SyscallConn(); err == nil {
		raw.Control(func(fd uintptr) { p = PeerOf(int(fd)) })
	}
	return p
}

// Compare orders peers: by address, or by process.
func (p Peer) Compare(q Peer) int {
	return cmp.Or(p.Addr.Compare(q.Addr), cmp.Compare(p.PID, q.PID))
}

func (p Peer) String() string {
	switch {
	case p.Unix:
		return "unix, uid " + strconv.Itoa(int(p.UID)) + ", pid " + strconv.Itoa(int(p.PID))
	case p.Addr.IsValid():
		return p.Addr.String()
	}
	return "unknown"
}
