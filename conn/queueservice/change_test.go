package queueservice

import (
	"net/http"
	"testing"

	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"

	"github.com/gobwas/ws"
)

// The operations of a consumer that came before a change have the new limits, so that it does
// not bring the old ones back. Its reports keep to the limit of its watch.
func TestConsumerAfterChange(t *testing.T) {
	h := newHouse(t, nil)
	c := h.watch("", "")
	limits := *someLimits
	limits.MaxIdle, limits.MaxUnsent = 7, 2<<20
	o := options()
	o.LimitsFor = func(string) *policy.Limits { return &limits }
	apply := must.Get(h.server.Change(o))
	if h.server.now.Load().LimitsFor("s") != someLimits {
		t.Error("the limits have changed before anything has been applied")
	}
	apply()
	c.Send(masked(ws.OpClose, ""))
	c.closes(1000)
	if op := h.await(t, queue.AskLeave, 1); op.Ask.Limits != &limits {
		t.Errorf("it leaves with %+v", op.Ask.Limits)
	}
	o.Tokens = []string{"new"}
	must.Get(h.server.Change(o))()
	late := h.start("GET", "/api/predict/s?_watch_=true", handshakeText, "")
	if status, _ := late.handshaken(); status != http.StatusUnauthorized {
		t.Errorf("a client without the new token is answered %d", status)
	}
	o.DeadAfter = -1
	if _, err := h.server.Change(o); err == nil {
		t.Error("a wrong option is taken")
	}
}
