package queueservice

import (
	"net/http"
	"slices"
	"testing"

	"beanfield/conn"
	"beanfield/conn/httpfront/httpfronttest"
	"beanfield/shard/queue"
	"beanfield/storage/must"
)

// Each client is told of: consumers by name and with what is pending at them.
func TestClients(t *testing.T) {
	h := newHouse(t, nil)
	quiet, asking, w, streams := h.Dial(), h.Dial(), h.watch("", ""), h.Dial()
	asking.Send(httpfronttest.Request("GET", "/api/predict/s?_attrs_=true", who, ""))
	asking.Response("GET")
	streams.Send(httpfronttest.Request("GET", "/api/predict/s?_watch_=true&_window_=3", who, ""))
	must.Get(http.ReadResponse(streams.In, nil))
	stream := h.await(t, queue.AskWatch, 2).Ask
	name := stream.Queue + " " + stream.Group + "." + stream.User
	want := map[string]conn.Client{
		quiet.LocalAddr().String():   {},
		asking.LocalAddr().String():  {Asked: 1},
		w.LocalAddr().String():       {Asked: 1, Doing: conn.Consuming, Held: 5, Consumer: name},
		streams.LocalAddr().String(): {Asked: 1, Doing: conn.Consuming, Held: 7, Consumer: name},
	}
	held := map[any]int{any(w.box): 5, any(stream.Receiver): 7}
	var list []conn.Client
	must.Until(t, "no request is under way", func() bool { // net/http tells of the end of a request a little late
		list = h.server.Clients(held)
		return !slices.ContainsFunc(list, func(g conn.Client) bool { return g.Doing == conn.Working })
	})
	if len(list) != len(want) {
		t.Errorf("%d clients are told of", len(list))
	}
	for _, g := range list {
		e := want[g.Peer.String()]
		e.ID, e.Peer, e.Since, e.TLS = g.ID, g.Peer, g.Since, h.Trust != nil
		if g != e {
			t.Errorf("%s is told of as %+v, want %+v", g.Peer, g, e)
		}
		if was, ok := h.server.Disconnect(g.ID); !ok || was.Peer != g.Peer {
			t.Errorf("%s is disconnected: %v, %v", g.Peer, was, ok)
		}
	}
	must.Until(t, "all have left", func() bool {
		connections, consumers := h.server.Open()
		return connections+consumers == 0
	})
	if g, ok := h.server.Disconnect(list[0].ID); ok {
		t.Errorf("%v is disconnected twice", g)
	}
}
