package forward

import (
	"context"
	"errors"
	"net"
	"sync"
	"syscall"
	"time"

	"beanfield/conn/socket"
)

// origin is where clients that wait at a link have come in: at an entrance of another node.
type origin struct {
	node string
	Entrance
}

// holds are the clients that wait at a link, by origin.
type holds struct {
	mu    sync.Mutex
	all   map[origin]*turns
	count int // of all origins
}

// turns are taken by the clients of one origin, as they have come. The one whose turn it is waits for room (FW10).
type turns struct {
	now   chan struct{} // has a token: that one
	count int
}

// mostHeld is how many clients may wait at a link. When so many do, an origin of which none waits may have one all the
// same, so that no entrance of a node keeps out others.
const mostHeld = 256

var errShort = errors.New("the node that serves lacks descriptors")

// join has one more wait, or returns nil if too many do.
func (s *holds) join(at origin) *turns {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.all[at]
	if t == nil {
		t = &turns{now: make(chan struct{}, 1)}
		s.all[at] = t
	} else if s.count >= mostHeld {
		return nil
	}
	t.count++
	s.count++
	return t
}

// leave ends that.
func (s *holds) leave(at origin) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count--
	t := s.all[at]
	if t.count--; t.count == 0 {
		delete(s.all, at)
	}
}

// waits says whether somebody of an origin waits.
func (s *holds) waits(at origin) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.all[at] != nil
}

// serve gives a client to the host: at once, or when there is a host and room, and the others of its origin have had
// their turns.
func (k *Link) serve(v *visitor) error {
	at, err := origin{v.r.node, v.r.entrance}, ErrNotServing
	if !k.holds.waits(at) {
		err = k.take(v, nil)
	}
	if err != ErrNotServing {
		return err
	}
	t := k.holds.join(at)
	if t == nil {
		return err
	}
	defer k.holds.leave(at)
	if err := k.say(v.w, err, v.nl, &v.r.nonce); err != nil {
		return err
	}
	v.c.SetDeadline(time.Time{})
	defer func() { v.c.SetDeadline(time.Now().Add(shakeFor)) }()
	ctx, cancel := context.WithCancel(k.life)
	defer cancel()
	defer watch(v.c, cancel)()
	select {
	case t.now <- struct{}{}:
		defer func() { <-t.now }()
	case <-ctx.Done():
		return ErrNotServing
	}
	return k.await(ctx, v)
}

// await gives a client whose turn it is to the host, when there is one and it has room. ctx ends when the other node
// has gone.
func (k *Link) await(ctx context.Context, v *visitor) error {
	for {
		done, cancel := context.WithCancel(ctx)
		k.mu.RLock()
		stop := context.AfterFunc(k.term, cancel)
		k.mu.RUnlock()
		err := k.take(v, done.Done())
		if err == ErrNotServing {
			<-done.Done()
		}
		stop()
		cancel()
		if ctx.Err() != nil || err != ErrNotServing {
			return err
		}
	}
}

// watch calls gone if the other side of a connection closes it, or says something, before stop is called.
func watch(c net.Conn, gone func()) (stop func()) {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		raw, err := c.(syscall.Conn).SyscallConn()
		if err == nil {
			err = raw.Read(func(fd uintptr) bool {
				_, err := socket.Peek(int(fd), make([]byte, 1))
				return err != syscall.EAGAIN && err != syscall.EINTR
			})
		}
		if err == nil {
			gone()
		}
	}()
	return func() {
		c.SetReadDeadline(time.Unix(1, 0))
		<-ended
	}
}
