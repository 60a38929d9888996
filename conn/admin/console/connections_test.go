package console

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
)

// crowd is a front end with clients of which some hold jobs, wait, or consume.
func crowd(n int) FrontEnd {
	began := time.Now().Add(-time.Hour).UnixNano()
	return FrontEnd{Name: "crowd", Clients: func(_ context.Context, held map[any]int) (list []conn.Client, ok bool) {
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
		return list, true
	}}
}

// A page of the table is filtered, sorted and bounded, however many clients there are.
func TestConnections(t *testing.T) {
	b := newBench(t, func(o *Options) { o.FrontEnds = []FrontEnd{crowd(1000)} })
	for query, want := range map[string]string{
		// those who hold most, of them those who asked most
		"n=3":                     "10.0.2.214:1000 10.0.3.249:1005 10.0.1.34:1004",
		"n=3&sort=age&desc=1":     "10.0.0.0:1000 10.0.0.1:1001 10.0.0.2:1002",
		"n=2&sort=peer&from=998":  "10.0.3.248:1004 10.0.3.249:1005",
		"n=2&sort=peer&from=2000": "",
		"sort=peer&filter=10.0.0.24*": "10.0.0.24:1003 10.0.0.240:1002 10.0.0.241:1003 10.0.0.242:1004 " +
			"10.0.0.243:1005 10.0.0.244:1006 10.0.0.245:1000 10.0.0.246:1001 10.0.0.247:1002 10.0.0.248:1003 10.0.0.249:1004",
		"n=1&sort=peer&filter=INTO-7":          "10.0.0.7:1000",
		"n=1&sort=peer&filter=from-8":          "10.0.0.8:1001",
		"n=1&sort=doing&desc=1&filter=nobody":  "",
		"n=2&sort=asked":                       "10.0.0.0:1000 10.0.0.143:1003",
		"n=1&sort=watching&desc=1&filter=crow": "10.0.3.107:1003",
	} {
		a := shown[connectionsAnswer](b, "connections?"+query)
		var peers []string
		for _, c := range a.Connections {
			peers = append(peers, c.Peer)
		}
		if is := strings.Join(peers, " "); is != want || a.All != 1000 {
			t.Errorf("%q shows %q of %d, want %q", query, is, a.All, want)
		}
	}
	a := shown[connectionsAnswer](b, "connections?n=1")
	if a.Found != 1000 || a.Held != 2000 || a.Waiting != 250 || a.Connections[0].FrontEnd != "crowd" ||
		a.Connections[0].Age < 1 {
		t.Errorf("the clients are shown as %+v", a)
	}
	if w := a.Connections[0].Watched; len(w) != 2 || w[0] != "from-4" || w[1] != "default" {
		t.Errorf("a client watches %q", w)
	}
	for _, query := range []string{"sort=odd", "n=201", "from=-1"} {
		b.get(400, "connections?"+query)
	}
}

// A client is disconnected by its ID, and is not listed any more. The audit log is told who it was, or that nobody was
// there.
func TestDisconnect(t *testing.T) {
	list, _ := crowd(3).Clients(t.Context(), nil)
	front := FrontEnd{
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
	b := newBench(t, func(o *Options) {
		o.FrontEnds = []FrontEnd{front}
	})
	ids := func() (all string) {
		for _, c := range shown[connectionsAnswer](b, "connections?sort=peer").Connections {
			all += fmt.Sprint(c.ID)
		}
		return all
	}
	if is := ids(); is != "123" {
		t.Errorf("the clients have the IDs %s", is)
	}
	b.post(200, "disconnect", fields{"id": 2})
	b.post(404, "disconnect", fields{"id": 2})
	b.post(404, "disconnect", fields{})
	if is := ids(); is != "13" {
		t.Errorf("after one has been disconnected there are %s", is)
	}
	if told := b.told; len(told) != 3 ||
		told[0] != (Event{What: "disconnect", Changes: "connection 2: crowd 10.0.0.1:1001"}) ||
		told[1] != (Event{What: "disconnect", Changes: "connection 2: not there"}) {
		t.Errorf("the audit log is told %+v", told)
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

// BenchmarkConnections is a page of 100,000 connections, from a list that is there.
func BenchmarkConnections(b *testing.B) {
	all, _ := crowd(100_000).Clients(b.Context(), nil)
	list := make([]connected, len(all))
	for i := range all {
		list[i] = connected{all[i], "crowd"}
	}
	for b.Loop() {
		if a := pageOf(list, time.Now(), table{by: "held", desc: true, n: 50}); len(a.Connections) != 50 {
			b.Fatal(len(a.Connections))
		}
	}
}
