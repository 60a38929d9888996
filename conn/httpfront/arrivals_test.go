package httpfront

import (
	"errors"
	"net"
	"testing"
	"testing/synctest"
)

// Accept waits until somebody comes, in their order. After Close those who have come are
// still accepted, and nobody else comes.
func TestArrivals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := newArrivals()
		first, _ := net.Pipe()
		second, _ := net.Pipe()
		accepted := make(chan net.Conn)
		go func() {
			for {
				c, err := a.Accept()
				if err != nil {
					if !errors.Is(err, net.ErrClosed) {
						t.Error(err)
					}
					close(accepted)
					return
				}
				accepted <- c
			}
		}()
		synctest.Wait()
		if !a.add(first) || !a.add(second) {
			t.Error("an open listener takes nobody")
		}
		a.Close()
		if a.add(first) {
			t.Error("a closed listener takes somebody")
		}
		for _, want := range []net.Conn{first, second} {
			if got := <-accepted; got != want {
				t.Errorf("accepted %v, want %v", got, want)
			}
		}
		if _, more := <-accepted; more {
			t.Error("accepted a third")
		}
	})
}
