package beanstalk

import (
	"fmt"
	"log/slog"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/slow"
	"beanfield/router/schedule"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
)

// shownSchedules are how some schedules are getting on.
var shownSchedules = []schedule.Info{
	{Schedule: schedule.Schedule{Name: "a", Tube: "mail", Rule: schedule.Rule{Cron: "*/5 * * * *", Zone: "UTC"}},
		Last: time.Unix(1_800_000_000, 0),
		Next: time.Unix(1_800_000_300, 0), Puts: 3, Lost: 2, Refused: 1, Refusal: "no room"},
	{Schedule: schedule.Schedule{Name: "7", Tube: "video", Rule: schedule.Rule{Cron: "@daily",
		Zone: "Asia/Tokyo"}}},
}

// stage makes the server of a conversation.
func (tr *transcript) stage(t testing.TB, cut int) *stage {
	held, file, book := &heldLog{came: make(chan struct{}, 1000)}, new(must.Text), new(access.Current)
	refusals := slow.New(time.Hour)
	events := audit.New(file, slog.New(slog.DiscardHandler))
	h := newHouse(t, func(o *houseOptions) {
		o.Access, o.Audit, o.Slow = book, events, refusals
		if _, ok := tr.flags["held"]; ok {
			o.shards, o.Loops, o.store = 1, 1, held.store()
		}
		if _, ok := tr.flags["schedules"]; ok {
			o.Schedules = func() []schedule.Info { return shownSchedules }
		}
		if _, ok := tr.flags["policies"]; ok {
			l := newLawgiver()
			l.Show().Bodies = true // of scheduled jobs
			l.For = func(string) (conn.Policy, bool) {
				return conn.Policy{Settings: []conn.Setting{{Key: "dead_letter", Value: []byte(`"grave"`), Tube: "grave"}}}, true
			}
			l.go_ <- struct{}{}
			o.Policies = &l.Policies
		}
		if n, ok := tr.flags["shards"]; ok {
			o.shards = n
		}
		if n, ok := tr.flags["max"]; ok {
			o.MaxJobSize = n
		}
		if _, ok := tr.flags["always"]; ok {
			o.Quoting = protocol.QuoteAlways
		}
		if _, ok := tr.flags["never"]; ok {
			o.Quoting = protocol.QuoteNever
		}
		if cut > 0 {
			o.Loops = 1 // many plays: keep them cheap
		}
	})
	h.router.SetLimits(policy.Amount{policy.BoundJobs: int64(tr.flags["jobs"]),
		policy.BoundBytes: int64(tr.flags["bytes"])})
	told := sync.OnceValue(func() []audit.Event { return eventsIn(t, h, events, file) })
	return &stage{h, held, book, refusals, map[string]*client{}, told}
}

// enter connects a client of a conversation. One whose name is that of a token logs in with it; a digit at its end is
// not of the token. Newcomers may log in.
func (h *house) enter(network, who string) *client {
	token := strings.TrimRight(who, "0123456789")
	if len(token) == 1 {
		return h.connect(network)
	}
	d := Door{Login: true}
	if network == "sealed" {
		d.Certificates = h.secured().door.Certificates
	}
	nc := h.pairWith(h.server.Door(d))
	if network == "sealed" {
		nc = clientOf(h.t, nc, h.trust)
	}
	c := newClient(h.t, nc)
	if token != "newcomer" {
		c.do("auth "+token, "OK 0\r\n")
	}
	return c
}

// obey replaces the rules by "TOKEN RIGHT,RIGHT TUBE TUBE; …", beside one for admin; the token * is everybody's.
func obey(book *access.Current, text string) error {
	if text == "none" {
		book.Replace(nil)
		return nil
	}
	list := []access.Rule{rule("admin", access.Admin, "*")}
	for part := range strings.SplitSeq(text, "; ") {
		words := strings.Fields(part)
		if len(words) == 0 {
			continue
		}
		r := rule(words[0], 0, words[2:]...)
		if words[0] == "*" {
			r = access.Rule{GIDs: []uint32{uint32(gid)}, Tubes: words[2:]}
		}
		for name := range strings.SplitSeq(words[1], ",") {
			right, err := access.ParseRight(name)
			if err != nil {
				return err
			}
			r.May |= right
		}
		list = append(list, r)
	}
	p, err := access.New(list)
	book.Replace(p)
	return err
}

// stage is the server of a conversation, whose log may be stopped, and those who speak.
type stage struct {
	*house
	held    *heldLog
	book    *access.Current
	refused *slow.Log
	talkers map[string]*client
	events  func() []audit.Event // ends the server
}

// clientOf is what the server tells of a client.
func (h *stage) clientOf(name string) (g conn.Client) {
	for _, g := range h.house.clients() {
		if g.Peer.String() == h.talkers[name].nc.LocalAddr().String() && g.Since > 0 && g.Asked > 0 {
			return g
		}
	}
	return g
}

// tell words it.
func (h *stage) tell(name string) string {
	g := h.clientOf(name)
	watched := strings.Fields(g.Watched) // in no order
	slices.Sort(watched)
	return fmt.Sprintf("%s %s, uses %s, watches %d: %s, holds %d", name, g.Doing, g.Used, g.Watching,
		strings.Join(watched, " "), g.Held)
}

// await waits until the server is where the transcript says.
func (h *stage) await(what string) error {
	word, arg, _ := strings.Cut(what, " ")
	n, _ := strconv.Atoi(arg)
	is := map[string]func() bool{
		"waiting":     func() bool { return h.waiting() == int64(n) },
		"connections": func() bool { return h.server.open.Load() == int64(n) },
		"owned":       func() bool { _, ok := h.router.Owner(uint64(n)); return ok },
		"jobs":        func() bool { return h.jobs() == n && h.owned() == n },
		"client":      func() bool { return h.tell(arg[:1]) == arg },
		"bodies":      func() bool { return h.server.bodies.Held() == int64(n) },
		"read":        func() bool { return h.talkers[arg].unread() == 0 },
	}[word]
	acts := map[string]func(){"disconnect": func() { h.server.Disconnect(h.t.Context(), h.clientOf(arg).ID) },
		"drain": h.router.Drain, "hold": h.held.hold, "free": h.held.free, "commit": h.held.commit,
		"held": func() { h.held.await(h.t) }}[word]
	got := ""
	switch {
	case is != nil:
		eventually(h.t, what, is)
		return nil
	case acts != nil:
		acts()
		return nil
	case word == "denied":
		got = fmt.Sprint(h.server.Denied())
		got = regexp.MustCompile(` ?[a-z-]+:0\b`).ReplaceAllString(got[len("map["):len(got)-1], "")
	case word == "logged":
		got = strings.Join(h.logs.Lines(arg), "; ") + arg
	case word == "refused":
		last := h.refused.Refused()[0]
		got = fmt.Sprintf("%s, %s: %s", last.Who, last.Reason, last.Line)
	case word == "refusals":
		got = fmt.Sprint(len(h.refused.Refused()))
	case word == "told":
		for _, e := range h.events() {
			line := fmt.Sprintf("%s %s %s %d %s", e.Who, e.What, e.Tube, e.ID, e.Detail)
			if e.Refused {
				line += " refused"
			}
			got += strings.ReplaceAll(strings.Join(strings.Fields(line), " "), " 0", "") + "; "
			if e.FrontEnd != "beanstalk" || e.From == "" || e.Time.IsZero() {
				return fmt.Errorf("%+v is without a front end, a place or a time", e)
			}
		}
		got = strings.TrimSuffix(got, "; ")
	default:
		return fmt.Errorf("%q is nothing to wait for", what)
	}
	if got = strings.TrimSpace(got); got != arg {
		return fmt.Errorf("%s: %q, want %q", word, got, arg)
	}
	return nil
}
