package admin

import (
	"testing"

	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/storage/must"
)

const patience = must.Patience

// house is a server on a socket of its own.
type house struct {
	*httpfronttest.House
	server *Server
}

// newHouse starts a server. When the test ends, nothing of it may be left.
func newHouse(t testing.TB, o Options) *house {
	t.Helper()
	return openHouse(t, false, o)
}

// opened starts a server that shows figures and an echo.
func opened(t testing.TB, o Options) *house {
	t.Helper()
	h := newHouse(t, o)
	h.server.Open(Pages{Metrics: figures, Console: echo})
	return h
}

func openHouse(t testing.TB, secured bool, o Options) *house {
	t.Helper()
	h := built(t, o)
	h.Open(h.server, secured)
	return h
}

// anywhere starts a server whose listener says that it is not on a loopback address.
func anywhere(t testing.TB, o Options) *house {
	t.Helper()
	h := built(t, o)
	h.Open(httpfronttest.Anywhere{FrontEnd: h.server}, false)
	return h
}

func built(t testing.TB, o Options) *house {
	t.Helper()
	h := &house{House: httpfronttest.New(t)}
	h.server = must.Get(NewServer(h.Acceptor, o))
	return h
}
