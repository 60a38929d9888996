package beanstalk

import (
	"fmt"
	"slices"
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

// Whoever has no right on a tube is answered as if its jobs were not there, whatever their
// state, and nothing of them changes.
func TestRefusalsByID(t *testing.T) {
	h, _ := newRuled(t, rule("other", access.All, "other"))
	ids, holder := h.stocked("secret")
	c := h.as("other")
	for _, id := range append(ids[:], 999) {
		for _, line := range []string{"peek %d", "delete %d", "release %d 0 0", "bury %d 0", "touch %d", "kick-job %d",
			"stats-job %d", "reserve-job %d"} {
			c.do(fmt.Sprintf(line, id), "NOT_FOUND")
		}
	}
	c.do("stats-tube secret", "NOT_FOUND")
	c.do("pause-tube secret 9", "NOT_FOUND")
	c.do("truncate secret", "NOT_FOUND")
	stats := strings.Join(holder.yaml("stats-tube secret"), " ")
	for _, want := range []string{"jobs-ready: 1", "jobs-reserved: 1", "jobs-delayed: 1", "jobs-buried: 1",
		"pause: 0"} {
		if !strings.Contains(stats, want) {
			t.Errorf("%q lacks %s", stats, want)
		}
	}
	// Of these 40, the shard has judged those by id that are not refused anyway.
	if n := h.server.Denied(); n["peek"] != 4 || n["delete"] != 4 || n["kick-job"] != 4 || n["stats-job"] != 4 ||
		n["reserve-job"] != 4 ||
		n["stats-tube"] != 1 || n["pause-tube"] != 1 || n["truncate"] != 1 || n["release"] != 0 {
		t.Errorf("counted %v", n)
	}
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

// What is refused is answered in its turn, behind what waits for a commit.
func TestRefusedBehindACommit(t *testing.T) {
	book := new(access.Book)
	h, held := holding(t, func(o *houseOptions) { o.Access = book })
	book.Replace(rules(t, rule("one", access.Reserve, "t")))
	ids, _ := h.stocked("t")
	c := h.as("one")
	c.do("watch t", "WATCHING 2")
	c.do("reserve", fmt.Sprintf("RESERVED %d 5\r\nready", ids[0]))
	c.do("use t", "USING t")
	held.hold()
	c.send(fmt.Sprintf("delete %d\r\nput 0 0 60 1\r\nx\r\nkick 1\r\n", ids[0]))
	held.await(t)
	held.free()
	c.expect("DELETED")
	c.expect("BAD_FORMAT")
	c.expect("BAD_FORMAT")
}

// A tube on which one has no right cannot be used, and the one in use stays.
func TestUseRefused(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Put, "mine", "mine-*"))
	c := h.as("one")
	c.do("use secret", "BAD_FORMAT")
	c.do("list-tube-used", "USING default")
	c.do("put 0 0 9 1\r\nx", "BAD_FORMAT")
	c.do("use mine-2", "USING mine-2")
	c.put(0, 0, 9, "x")
	c.do("use default", "BAD_FORMAT")
	c.put(0, 0, 9, "x")
	// A put whose body comes later is refused without keeping it.
	c.do("use mine", "USING mine")
	d := h.as("one")
	d.send("put 0 0 9 50000\r\n" + strings.Repeat("x", 20000))
	d.send(strings.Repeat("x", 30000) + "\r\nlist-tube-used\r\n")
	d.expect("BAD_FORMAT")
	d.expect("USING default")
	if n := h.server.Denied(); n["put"] != 2 || n["use"] != 2 {
		t.Errorf("counted %v", n)
	}
}

// Commands without a right: everybody may run them, and they show only what is one's own.
func TestAlwaysAllowed(t *testing.T) {
	h, _ := newRuled(t)
	h.stocked("secret")
	c := h.pair() // no rule holds for it
	c.do("list-tube-used", "USING default")
	c.do("list-tubes-watched", "OK 14\r\n---\n- default\n")
	c.do("list-tubes", "OK 4\r\n---\n")
	c.do("stats", "BAD_FORMAT")
	c.do("ignore default", "NOT_IGNORED")
	c.do("ignore secret", "WATCHING 1")
	c.do("reserve-with-timeout 0", "TIMED_OUT")
	c.do("watch default", "BAD_FORMAT")
	c.do("auth admin", "UNKNOWN_COMMAND")
	c.send("quit\r\n")
	c.eof()
}

// Reserving includes finishing one's own jobs, and seeing their statistics.
func TestOwnJobs(t *testing.T) {
	h, _ := newRuled(t, rule("worker", access.Reserve, "t"))
	admin := h.as("admin")
	admin.do("use t", "USING t")
	c := h.as("worker")
	c.do("watch t", "WATCHING 2")
	take := func() uint64 {
		id := admin.put(1, 0, 1000, "x")
		c.do("reserve", fmt.Sprintf("RESERVED %d 1\r\nx", id))
		return id
	}
	id := take()
	c.do(fmt.Sprintf("touch %d", id), "TOUCHED")
	if got := c.stat(fmt.Sprintf("stats-job %d", id), "reserves"); got != "1" {
		t.Errorf("%s reserves", got)
	}
	c.do(fmt.Sprintf("delete %d", id), "DELETED")
	c.do(fmt.Sprintf("bury %d 0", take()), "BURIED")
	id = take()
	c.do(fmt.Sprintf("release %d 5 0", id), "RELEASED")
	c.do(fmt.Sprintf("delete %d", id), "NOT_FOUND") // it is not its own any more
	c.do(fmt.Sprintf("peek %d", id), "NOT_FOUND")
	admin.do(fmt.Sprintf("delete %d", id), "DELETED")
}

// A client that never ignores the default tube works on its own, and gets nothing from default.
func TestDefaultWithoutRight(t *testing.T) {
	for _, shards := range []int{1, 4} {
		h, book := newBooked(t, func(o *houseOptions) { o.shards = shards })
		book.Replace(rules(t, rule("worker", access.Reserve, "t*")))
		admin := h.as("admin")
		admin.put(0, 0, 9, "not for you")
		c := h.as("worker")
		c.do("reserve-with-timeout 0", "TIMED_OUT")
		c.watch("t1", "t2")
		c.do("reserve-with-timeout 0", "TIMED_OUT")
		admin.do("use t2", "USING t2")
		id := admin.put(9, 0, 9, "x")
		c.do("reserve", fmt.Sprintf("RESERVED %d 1\r\nx", id))
		c.do("list-tubes-watched", "OK 24\r\n---\n- default\n- t1\n- t2\n")
		c.do("ignore default", "WATCHING 2")
		c.do("ignore t1", "WATCHING 1")
		c.do("ignore t2", "NOT_IGNORED")
		if got := admin.stat("stats-tube default", "current-jobs-ready"); got != "1" {
			t.Errorf("%s jobs in default", got)
		}
		h.close()
	}
}

// stats and list-tubes show only the tubes that the client sees.
func TestShowsOnlyWhatIsSeen(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Stats|access.Put, "mine*"), rule("blind", access.Put, "mine1"))
	h.stocked("secret")
	admin := h.as("admin")
	for i := range 3 {
		admin.do(fmt.Sprintf("use mine%d", i), fmt.Sprintf("USING mine%d", i))
		admin.put(1, 0, 9, "x")
		admin.put(1, 9, 9, "x")
	}
	c := h.as("one")
	names := c.yaml("list-tubes")
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "- mine0 - mine1 - mine2" {
		t.Errorf("list-tubes shows %s", got)
	}
	for key, want := range map[string]string{
		"current-jobs-urgent": "3", "current-jobs-ready": "3", "current-jobs-reserved": "0",
		"current-jobs-delayed": "3",
		"current-jobs-buried":  "0", "total-jobs": "6", "current-tubes": "3",
	} {
		if got := c.stat("stats", key); got != want {
			t.Errorf("%s: %s, want %s", key, got, want)
		}
	}
	if got := admin.stat("stats", "current-tubes"); got != "5" {
		t.Errorf("the administrator sees %s tubes", got)
	}
	if got := strings.Join(h.as("blind").yaml("list-tubes"), " "); got != "- mine1" {
		t.Errorf("list-tubes shows %s", got)
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

// A right that goes while the body of a put is on its way is gone when the body is complete,
// and the id is given up.
func TestWithdrawalInMidPut(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Put, "*"))
	c, admin := h.as("one"), h.as("admin")
	c.send("list-tube-used\r\nput 0 0 9 10\r\nhello")
	c.expect("USING default") // and what came with it has been read
	admin.until("stats", "cmd-put", "1")
	book.Replace(rules(t, rule("one", access.Peek, "*")))
	c.send("hello\r\n")
	c.expect("BAD_FORMAT")
	if n := h.jobs(); n != 0 {
		t.Errorf("there are %d jobs", n)
	}
	if n := h.server.Denied(); n["put"] != 1 {
		t.Errorf("counted %v", n)
	}
}

// Likewise with the right to set policies.
func TestWithdrawalInMidPolicies(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Admin, "*"))
	c := h.as("one")
	c.send("list-tube-used\r\nset-policies 10\r\nhello")
	c.expect("USING default")
	eventually(t, "the body has begun", func() bool { return c.unread() == 0 })
	book.Replace(rules(t, rule("one", access.Peek, "*")))
	c.send("hello\r\n")
	c.expect("BAD_FORMAT")
}
