package queueservice

import (
	"runtime"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/hall"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// A client that loses its right after it was let in, and before it is a consumer, does not become
// one: nobody would end its watch.
func TestRightLostBeforeUpgrade(t *testing.T) {
	book := &access.Book{}
	book.Replace(rules(t, "reserve"))
	h := newHouse(t, nil, func(o *Options) { o.Authenticator = hall.Authenticator{Book: book} })
	// The limits are asked for when the client has been let in, once they have changed since the
	// request came.
	later := options()
	later.Authenticator.Book = book
	later.LimitsFor = func(string) *queue.Limits {
		book.Replace(rules(t, "peek"))
		return someLimits
	}
	change := must.Get(h.server.Change(later))
	early := options()
	early.Authenticator.Book = book
	early.LimitsFor = func(string) *queue.Limits {
		change()
		return someLimits
	}
	begin := must.Get(h.server.Change(early))
	begin()
	c := h.start("GET", base+"?_watch_=true", auth("reserve")+handshakeText, "")
	c.Expect(403)
	if n := h.times(queue.AskWatch); n != 0 {
		t.Errorf("%d watches are asked for", n)
	}
	if _, n := h.server.Open(); n != 0 {
		t.Errorf("%d consumers are left", n)
	}
}

// A buffer that has grown beyond the usual is not used again.
func TestHugeBuffersAreLetGo(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1)) // what is put into the pool is what comes out next
	for range 50 {
		w := writer{box: &outbox{}}
		b := make([]byte, 0, mostBuffer+1)
		w.buffer = &b
		w.rest()
		if w.buffer != nil {
			t.Fatal("the writer still has the buffer")
		}
		if next := buffers.Get().(*[]byte); cap(*next) > mostBuffer {
			t.Fatalf("a buffer of %d bytes is used again", cap(*next))
		}
	}
}
