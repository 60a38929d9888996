package admin

import (
	"context"
	"net/http"
	"sync"
)

// shown are the pages that clients see at a time, and who uses them.
type shown struct {
	Pages
	ctx  context.Context // of all their requests
	stop context.CancelFunc

	mu    sync.Mutex
	users int
	ended chan struct{} // closed when nobody uses them, and nobody ever will; nil until Withdraw
}

// Open lets clients see these pages from now on. Those before are not waited for.
func (s *Server) Open(p Pages) {
	if old := s.pages.Swap(s.show(p)); old != nil {
		old.stop()
	}
}

func (s *Server) show(p Pages) *shown {
	p2 := &shown{Pages: p}
	p2.ctx, p2.stop = context.WithCancel(s.ctx)
	return p2
}

// Withdraw takes the pages away that clients see, ends the requests for them that last, and returns
// when none is under way (AD3), or with an error when ctx ends. From its beginning clients see next;
// nil is for what they saw before Open.
func (s *Server) Withdraw(ctx context.Context, next *Pages) error {
	var then *shown
	if next != nil {
		then = s.show(*next)
	}
	old := s.pages.Swap(then)
	if old == nil {
		return nil
	}
	old.stop()
	old.mu.Lock()
	old.ended = make(chan struct{})
	if old.users == 0 {
		close(old.ended)
	}
	old.mu.Unlock()
	select {
	case <-old.ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// enter begins a use of the pages, unless they have been withdrawn.
func (p *shown) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return false
	}
	p.users++
	return true
}

func (p *shown) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.users--; p.users == 0 && p.ended != nil {
		close(p.ended)
	}
}

// serve has a page answer, with a context that ends when the pages are withdrawn.
func (p *shown) serve(page http.Handler, w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(p.ctx, cancel)()
	page.ServeHTTP(w, r.WithContext(ctx))
}
