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
func newRuled(t testing.TB, list ...access.Rule) (*house, *access.Book) {
	t.Helper()
	h, book := newBooked(t)
	book.Replace(rules(t, list...))
	return h, book
}

// newBooked starts a server that has no rules yet.
func newBooked(t testing.TB, set ...func(*houseOptions)) (*house, *access.Book) {
	t.Helper()
	book := new(access.Book)
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

// stocked puts a job of each state into a tube, and returns their ids: ready, delayed,
// buried, reserved by the client that is returned.
func (h *house) stocked(tube string) (ids [4]uint64, holder *client) {
	h.t.Helper()
	holder = h.as("admin")
	holder.do("use "+tube, "USING "+tube)
	holder.do("watch "+tube, "WATCHING 2")
	ids[3] = holder.put(1, 0, 1000, "reserved")
	holder.do("reserve", fmt.Sprintf("RESERVED %d 8\r\nreserved", ids[3]))
	ids[2] = holder.put(1, 0, 1000, "buried")
	holder.do("reserve", fmt.Sprintf("RESERVED %d 6\r\nburied", ids[2]))
	holder.do(fmt.Sprintf("bury %d 1", ids[2]), "BURIED")
	ids[0] = holder.put(1, 0, 1000, "ready")
	ids[1] = holder.put(1, 1000, 1000, "delayed")
	return ids, holder
}

// A right lets its commands through, and no others.
func TestEachRight(t *testing.T) {
	commands := []struct {
		need      access.Rights
		line      string
		yes, no   string // beginnings of the answer
		withholds bool   // it needs the tube in use, so use must be allowed
	}{
		{access.Put, "put 0 0 9 1\r\nx", "INSERTED ", "BAD_FORMAT", true},
		{access.Put, "put-in-tube t 0 0 9 1\r\nx", "INSERTED ", "BAD_FORMAT", false},
		{access.Put, "put-with 1\r\nx", "INSERTED ", "BAD_FORMAT", false},
		{access.Put, "put-with 1 tube=t key=k\r\nx", "INSERTED ", "BAD_FORMAT", false},
		{access.Peek, "peek %d", "FOUND ", "NOT_FOUND", false},
		{access.Peek, "peek-ready", "FOUND ", "NOT_FOUND", true},
		{access.Peek, "peek-delayed", "FOUND ", "NOT_FOUND", true},
		{access.Peek, "peek-buried", "FOUND ", "NOT_FOUND", true},
		{access.Stats, "stats-job %d", "OK ", "NOT_FOUND", false},
		{access.Stats, "stats-tube t", "OK ", "NOT_FOUND", false},
		{access.Stats, "stats", "OK ", "BAD_FORMAT", false},
		{access.Pause, "pause-tube t 0", "PAUSED", "NOT_FOUND", false},
		{access.Reserve, "watch t", "WATCHING 2", "BAD_FORMAT", false},
		{access.Kick, "kick 1", "KICKED 1", "BAD_FORMAT", true},
		{access.Reserve, "reserve-job %d", "RESERVED ", "NOT_FOUND", false},
		{access.Delete, "delete %d", "DELETED", "NOT_FOUND", false},
		{access.Delete, "truncate t", "TRUNCATED 3", "NOT_FOUND", false},
		{access.Delete, "truncate t state=ready,delayed,buried", "TRUNCATED 3", "NOT_FOUND", false},
		{access.Peek, "list-jobs tube=t", "OK ", "NOT_FOUND", false},
		{access.Kick, "change-jobs t pri=1", "CHANGED 3", "NOT_FOUND", false},
		{access.Stats, "policy t", "OK ", "NOT_FOUND", false},
	}
	for _, name := range access.RightNames() {
		right, _ := access.ParseRight(name)
		for _, cmd := range commands {
			h, _ := newRuled(t, rule("one", right, "t"))
			ids, _ := h.stocked("t")
			c := h.as("one")
			c.do("use t", "USING t")
			line := cmd.line
			if strings.Contains(line, "%d") {
				line = fmt.Sprintf(line, ids[0])
			}
			c.send(line + "\r\nquit\r\n")
			want := cmd.no
			if right.Has(cmd.need) || right == access.Admin {
				want = cmd.yes
			}
			if got := c.line(); !strings.HasPrefix(got, want) {
				t.Errorf("with %s, %q is answered %q, want %s", name, line, got, want)
			}
			h.close()
		}
	}
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
