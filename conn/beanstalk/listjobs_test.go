package beanstalk

import (
	"fmt"
	"slices"
	"testing"
	"time"

	peer "beanfield/conn/beanstalk/client"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/router"
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
