package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/storage/must"
)

// rule is one that holds for who shows a token.
func rule(token string, may access.Rights, tubes ...string) access.Rule {
	return access.Rule{Name: token, Tokens: []string{access.HashOf(token).String()}, May: may, Tubes: tubes}
}

func rules(t testing.TB, list ...access.Rule) *access.Policy {
	t.Helper()
	p := must.Get(access.New(append(list, rule("admin", access.Admin, "*"))))
	return p
}

// newRuled starts a server with rules, beside one that lets "admin" do everything.
func newRuled(t testing.TB, list ...access.Rule) (*house, *access.Current) {
	t.Helper()
	h, book := newBooked(t)
	book.Replace(rules(t, list...))
	return h, book
}

// newBooked starts a server that has no rules yet.
func newBooked(t testing.TB, set ...func(*houseOptions)) (*house, *access.Current) {
	t.Helper()
	book := new(access.Current)
	return newHouse(t, append(set, func(o *houseOptions) { o.Access = book })...), book
}

// newcomer is a client of a listener that lets clients log in.
func (h *house) newcomer() *client {
	h.t.Helper()
	return newClient(h.t, h.pairWith(h.server.Door(Door{Login: true})))
}

// as is a client that has logged in with a token.
func (h *house) as(token string) *client {
	h.t.Helper()
	c := h.newcomer()
	c.do("auth "+token, "OK 0\r\n")
	return c
}

// A list of very many tubes is sifted in pieces.
func TestManyTubesSeen(t *testing.T) {
	h, _ := newRuled(t, rule("some", access.Stats, "t*7"))
	admin := h.as("admin")
	const tubes = 3 * 512 * siftPiece
	for i := range tubes {
		admin.do(fmt.Sprintf("use t%d", i), fmt.Sprintf("USING t%d", i))
		admin.put(0, 0, 9, "x")
	}
	c := h.as("some")
	c.send("list-tubes\r\nlist-tube-used\r\n")
	c.send("")
	head := c.line()
	names := 0
	for l := c.bytes(4); string(l) != "\r\nUS"; l = append(l[1:], c.bytes(1)...) {
		if string(l) == "\n- t" {
			names++
		}
	}
	if want := tubes / 10; names != want && names != want+1 || !strings.HasPrefix(head, "OK ") {
		t.Errorf("%s: %d tubes are shown, want %d", head, names, want)
	}
	c.expect("ING default")
	if got := c.stat("stats", "current-tubes"); got != fmt.Sprint(names) {
		t.Errorf("stats counts %s tubes, %d are listed", got, names)
	}
}
