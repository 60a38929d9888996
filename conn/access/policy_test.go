package access

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"beanfield/conn"
	"beanfield/storage/must"
)

func policy(t testing.TB, rules ...Rule) *Policy {
	t.Helper()
	return must.Get(New(rules))
}

var everyone = []netip.Prefix{netip.MustParsePrefix("0.0.0.0/0"), netip.MustParsePrefix("::/0")}

func from(addr string) Identity { return Identity{Peer: at(addr)} }

func user(uid, gid uint32) Identity {
	return Identity{Peer: conn.Peer{Unix: true, UID: uid, GID: gid}}
}

func at(addr string) conn.Peer {
	return conn.Peer{Addr: netip.AddrPortFrom(netip.MustParseAddr(addr), 0)}
}

// A1: without rules everyone may do everything, and with rules nobody for whom none holds.
func TestNoRules(t *testing.T) {
	for _, rules := range [][]Rule{nil, {}} {
		p := policy(t, rules...)
		s := p.Subject(Identity{})
		if p != nil || s.May("t") != All || s.Anywhere() != All || s.Everywhere() != All || !s.Sees("t") ||
			s.Who() != "" {
			t.Error("without rules, something is not allowed")
		}
	}
	var b Current
	if b.Load() != nil {
		t.Error("an empty Current has a policy")
	}
	s := policy(t, Rule{UIDs: []uint32{0}, May: All, Tubes: []string{"*"}}).Subject(from("10.0.0.1"))
	if s.May("t") != 0 || s.Anywhere() != 0 || s.Everywhere() != 0 || s.Sees("t") || s.Who() != "" {
		t.Error("a client for whom no rule holds may do something")
	}
}

// Each kind of rule holds for the clients that it names, and for no others.
func TestWhoIsMeant(t *testing.T) {
	right := Identity{}.WithToken("right").Token
	wrong := Identity{}.WithToken("wrong").Token
	v4, v6 := netip.MustParsePrefix("10.1.0.0/16"), netip.MustParsePrefix("2001:db8::/32")
	for name, c := range map[string]struct {
		rule   Rule
		is     []Identity
		others []Identity
	}{
		"token": {Rule{Tokens: []string{HashOf("other").String(), right.String()}},
			[]Identity{{Token: right}}, []Identity{{Token: wrong}, {}}},
		"uid": {Rule{UIDs: []uint32{7, 8}}, []Identity{user(8, 0)}, []Identity{user(9, 8),
			{}}},
		"gid": {Rule{GIDs: []uint32{0}}, []Identity{user(8, 0)}, []Identity{user(0, 9), {},
			from("10.0.0.1")}},
		"uid and gid": {Rule{UIDs: []uint32{7}, GIDs: []uint32{8}}, []Identity{user(7, 8)},
			[]Identity{user(7, 0), user(0, 8)}},
		"network": {Rule{Networks: []netip.Prefix{v4, v6}}, []Identity{from("10.1.2.3"), from("::ffff:10.1.2.3"),
			from("2001:db8::1")},
			[]Identity{from("10.2.0.1"), from("2001:db9::1"), {}}},
		"mapped": {Rule{Networks: []netip.Prefix{netip.MustParsePrefix("::ffff:10.1.0.0/112")}},
			[]Identity{from("10.1.2.3")}, []Identity{from("10.2.0.1")}},
		"all": {Rule{Networks: everyone}, []Identity{from("1.2.3.4"), from("::1"), from("fe80::1%eth0")},
			[]Identity{user(0, 0), {}}},
		"two kinds": {Rule{Tokens: []string{right.String()}, Networks: []netip.Prefix{v4}},
			[]Identity{{Token: right, Peer: at("10.1.2.3")}},
			[]Identity{{Token: right, Peer: at("10.2.2.3")},
				{Token: wrong, Peer: at("10.1.2.3")}, {Token: right}, from("10.1.2.3")}},
	} {
		c.rule.May, c.rule.Tubes = Put, []string{"t"}
		p := policy(t, c.rule)
		for _, id := range c.is {
			if p.Subject(id).May("t") != Put {
				t.Errorf("%s: the rule does not hold for %+v", name, id)
			}
		}
		for _, id := range c.others {
			if p.Subject(id).May("t") != 0 {
				t.Errorf("%s: the rule holds for %+v", name, id)
			}
		}
	}
}

// What a subject may do is the union of its rules.
func TestUnion(t *testing.T) {
	p := policy(t,
		Rule{Networks: everyone, May: Put | Stats, Tubes: []string{"mail", "video-*"}},
		Rule{Name: "workers", Networks: everyone, May: Reserve, Tubes: []string{"mail", "*-hd"}},
		Rule{Networks: everyone, May: Admin, Tubes: []string{"own"}},
		Rule{UIDs: []uint32{1}, May: Kick, Tubes: []string{"*"}})
	s := p.Subject(from("10.0.0.1"))
	for tube, want := range map[string]Rights{
		"mail": Put | Stats | Reserve, "video-": Put | Stats, "video-hd": Put | Stats | Reserve,
		"x-hd": Reserve, "own": All, "mails": 0, "": 0, "own;rear": All, "video-a;rear": Put | Stats, ";rear": 0,
	} {
		for range 2 { // worked out, and remembered
			if got := s.May(tube); got != want || s.Sees(tube) != (want != 0) {
				t.Errorf("%q: %v, want %v", tube, got, want)
			}
		}
	}
	if s.Anywhere() != All || s.Everywhere() != 0 || s.Who() != "rule 1, workers, rule 3" {
		t.Errorf("anywhere %v, everywhere %v, who %q", s.Anywhere(), s.Everywhere(), s.Who())
	}
	if other := p.Subject(from("10.0.0.2")); other != s {
		t.Error("two clients with the same rules are two subjects")
	}
	if peer := p.Subject(user(1, 0)); peer == s || peer.Everywhere() != Kick {
		t.Error("clients with different rules are one subject")
	}
}

// New names each rule that is wrong and never shows a token.
func TestWrongRules(t *testing.T) {
	ok := Rule{UIDs: []uint32{0}, May: Put, Tubes: []string{"t"}}
	for want, change := range map[string]func(*Rule){
		"rule 2: it names nobody":              func(r *Rule) { r.UIDs = nil },
		"rule 2: it gives no right":            func(r *Rule) { r.May = 0 },
		"rule 2: it gives an unknown right":    func(r *Rule) { r.May = All + 1 },
		"rule 2: it names no tube":             func(r *Rule) { r.Tubes = nil },
		"rule 2: a pattern for tubes is empty": func(r *Rule) { r.Tubes = []string{"a", ""} },
		"rule 2: a pattern for certificates is empty": func(r *Rule) {
			r.Holder.Emails = []string{""}
		},
		"rule 2: it names an invalid network": func(r *Rule) {
			r.Networks = []netip.Prefix{{}}
		},
		"rule 2: not the SHA-256 hash of a token, 64 hexadecimal digits": func(r *Rule) {
			r.Tokens = []string{"secret"}
		},
	} {
		r := ok
		change(&r)
		p, err := New([]Rule{ok, r})
		if err == nil || err.Error() != want || p != nil {
			t.Errorf("%v, want %q", err, want)
		}
	}
	if _, err := New([]Rule{{}, ok, {Name: "last"}}); err == nil || strings.Count(err.Error(), "names nobody") != 2 ||
		!strings.Contains(err.Error(), "last: ") {
		t.Errorf("%v: want two rules", err)
	}
}

// Replace calls those who registered when the new policy already holds, until they want it no more.
func TestReplace(t *testing.T) {
	var b Current
	p := policy(t, Rule{UIDs: []uint32{0}, May: Put, Tubes: []string{"t"}})
	var seen []*Policy
	forget := b.OnReplace(func() { seen = append(seen, b.Load()) })
	b.Replace(p)
	b.Replace(nil)
	forget()
	b.Replace(p)
	if len(seen) != 2 || seen[0] != p || seen[1] != nil {
		t.Errorf("told of %v", seen)
	}
}

// A3: however many kinds of clients there are, a policy keeps few subjects. Others are right, too.
func TestSharedSubjectsAreBounded(t *testing.T) {
	var list []Rule
	for i := range sharedSubjects + 10 {
		list = append(list, Rule{UIDs: []uint32{uint32(i)}, May: Put, Tubes: []string{"t"}})
	}
	p := policy(t, list...)
	for i := range list {
		if s := p.Subject(user(uint32(i), 0)); s.May("t") != Put || s.May("u") != 0 {
			t.Fatalf("client %d may %v", i, s.May("t"))
		}
	}
	if len(p.subjects) > sharedSubjects {
		t.Errorf("%d subjects are kept", len(p.subjects))
	}
}

// What a command pays for a look at 1,000 rules that all hold.
func BenchmarkMay(b *testing.B) {
	var rules []Rule
	for i := range 1000 {
		rules = append(rules, Rule{Networks: everyone, May: Put, Tubes: []string{fmt.Sprintf("tube-%d-*", i)}})
	}
	s := policy(b, rules...).Subject(from("10.0.0.1"))
	for b.Loop() {
		if s.May("tube-999-x") != Put {
			b.Fatal("not allowed")
		}
	}
}
