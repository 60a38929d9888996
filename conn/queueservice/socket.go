package queueservice

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"beanfield/conn/httpfront"
	"beanfield/conn/secure"
	sockets "beanfield/conn/socket"
)

// socket is a client's connection, whoever has it now: net/http or a consumer.
type socket struct {
	*httpfront.Client
	now     *atomic.Pointer[Options] // the server's
	renewed time.Time                // when the write deadline was last set; whoever writes owns it
}

// listener makes sockets of the front's clients.
type listener struct {
	*httpfront.Front
	now *atomic.Pointer[Options]
}

// Accept implements net.Listener.
func (l listener) Accept() (net.Conn, error) {
	c, err := l.Front.Accept()
	if err != nil {
		return nil, err
	}
	return &socket{Client: c.(*httpfront.Client), now: l.now}, nil
}

// hungUp says whether the client is known to have closed the connection. A client that
// closes only its own direction has hung up too, as for net/http.
func (k *socket) hungUp() (gone bool) {
	below := secure.Under(k.Conn)
	c, ok := below.(syscall.Conn)
	if !ok {
		return false
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return true
	}
	var one [1]byte
	err = raw.Control(func(fd uintptr) {
		n, _, err := syscall.Recvfrom(int(fd), one[:], syscall.MSG_PEEK|syscall.MSG_DONTWAIT)
		gone = n == 0 && err == nil || err == syscall.ECONNRESET
		if n > 0 && below != k.Conn {
			gone = sockets.Ended(int(fd)) // what is left to read may be TLS's farewell
		}
	})
	return gone || err != nil
}

// writePart is how much must be written within one WriteTimeout.
const writePart = 1 << 20

// Write fails if the client takes nothing for the time that the options say. The
// deadline is set again only when a quarter of that time has passed: to set it for each
// short write would cost too much.
func (k *socket) Write(b []byte) (int, error) {
	done := 0
	for {
		timeout := k.now.Load().WriteTimeout
		if now := time.Now(); now.Sub(k.renewed) > timeout/4 {
			if err := k.Conn.SetWriteDeadline(now.Add(timeout)); err != nil {
				return done, err
			}
			k.renewed = now
		}
		n, err := k.Conn.Write(b[done:min(len(b), done+writePart)])
		done += n
		if err != nil || done == len(b) {
			return done, err
		}
	}
}

// SetDeadline is called by net/http and package ws when they hand a connection on.
// Write then sets a deadline of its own again.
func (k *socket) SetDeadline(t time.Time) error {
	k.renewed = time.Time{}
	return k.Conn.SetDeadline(t)
}

// watchOver lets the kernel find out when the peer is dead, on a connection on which the
// server cannot send a ping.
func (k *socket) watchOver() {
	tcp, ok := secure.Under(k.Conn).(*net.TCPConn)
	if !ok {
		return
	}
	after := k.now.Load().DeadAfter
	tcp.SetKeepAliveConfig(net.KeepAliveConfig{Enable: true, Idle: max(after/2, time.Second), Interval: max(after/8,
		time.Second), Count: 4})
}
