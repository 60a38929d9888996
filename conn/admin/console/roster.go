package console

import (
	"context"
	"sync"
	"time"

	"beanfield/conn"
	"beanfield/router"
)

// FrontEnd is a way of serving clients. Clients lists them with what they hold, by the owner of a
// session or the receiver of a consumer. It reports false if it cannot do so before ctx ends.
// Disconnect closes the connection of the client with this ID, or reports false if there is none.
type FrontEnd struct {
	Name       string
	Clients    func(ctx context.Context, held map[any]int) ([]conn.Client, bool)
	Disconnect func(ctx context.Context, id uint64) (conn.Client, bool)
}

// rosterAge is how old the list of the clients may be. All pages share it.
const rosterAge = time.Second

// rosterKept is how long a list is kept that nobody asks for.
const rosterKept = 10 * time.Second

// roster has all clients, as of a moment. It is made only when somebody looks.
type roster struct {
	router *router.Router
	fronts []FrontEnd

	turn   sync.Mutex // makes a list
	mu     sync.Mutex
	now    []connected // never changed after it has been made
	at     time.Time
	forget *time.Timer
}

// connected is a client of a front end.
type connected struct {
	conn.Client
	front string
}

// take returns a list that is younger than rosterAge.
func (r *roster) take(ctx context.Context) ([]connected, time.Time, error) {
	if list, at, ok := r.fresh(); ok {
		return list, at, nil
	}
	r.turn.Lock()
	defer r.turn.Unlock()
	if list, at, ok := r.fresh(); ok {
		return list, at, nil
	}
	held := map[any]int{}
	for i := range r.router.Shards() {
		if !r.router.Holders(ctx, i, held) {
			return nil, time.Time{}, busy
		}
	}
	var all []connected
	for _, f := range r.fronts {
		list, ok := f.Clients(ctx, held)
		if !ok {
			return nil, time.Time{}, busy
		}
		for i := range list {
			all = append(all, connected{list[i], f.Name})
		}
	}
	return r.adopt(all)
}

// outdate has the next that asks get a new list.
func (r *roster) outdate() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.at = time.Time{}
}

func (r *roster) fresh() ([]connected, time.Time, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.now, r.at, time.Since(r.at) < rosterAge
}

// adopt makes a list the latest, and has it forgotten when nobody has asked for a while.
func (r *roster) adopt(all []connected) ([]connected, time.Time, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now, r.at = all, time.Now()
	if r.forget == nil {
		r.forget = time.AfterFunc(rosterKept, func() {
			r.mu.Lock()
			defer r.mu.Unlock()
			r.now, r.at = nil, time.Time{}
		})
	}
	r.forget.Reset(rosterKept)
	return r.now, r.at, nil
}
