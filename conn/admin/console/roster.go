package console

import (
	"context"
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

// roster has all clients, as of a moment.
type roster struct {
	router *router.Router
	fronts []FrontEnd
	kept[[]connected]
}

// connected is a client of a front end.
type connected struct {
	conn.Client
	front string
}

// take returns a list that is younger than rosterAge.
func (r *roster) take(ctx context.Context) ([]connected, time.Time, error) {
	list, at, err := r.kept.take(func(*[]connected) (*[]connected, error) { return r.fresh(ctx) })
	if err != nil {
		return nil, at, err
	}
	return *list, at, nil
}

func (r *roster) fresh(ctx context.Context) (*[]connected, error) {
	held := map[any]int{}
	for i := range r.router.Shards() {
		if !r.router.Holders(ctx, i, held) {
			return nil, busy
		}
	}
	all := new([]connected)
	for _, f := range r.fronts {
		list, ok := f.Clients(ctx, held)
		if !ok {
			return nil, busy
		}
		for i := range list {
			*all = append(*all, connected{list[i], f.Name})
		}
	}
	return all, nil
}
