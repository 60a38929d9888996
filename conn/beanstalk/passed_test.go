package beanstalk

import (
	"log/slog"
	"net/netip"
	"strings"
	"testing"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/slow"
	"beanfield/storage/must"
)

// passed welcomes clients as those that another node has passed on.
type passed struct {
	conn.FrontEnd
	from conn.Peer
}

func (p passed) Welcome(fd int, _ *conn.Peer) { p.FrontEnd.Welcome(fd, &p.from) }

// A client that another node has passed on is judged and shown as who it is there: by rules for networks, in
// the list of clients, in the audit log, as slow, and as refused.
func TestClientThatWasPassedOn(t *testing.T) {
	var file must.Text
	events, log := audit.New(&file, slog.New(slog.DiscardHandler)), slow.New(1)
	h, book := newBooked(t, func(o *houseOptions) { o.Audit, o.Slow = events, log })
	from := conn.Peer{Addr: netip.MustParseAddrPort("10.1.2.3:456")}
	book.Replace(rules(t, access.Rule{Networks: []netip.Prefix{netip.MustParsePrefix("10.1.0.0/16")},
		May: access.Put | access.Stats | access.Kick, Tubes: []string{"*"}}))
	c := newClient(t, h.pairWith(passed{h.server, from}))
	c.do("put 0 0 60 1\r\nx", "INSERTED 1")
	c.do("peek-ready", "NOT_FOUND")
	stranger := newClient(t, h.pairWith(passed{h.server, conn.Peer{Addr: netip.MustParseAddrPort("10.2.0.1:1")}}))
	stranger.do("delete 1", "NOT_FOUND")
	stranger.close()
	eventually(t, "the stranger has left", func() bool { return len(h.clients()) == 1 })
	if all := h.clients(); all[0].Peer != from {
		t.Errorf("the list of clients has %+v", all)
	}
	if k := told(t, log, "put"); k.Client != from.String() {
		t.Errorf("slow: %+v", k)
	}
	if r := log.Refused(); len(r) != 2 || r[1].Client != from.String() {
		t.Errorf("refused: %+v", r)
	}
	c.close()
	h.close()
	must.Do(t, events.Close(t.Context()))
	if got := file.String(); strings.Count(got, `"from":"10.1.2.3:456"`) != 1 ||
		strings.Count(got, `"from":"10.2.0.1:1"`) != 1 {
		t.Errorf("the audit log has\n%s", got)
	}
}
