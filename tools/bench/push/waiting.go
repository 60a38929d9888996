package push

import (
	"fmt"
	"io"
	"syscall"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
	"beanfield/tools/bench/talk"
)

// A slowly reads byte by byte, and so nothing beyond what is awaited.
type slowly struct{ socket.Blocking }

func (s slowly) Read(b []byte) (int, error) { return s.Blocking.Read(b[:1]) }

// headPiece is more than any line of a head has.
const headPiece = 512

// dial connects to the queue service. The socket blocks.
func dial(addr string) (int, *talk.Visitor, error) {
	fd, err := socket.Dial(addr)
	return fd, talk.NewVisitor(slowly{socket.Blocking{FD: fd}}, headPiece), err
}

// watch makes a connection a consumer. The socket still blocks.
func watch(addr string, user, window int) (int, error) {
	how := "_auto_commit_=true"
	if window > 0 {
		how = fmt.Sprintf("_window_=%d", window)
	}
	fd, c, err := dial(addr)
	if err != nil {
		return -1, err
	}
	if err := c.Fetch(talk.WatchRequest(tube, how, name(user), group), "HTTP/1.1 101 "); err != nil {
		syscall.Close(fd)
		return -1, err
	}
	return fd, nil
}

func name(user int) string { return fmt.Sprintf("u%d", user) }

// OpenConsumers opens consumers of one queue that are pushed nothing.
func OpenConsumers(t generator.Target, n int) ([]int, error) {
	var fds []int
	for i := range n {
		fd, err := watch(t.Queue, i, 100)
		if err != nil {
			return fds, fmt.Errorf("consumer %d: %w", i, err)
		}
		fds = append(fds, fd)
	}
	return fds, nil
}

// OpenGets opens gets that each wait for a request id of their own on one queue. The last
// one gets its item, which shows that the server has come to all of them.
func OpenGets(t generator.Target, n int) ([]int, error) {
	var fds []int
	var last *talk.Visitor
	for i := range n + 1 {
		fd, c, err := dial(t.Queue)
		if err != nil {
			return fds, fmt.Errorf("get %d: %w", i, err)
		}
		fds, last = append(fds, fd), c
		request := talk.Request("GET", tube+"/sink", fmt.Sprintf("requestId=r%d&_timeout_=300s", i), name(i), group)
		if _, err := io.WriteString(c, request+"Content-Length: 0\r\n\r\n"); err != nil {
			return fds, fmt.Errorf("get %d: %w", i, err)
		}
	}
	fd, c, err := dial(t.Queue)
	if err != nil {
		return fds, err
	}
	defer socket.CloseAll([]int{fd})
	item := talk.Request("POST", tube+"/sink", fmt.Sprintf("requestId=r%d", n), name(n), group) + "Content-Length: 4\r\n\r\nitem"
	if err := c.Fetch(item, "HTTP/1.1 200 "); err != nil {
		return fds, err
	}
	return fds, last.Head("HTTP/1.1 200 ")
}
