package console

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"testing"
	"time"

	"beanfield/conn"
)

// crowd is a front end with clients of which some hold jobs, wait, or consume.
func crowd(n int) FrontEnd {
	began := time.Now().Add(-time.Hour).UnixNano()
	var list []conn.Client
	for i := range n {
		g := conn.Client{
			ID: uint64(i + 1), Since: began + int64(i)*1e9,
			Peer: conn.Peer{Addr: netip.AddrPortFrom(
				netip.AddrFrom4([4]byte{10, 0, byte(i / 250), byte(i % 250)}), uint16(1000+i%7))},
			Asked: uint64(i * 7 % n), Used: fmt.Sprint("into-", i%10), Watching: i % 3,
			Watched: fmt.Sprint("default from-", i%10), Held: i % 5,
		}
		if i%4 == 0 {
			g.Doing = conn.Waiting
		}
		list = append(list, g)
	}
	return FrontEnd{
		Name:    "crowd",
		Clients: func(context.Context, map[any]int) ([]conn.Client, bool) { return slices.Clone(list), true },
		Disconnect: func(_ context.Context, id uint64) (g conn.Client, ok bool) {
			if i := slices.IndexFunc(list, func(g conn.Client) bool { return g.ID == id }); i >= 0 {
				g, ok = list[i], true
				list = slices.Delete(list, i, i+1)
			}
			return g, ok
		},
	}
}

// A front end that does not answer in time makes the page say so.
func TestConnectionsOfABusyFrontEnd(t *testing.T) {
	b := newBench(t, func(o *Options) {
		o.FrontEnds = []FrontEnd{{Name: "busy", Clients: func(context.Context, map[any]int) ([]conn.Client, bool) {
			return nil, false
		}}}
	})
	b.get(503, "connections")
}
