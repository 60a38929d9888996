package beanstalk

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	peer "beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// listed goes from page to page.
func listed(t *testing.T, c *peer.Client, options ...string) (all []peer.ListedJob, pages int) {
	t.Helper()
	for cursor := ""; ; {
		o := options
		if cursor != "" {
			o = append(slices.Clone(options), peer.Option("cursor", cursor))
		}
		jobs, next, err := c.ListJobs(o...)
		if err != nil {
			t.Fatal(err)
		}
		all, pages = append(all, jobs...), pages+1
		if cursor = next; cursor == "" {
			return all, pages
		}
	}
}

// put puts a job, and returns its id.
func put(c *peer.Client, tube string, pri int, body string) uint64 {
	return must.Get(c.Put(fmt.Sprintf("put-in-tube %s %d 0 60 %d", tube, pri, len(body)), []byte(body))).Number
}

// dialled is a client as programs have it.
func (h *house) dialled() *peer.Client {
	h.t.Helper()
	h.connect("tcp").close() // now there is an address
	c := must.Get(peer.Dial(peer.Options{Server: h.tcp, Timeout: time.Minute}))
	h.t.Cleanup(func() { c.HangUp() })
	return c
}

// No reader of YAML takes a cursor for anything but a text, although it has no quotes.
func TestCursorsAreTexts(t *testing.T) {
	h := newHouse(t)
	for slot := range uint32(2000) {
		if cursor := h.router.Cursor("t", router.Place{Slot: slot}); !protocol.Plain(cursor) {
			t.Fatalf("%s needs quotes", cursor)
		}
	}
}

// All jobs of all shards are listed once, by pages of any length; a cursor is good for its tube only,
// and goes on at its place also after others have taken and put.
func TestListJobs(t *testing.T) {
	h := newHouse(t, func(o *houseOptions) { o.shards = 3 })
	c := h.dialled()
	const jobs = 200
	want := map[int64]bool{}
	for i := range jobs {
		id := put(c, fmt.Sprint("t", i%5), i, fmt.Sprint("body ", i))
		want[int64(id)] = true
	}
	for _, limit := range []int{1, 7, 1000} {
		all, pages := listed(t, c, peer.Option("limit", fmt.Sprint(limit)), "bodies=20")
		seen := map[int64]bool{}
		for _, k := range all {
			id := k.Number("id")
			if !want[id] || seen[id] || string(k.Body) != fmt.Sprint("body ", k.Get("pri")) {
				t.Fatalf("%v with %q", k.Document, k.Body)
			}
			seen[id] = true
		}
		if len(seen) != jobs || pages < jobs/limit {
			t.Errorf("limit %d: %d jobs are listed on %d pages", limit, len(seen), pages)
		}
	}
	found, _ := listed(t, c, peer.Option("body", "dy 17"), "limit=1000")
	if len(found) != 11 { // 17 and 170 to 179
		t.Errorf("%d jobs are found", len(found))
	}
	_, cursor, err := c.ListJobs("tube=t1", "limit=1")
	if err != nil || cursor == "" {
		t.Fatal(cursor, err)
	}
	for _, bad := range []string{"tube=t2", "tube=none", "limit=1"} {
		if r := must.Get(c.Ask("list-jobs " + bad + " cursor=" + cursor)); r.Word != "BAD_FORMAT" {
			t.Errorf("%s with the cursor of another tube: %s", bad, r.Line)
		}
	}
	must.Get(c.Truncate("t1"))
	if jobs, next, err := c.ListJobs("tube=t1", peer.Option("cursor", cursor)); len(jobs) > 0 || next != "" ||
		err != nil {
		t.Errorf("after the end of the tube: %v, %q, %v", jobs, next, err)
	}
}

// A list says who holds a job, also if another loop has that client, and where the client is, unless
// there are rules and the one who asks is no administrator. The answers keep their order (C1).
func TestListedHolders(t *testing.T) {
	for _, admin := range []bool{true, false} {
		h, book := newBooked(t)
		var clients []*client
		var where []string
		for i := range 6 {
			c := h.dial()
			c.send("watch t\r\nuse t\r\n")
			c.line()
			c.line()
			c.put(i, 0, 60, "x")
			c.send("reserve\r\n")
			c.job("RESERVED")
			clients, where = append(clients, c), append(where, c.nc.LocalAddr().String())
		}
		asker := clients[0]
		if !admin {
			book.Replace(rules(t, rule("looks", access.Peek, "*")))
			asker = h.as("looks")
		}
		asker.send("list-tube-used\r\nlist-jobs tube=t\r\nlist-tube-used\r\n")
		used := asker.line()
		lines := strings.Join(asker.lines(), "\n")
		if asker.line() != used {
			t.Error("the answers are in another order")
		}
		for _, at := range where {
			if got := strings.Count(lines, "  holder: "+at+"\n"); got != map[bool]int{true: 1, false: 0}[admin] {
				t.Errorf("%s is named %d times:\n%s", at, got, lines)
			}
		}
		if n := strings.Count(lines, "  held: 0"); n != 6 {
			t.Errorf("%d jobs are held:\n%s", n, lines)
		}
		h.close()
	}
}

// Tags are shown and chosen by, whatever bytes they have; large bodies are searched and shown in part.
func TestListedTags(t *testing.T) {
	h := newHouse(t)
	ask := func(body string, tags map[string]string) {
		op := &queue.Op{Kind: queue.Service, Data: []byte(body), Size: uint32(len(body)),
			Ask: &queue.Ask{What: queue.AskPut, Queue: "q", Limits: &policy.Limits{}, Tags: queue.MakeTags(tags)}}
		if h.router.Ask(op); op.Status != queue.OK {
			t.Fatal(op.Status)
		}
	}
	large := strings.Repeat("0123456789", 30_000)
	ask("a", map[string]string{"colour": "red", "y": "1"})
	ask(large+"ne\xffedle"+large, map[string]string{"colour": "red", "a b=%": "\xff\n"})
	ask(large, map[string]string{"colour": "blue"})
	c := h.dialled()
	for options, want := range map[string]int{
		"tag.colour=red": 2, "tag.colour=red tag.y=1": 1, "tag.colour=pink": 0, peer.Option("tag.a b=%", "\xff\n"): 1,
		peer.Option("body", "ne\xffed"): 1, "": 3, "body=needle": 0, "tag.colour=red body=9": 1,
	} {
		jobs, _ := listed(t, c, append(strings.Fields(options), "bodies=11")...)
		if len(jobs) != want {
			t.Errorf("%q chooses %d jobs, want %d", options, len(jobs), want)
		}
		for _, k := range jobs {
			if n := k.Number("size"); n > 1 && string(k.Body) != large[:11] {
				t.Errorf("%q is shown", k.Body)
			}
		}
	}
	jobs, _ := listed(t, c, peer.Option("tag.a b=%", "\xff\n"))
	if len(jobs) != 1 || jobs[0].Tags.Get("colour") != "red" {
		t.Errorf("%+v", jobs)
	}
}

// A list shows where a job has been, but not of tubes that do not exist for the client.
func TestListJobsShowsWhereTheyHaveBeen(t *testing.T) {
	h, _ := newRuled(t, rule("one", access.Peek, "seen*"))
	c := h.as("admin")
	c.do("put-in-tube hidden 0 0 60 1\r\nx", "INSERTED 1")
	c.do("put-in-tube seen 0 0 60 1\r\nx", "INSERTED 2")
	c.do("move-jobs hidden seen ids=1", "MOVED 1 0")
	c.do("move-jobs seen seen-too ids=1", "MOVED 1 0")
	for who, want := range map[string][]string{"admin": {"hidden", "seen"}, "one": {"seen"}} {
		c := h.as(who)
		c.send("list-jobs tube=seen-too\r\n")
		lines := strings.Join(c.lines(), "\n")
		var been []string
		for _, part := range strings.Split(lines, `{"tube": "`)[1:] {
			tube, rest, _ := strings.Cut(part, `"`)
			been = append(been, tube)
			if !strings.HasPrefix(rest, `, "why": "moved", "when": "20`) ||
				!strings.Contains(rest, `Z", "reserves": 0, "timeouts": 0, "releases": 0}`) {
				t.Errorf("%s is shown %s", who, lines)
			}
		}
		if !slices.Equal(been, want) {
			t.Errorf("%s is shown %v of %s", who, been, lines)
		}
		if c.send("list-jobs tube=seen\r\n"); strings.Contains(strings.Join(c.lines(), "\n"), "been") {
			t.Error("a job that was nowhere else has been somewhere")
		}
	}
	plain := newHouse(t).dialled()
	put(plain, "a", 0, "")
	must.Get(plain.Ask("move-jobs a b"))
	if jobs, _ := listed(t, plain); len(jobs) != 1 || len(jobs[0].Been) != 1 || jobs[0].Been[0].Tube != "a" ||
		jobs[0].Been[0].When.IsZero() {
		t.Errorf("the client reads %+v", jobs)
	}
}
