package stalls

import (
	"fmt"
	"syscall"

	"beanfield/tools/bench/generator"
	"beanfield/tools/bench/socket"
)

// A staff is the workers that wait for jobs of the disturbed tube, each on a connection.
type staff struct {
	addr    string
	epfd    int
	workers []*wire
}

// hireAll opens the connections.
func (s *staff) hireAll(n int) error {
	var err error
	if s.epfd, err = syscall.EpollCreate1(syscall.EPOLL_CLOEXEC); err != nil {
		return fmt.Errorf("epoll: %w", err)
	}
	s.workers = s.workers[:0]
	for i := range n {
		if err := s.hire(i); err != nil {
			return fmt.Errorf("worker %d: %w", i, err)
		}
	}
	return nil
}

// hire opens the connection of a worker.
func (s *staff) hire(i int) error {
	fd, err := socket.Dial(s.addr)
	if err != nil {
		return err
	}
	s.workers = append(s.workers, &wire{fd: fd})
	if err := generator.MoveTo(fd, disturbedTube); err != nil {
		return err
	}
	if err := syscall.SetNonblock(fd, true); err != nil {
		return err
	}
	ev := syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(i)}
	return syscall.EpollCtl(s.epfd, syscall.EPOLL_CTL_ADD, fd, &ev)
}

// wait has every worker wait for a job.
func (s *staff) wait() error {
	for _, w := range s.workers {
		if err := w.send("reserve"); err != nil {
			return err
		}
	}
	return nil
}

// dismiss has the workers' jobs given back.
func (s *staff) dismiss() {
	closeAll(s.workers)
	if s.epfd > 0 {
		syscall.Close(s.epfd)
		s.epfd = 0
	}
}
