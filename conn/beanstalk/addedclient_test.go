package beanstalk

import (
	"slices"
	"testing"
	"time"

	peer "beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

// dialled is a client as programs have it.
func (h *house) dialled() *peer.Client {
	h.t.Helper()
	h.connect("tcp").close() // now there is an address
	c := must.Get(peer.Dial(peer.Options{Server: h.tcp, Timeout: time.Minute}))
	h.t.Cleanup(func() { c.HangUp() })
	return c
}

// The client has a function for each command that capabilities lists.
func TestAddedCommandsOfClient(t *testing.T) {
	h := newHouse(t)
	c := h.dialled()
	defer c.Close()
	var want []string
	for _, v := range verbs {
		if row := &commands[v]; row.added && !row.login && row.name != "capabilities" {
			want = append(want, commands[v].name)
		}
	}
	if got := must.Get(c.Capabilities()); !slices.Equal(got, want) {
		t.Errorf("capabilities are %v, want %v", got, want)
	}
	if id := must.Get(c.PutInTube("mail", 1, 0, 9, []byte("hello"))); id != 1 {
		t.Errorf("put as job %d", id)
	}
	must.Get(c.Ask("watch mail"))
	must.Get(c.PutInTube("mail", 0, 0, 9, nil))
	jobs := must.Get(c.ReserveBatch(9, 0))
	if len(jobs) != 2 || jobs[0].Number != 2 || jobs[1].Number != 1 || string(jobs[1].Body) != "hello" {
		t.Errorf("reserved are %+v", jobs)
	}
	if more := must.Get(c.ReserveBatch(9, 0)); more != nil {
		t.Errorf("also reserved are %+v", more)
	}
	must.Get(c.Ask("release 1 0 0"))
	if n := must.Get(c.Truncate("mail")); n != 1 {
		t.Errorf("%d jobs were truncated", n)
	}
	if _, err := c.Truncate("none"); err != (peer.Refused{Word: "NOT_FOUND", Command: "truncate none",
		Used: "default"}) {
		t.Errorf("truncate of no tube: %v", err)
	}
	if _, err := c.PutInTube("-mail", 1, 0, 9, nil); err == nil {
		t.Error("a wrong name is taken")
	}
}
