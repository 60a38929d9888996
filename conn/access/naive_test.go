package access

import (
	"net/netip"
	"regexp"
	"strings"
	"sync"
	"testing"

	"beanfield/storage/must"

	"pgregory.net/rapid"
)

// naive is what the rules mean, written without haste: each rule by itself, and patterns as
// regular expressions.
func naive(rules []Rule, id Identity, tube string) (may Rights) {
	for _, r := range rules {
		if !naivelyHolds(&r, &id) {
			continue
		}
		for _, p := range r.Tubes {
			parts := strings.Split(p, "*")
			for i := range parts {
				parts[i] = regexp.QuoteMeta(parts[i])
			}
			if regexp.MustCompile("(?s)^" + strings.Join(parts, ".*") + "$").MatchString(tube) {
				may |= r.May
			}
		}
	}
	if may&Admin != 0 {
		may = All
	}
	return may
}

func naivelyHolds(r *Rule, id *Identity) bool {
	token, uid, network := len(r.Tokens) == 0, len(r.UIDs) == 0, len(r.Networks) == 0
	for _, h := range r.Tokens {
		token = token || id.Token != nil && id.Token.String() == h
	}
	for _, u := range r.UIDs {
		uid = uid || id.Peer.Unix && id.Peer.UID == u
	}
	for _, n := range r.Networks {
		network = network || n.Contains(id.Peer.Addr.Addr())
	}
	return token && uid && network
}

var (
	someTokens   = []string{"a", "b", "c"}
	someNetworks = []string{"10.0.0.0/8", "10.1.0.0/16", "0.0.0.0/0", "fe80::/10"}
	someAddrs    = []string{"10.1.2.3", "10.2.2.3", "8.8.8.8", "fe80::1"}
)

func drawRule(t *rapid.T) Rule {
	r := Rule{
		May:   Rights(rapid.IntRange(1, int(All)).Draw(t, "may")),
		Tubes: rapid.SliceOfN(rapid.StringMatching(`[ab*]{1,4}`), 1, 3).Draw(t, "tubes"),
		UIDs:  rapid.SliceOfN(rapid.Uint32Range(0, 2), 0, 2).Draw(t, "uids"),
	}
	for _, token := range rapid.SliceOfN(rapid.SampledFrom(someTokens), 0, 2).Draw(t, "tokens") {
		r.Tokens = append(r.Tokens, HashOf(token).String())
	}
	for _, n := range rapid.SliceOfN(rapid.SampledFrom(someNetworks), 0, 2).Draw(t, "networks") {
		r.Networks = append(r.Networks, netip.MustParsePrefix(n))
	}
	if len(r.UIDs)+len(r.Tokens)+len(r.Networks) == 0 {
		r.UIDs = []uint32{0}
	}
	return r
}

func drawIdentity(t *rapid.T) (id Identity) {
	if rapid.Bool().Draw(t, "has a token") {
		id = id.WithToken(rapid.SampledFrom(append(someTokens, "wrong")).Draw(t, "token"))
	}
	if rapid.Bool().Draw(t, "unix") {
		id.Peer = user(rapid.Uint32Range(0, 3).Draw(t, "uid"), 0).Peer
	} else {
		id.Peer = at(rapid.SampledFrom(someAddrs).Draw(t, "addr"))
	}
	return id
}

// A2: whatever the rules, the client and the tube, May is what the naive evaluation says,
// also when the answer is remembered.
func TestUnionAgainstNaive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rules := rapid.SliceOfN(rapid.Custom(drawRule), 1, 5).Draw(t, "rules")
		p := must.Get(New(rules))
		id := drawIdentity(t)
		s := p.Subject(id)
		for _, tube := range rapid.SliceOfN(rapid.StringMatching(`[abc]{0,5}`), 1, 20).Draw(t, "asked") {
			want := naive(rules, id, tube)
			if got := s.May(tube); got != want {
				t.Fatalf("%q: %v, want %v", tube, got, want)
			}
			if s.Anywhere()&want != want || s.Everywhere()&^want != 0 {
				t.Fatalf("%q: anywhere %v and everywhere %v do not enclose %v", tube, s.Anywhere(), s.Everywhere(),
					want)
			}
		}
	})
}

// A2 and A3: goroutines that ask for more tubes than are remembered get right answers.
func TestForgetting(t *testing.T) {
	p := policy(t, Rule{Networks: everyone, May: Put, Tubes: []string{"*1"}}, Rule{Networks: everyone, May: Peek,
		Tubes: []string{"2*"}})
	s := p.Subject(from("10.0.0.1"))
	var asking sync.WaitGroup
	for g := range 4 {
		asking.Go(func() {
			for i := range 3 * rememberedTubes {
				tube := strings.Repeat("2", i%2) + "tube" + string(rune('a'+i%26)) + strings.Repeat("x",
					(i+g)%200) + strings.Repeat("1", i/2%2)
				want := Rights(0)
				if strings.HasSuffix(tube, "1") {
					want |= Put
				}
				if strings.HasPrefix(tube, "2") {
					want |= Peek
				}
				if got := s.May(tube); got != want {
					t.Errorf("%q: %v, want %v", tube, got, want)
					return
				}
			}
		})
	}
	asking.Wait()
}
