package beanstalk

import (
	"fmt"
	"strings"
	"testing"

	"beanfield/conn/access"
)

// apart are two tubes of different shards, neither of them default's.
func (h *house) apart() (a, b string) {
	shards := map[int]bool{h.router.TubeShard([]byte("default")): true}
	var found []string
	for i := 0; len(found) < 2; i++ {
		tube := "t" + itoa(i)
		if s := h.router.TubeShard([]byte(tube)); !shards[s] {
			shards[s] = true
			found = append(found, tube)
		}
	}
	return found[0], found[1]
}

// A reserve behind one that waits is run as the rules want that hold then: at other shards, at
// more of them, or at none. It hears of the jobs that come there.
func TestReserveBehindWait(t *testing.T) {
	for name, tubes := range map[string]func(a, b string) (before, after []string){
		"moved":    func(a, b string) (_, _ []string) { return []string{a}, []string{b} },
		"given":    func(a, b string) (_, _ []string) { return []string{a}, []string{a, b} },
		"narrowed": func(a, b string) (_, _ []string) { return []string{a, b}, []string{b} },
	} {
		t.Run(name, func(t *testing.T) {
			h, book := newBooked(t)
			a, b := h.apart()
			before, after := tubes(a, b)
			book.Replace(rules(t, rule("one", access.Reserve, a, b)))
			c, admin := h.as("one"), h.as("admin")
			c.watch(a, b)
			book.Replace(rules(t, rule("one", access.Reserve, before...)))
			c.send("reserve\r\nreserve\r\nreserve-with-timeout 0\r\nlist-tube-used\r\n")
			admin.until("stats-tube "+before[0], "current-waiting", "1")

			book.Replace(rules(t, rule("one", access.Reserve, after...)))
			admin.do("use "+b, "USING "+b)
			for range 2 {
				admin.until("stats-tube "+b, "current-waiting", "1")
				if after[0] == a {
					admin.until("stats-tube "+a, "current-waiting", "1")
				}
				c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", admin.put(0, 0, 9, "x")))
			}
			c.expect("TIMED_OUT")
			c.expect("USING default")
		})
	}
}

// If nothing is left to reserve from, also for the first time, reserves that are kept wait as at
// empty tubes.
func TestReserveBehindWaitOfNothing(t *testing.T) {
	for name, first := range map[string][]access.Rule{"rules": {rule("one", access.All, "*")}, "no rules": nil} {
		t.Run(name, func(t *testing.T) {
			h, book := newBooked(t)
			if first != nil {
				book.Replace(rules(t, first...))
			}
			c, admin := h.as("one"), h.as("admin")
			c.send("reserve-with-timeout 1\r\nreserve-with-timeout 1\r\nreserve-with-timeout 0\r\nlist-tube-used\r\n")
			eventually(t, "it waits", func() bool { return admin.stat("stats", "cmd-reserve-with-timeout") != "0" })
			book.Replace(rules(t))
			admin.until("stats-tube default", "current-waiting", "0")
			admin.put(0, 0, 9, "x")
			for range 3 {
				c.expect("TIMED_OUT")
			}
			c.expect("USING default")
		})
	}
}

// Commands behind a reserve that waits have the rights of the moment when they are run, whether
// that is less or more than before.
func TestCommandsBehindWait(t *testing.T) {
	const kept = "reserve\r\npeek %d\r\ndelete %d\r\nput 0 0 9 1\r\nZ\r\npeek-ready\r\nkick 9\r\npause-tube t 100\r\n" +
		"stats-tube t\r\nkick-job %d\r\npeek 99\r\nreserve-job %d\r\nlist-tube-used\r\n"
	for name, first := range map[string][]access.Rule{"rules": {rule("one", access.Admin, "*")}, "no rules": nil} {
		t.Run(name, func(t *testing.T) {
			h, book := newBooked(t, func(o *houseOptions) { o.shards = 1 })
			if first != nil {
				book.Replace(rules(t, first...))
			}
			ids, admin := h.stocked("t")
			admin.do("use default", "USING default")
			c := h.as("one")
			c.do("use t", "USING t")
			c.send(fmt.Sprintf(kept, ids[0], ids[0], ids[2], ids[0]))
			admin.until("stats-tube default", "current-waiting", "1")

			book.Replace(rules(t, rule("one", access.Reserve, "default")))
			c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", admin.put(0, 0, 9, "x")))
			for _, want := range strings.Fields("NOT_FOUND NOT_FOUND BAD_FORMAT NOT_FOUND BAD_FORMAT NOT_FOUND " +
				"NOT_FOUND NOT_FOUND NOT_FOUND NOT_FOUND") {
				c.expect(want)
			}
			c.expect("USING t")
			stats := strings.Join(admin.yaml("stats-tube t"), " ")
			for _, want := range []string{"jobs-ready: 1", "jobs-delayed: 1", "jobs-buried: 1", "pause: 0"} {
				if !strings.Contains(stats, want) {
					t.Errorf("%q lacks %s", stats, want)
				}
			}
			if n := h.server.Denied(); n["peek"] != 1 || n["delete"] != 1 || n["put"] != 1 || n["kick"] != 1 ||
				n["pause-tube"] != 1 ||
				n["peek-ready"] != 1 || n["stats-tube"] != 1 || n["kick-job"] != 1 || n["reserve-job"] != 1 {
				t.Errorf("counted %v", n)
			}
		})
	}
}

// What is kept is carried out as it was sent if the rules that hold now allow it, however often
// they are replaced meanwhile.
func TestRecalledCommandsAreTheSame(t *testing.T) {
	h, book := newRuled(t, rule("one", access.Reserve|access.Put|access.Kick|access.Delete|access.Stats, "default"))
	c, admin := h.as("one"), h.as("admin")
	c.send("reserve\r\nput 7 1000 33 5\r\nhello\r\nreserve\r\nkick 5\r\nreserve-with-timeout 0\r\nreserve\r\nput 9 " +
		"0 44 3\r\nend\r\nlist-tube-used\r\n")
	for i := range 3 {
		admin.until("stats-tube default", "current-waiting", "1")
		for range i + 1 { // the policy's address is another one each time
			book.Replace(rules(t, rule("one", access.All, "default")))
		}
		id := admin.put(0, 0, 9, "x")
		c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
		switch i {
		case 0:
			c.expect(fmt.Sprintf("INSERTED %d", id+1))
			for key, want := range map[string]string{"pri": "7", "delay": "1000", "ttr": "33", "state": "delayed"} {
				if got := admin.stat(fmt.Sprintf("stats-job %d", id+1), key); got != want {
					t.Errorf("%s of the first put: %s, want %s", key, got, want)
				}
			}
		case 1:
			c.expect("KICKED 1")
			c.expect(fmt.Sprintf("RESERVED %d 5\r\nhello", id-1))
		case 2:
			c.expect(fmt.Sprintf("INSERTED %d", id+1))
			if got := admin.stat(fmt.Sprintf("stats-job %d", id+1), "ttr"); got != "44" {
				t.Errorf("ttr of the last put: %s", got)
			}
		}
	}
	c.expect("USING default")
}

// A put with options that is kept has them still.
func TestRecalledPutWithOptions(t *testing.T) {
	h, book := newBooked(t)
	c, admin := h.as("one"), h.as("admin")
	book.Replace(rules(t, rule("one", access.All, "*")))
	c.send("reserve\r\nput-with 5 key=k ttr=0.5 delay=1000\r\nhello\r\nput-with 1 key=k\r\nx\r\n")
	admin.until("stats-tube default", "current-waiting", "1")
	book.Replace(rules(t, rule("one", access.All, "default")))
	id := admin.put(0, 0, 9, "x")
	c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", id))
	c.expect(fmt.Sprintf("INSERTED %d", id+1))
	c.expect(fmt.Sprintf("EXISTS %d", id+1))
	for key, want := range map[string]string{"delay": "1000", "ttr": "1", "state": "delayed"} {
		if got := admin.stat(fmt.Sprintf("stats-job %d", id+1), key); got != want {
			t.Errorf("%s of the put: %s, want %s", key, got, want)
		}
	}
}

// A run that recalled commands have made is recalled itself, with the commands behind it.
func TestRecalledTwice(t *testing.T) {
	h, book := newBooked(t)
	a, b := h.apart()
	both := func(reserve string) *access.Policy {
		return rules(t, rule("one", access.Put, a), rule("one", access.Reserve, reserve))
	}
	book.Replace(rules(t, rule("one", access.All, a, b)))
	c, admin := h.as("one"), h.as("admin")
	c.watch(a, b)
	c.do("use "+a, "USING "+a)
	admin.do("use "+b, "USING "+b)
	book.Replace(both(a))
	c.send("reserve\r\nreserve\r\nreserve\r\nput 0 0 9 1\r\ny\r\nlist-tube-used\r\n")
	admin.until("stats-tube "+a, "current-waiting", "1")
	var last uint64
	for range 3 { // in b each time, by rules that are new each time
		book.Replace(both(b))
		admin.until("stats-tube "+b, "current-waiting", "1")
		last = admin.put(0, 0, 9, "x")
		c.expect(fmt.Sprintf("RESERVED %d 1\r\nx", last))
	}
	c.expect(fmt.Sprintf("INSERTED %d", last+1))
	c.expect("USING " + a)
}

// Commands that are kept because the client does not read have no old rights either.
func TestCommandsBehindStuckReplies(t *testing.T) {
	h, book := newRuled(t, rule("one", access.All, "*"))
	body := strings.Repeat("x", 60000)
	admin, c := h.as("admin"), h.as("one")
	id := admin.put(0, 0, 9, body)
	const peeks = maxRun - 1
	c.send(strings.Repeat(fmt.Sprintf("peek %d\r\n", id), peeks) + "put 0 0 9 1\r\nx\r\nlist-tube-used\r\n")
	eventually(t, "the first peeks are answered", func() bool { return admin.stat("stats", "cmd-peek") != "0" })
	book.Replace(rules(t))
	found := 0
	line := c.line()
	for ; strings.HasPrefix(line, "FOUND "); line = c.line() {
		c.bytes(len(body) + 2)
		found++
	}
	for range peeks - found - 1 {
		c.expect("NOT_FOUND")
	}
	c.expect("BAD_FORMAT")
	c.expect("USING default")
	if line != "NOT_FOUND" || h.jobs() != 1 {
		t.Errorf("%q after %d of %d, and %d jobs", line, found, peeks, h.jobs())
	}
}
