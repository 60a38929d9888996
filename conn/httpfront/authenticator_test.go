package httpfront

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/storage/must"
)

// stranger is a client with an address and nothing else.
func stranger(addr string) *Client {
	return &Client{from: &conn.Peer{Addr: netip.MustParseAddrPort(addr)}}
}

func newAuthenticator(t *testing.T, rules ...access.Rule) Authenticator {
	t.Helper()
	p := Authenticator{&access.Current{}, &access.Guesses{}}
	p.Current.Replace(policy(t, rules...))
	return p
}

func policy(t *testing.T, rules ...access.Rule) *access.Policy {
	t.Helper()
	return must.Get(access.New(rules))
}

func byToken(token string, may access.Rights, tubes ...string) access.Rule {
	return access.Rule{Name: token, Tokens: []string{access.HashOf(token).String()}, May: may, Tubes: tubes}
}

var home = access.Rule{Name: "home", Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, May: access.Stats,
	Tubes: []string{"*"}}

// Whom the authenticator lets in, with rules and without, and as whom.
func TestAuthenticate(t *testing.T) {
	rules := []access.Rule{byToken("mail", access.Put, "mail"), home}
	listed := NewTokens([]string{"listed", "other"})
	for _, c := range []struct {
		name   string
		rules  []access.Rule
		listed Tokens
		addr   string
		token  string
		who    string
		err    error
	}{
		{"no rules", nil, nil, "8.8.8.8:1", "", "", nil},
		{"no rules, any token", nil, nil, "8.8.8.8:1", "x", "", nil},
		{"listed", nil, listed, "8.8.8.8:1", "other", "", nil},
		{"the first of the list", nil, listed, "8.8.8.8:1", "listed", "", nil},
		{"not listed", nil, listed, "8.8.8.8:1", "others", "", ErrWrongToken},
		{"listed, no token", nil, listed, "8.8.8.8:1", "", "", ErrNoToken},
		{"a rule's token", rules, nil, "8.8.8.8:1", "mail", "mail", nil},
		{"a rule's token and network", rules, nil, "10.0.0.8:1", "mail", "mail, home", nil},
		{"network", rules, nil, "10.0.0.8:1", "", "home", nil},
		{"nobody", rules, nil, "8.8.8.8:1", "", "", ErrNoToken},
		{"a wrong token with a right network", rules, nil, "10.0.0.8:1", "x", "", ErrWrongToken},
		{"listed beside rules", rules, listed, "8.8.8.8:1", "listed", "", ErrWrongToken},
	} {
		synctest.Test(t, func(t *testing.T) {
			p, g := newAuthenticator(t, c.rules...), stranger(c.addr)
			for range 2 { // decided, and remembered
				s, err := p.Authenticate(t.Context(), g, c.token, c.listed)
				if !errors.Is(err, c.err) || s.Who() != c.who || (s == nil) != (c.rules == nil || c.err != nil) {
					t.Errorf("%s: %q, %v; want %q, %v", c.name, s.Who(), err, c.who, c.err)
				}
			}
		})
	}
}

// Another policy has its effect on a client that is there already, and so have other tokens.
func TestWithdrawal(t *testing.T) {
	p, g := newAuthenticator(t, byToken("mail", access.Put, "mail")), stranger("8.8.8.8:1")
	must.Get(p.Authenticate(t.Context(), g, "mail", nil))
	may := func(want bool, listed ...string) {
		t.Helper()
		if got := p.May(g, NewTokens(listed), "mail", access.Put); got != want {
			t.Errorf("it may: %v", got)
		}
	}
	may(true)
	p.Current.Replace(policy(t, byToken("mail", access.Put, "other")))
	may(false)
	p.Current.Replace(policy(t, byToken("other", access.Put, "mail")))
	may(false)
	p.Current.Replace(policy(t, byToken("mail", access.All, "m*")))
	may(true)
	p.Current.Replace(nil)
	may(true)
	may(true, "mail")
	may(false, "other")
	p.Current.Replace(policy(t, byToken("other", access.Put, "mail")))
	if _, err := p.Authenticate(t.Context(), g, "", nil); !errors.Is(err, ErrNoToken) {
		t.Errorf("without its token: %v", err)
	}
	may(false)
}

// What a client has shown while there were no rules, and nothing that it has shown before, counts
// when there are rules.
func TestTokenBeforeRules(t *testing.T) {
	p, g := newAuthenticator(t, byToken("a", access.Put, "t")), stranger("8.8.8.8:1")
	for _, shown := range []string{"a", "", "b", "a", "b"} {
		p.Current.Replace(policy(t, byToken("a", access.Put, "t")))
		must.Get(p.Authenticate(t.Context(), g, "a", nil))
		p.Current.Replace(nil)
		must.Get(p.Authenticate(t.Context(), g, shown, nil))
		p.Current.Replace(policy(t, byToken("a", access.Put, "t")))
		if may := p.May(g, nil, "t", access.Put); may != (shown == "a") {
			t.Errorf("after %q it may: %v", shown, may)
		}
		if _, err := p.Authenticate(t.Context(), g, shown, nil); (err == nil) != (shown == "a") {
			t.Errorf("%q is judged again: %v", shown, err)
		}
	}
}

// Each request on a connection is judged by its own token, and by the rules as they are.
func TestTokensOfOneConnection(t *testing.T) {
	p, g := newAuthenticator(t, byToken("a", access.Put, "t"), byToken("b", access.Put, "t"), home),
		stranger("10.0.0.1:1")
	for _, c := range []struct {
		token, who string
		err        error
	}{{"a", "a, home", nil}, {"b", "b, home", nil}, {"", "home", nil}, {"a", "a, home", nil}, {"x", "", ErrWrongToken},
		{"", "home", nil}} {
		if s, err := p.Authenticate(t.Context(), g, c.token, nil); s.Who() != c.who || !errors.Is(err, c.err) {
			t.Errorf("%q: %q, %v; want %q, %v", c.token, s.Who(), err, c.who, c.err)
		}
	}
	p.Authenticate(t.Context(), g, "a", nil)
	p.Current.Replace(policy(t, home))
	if _, err := p.Authenticate(t.Context(), g, "a", nil); !errors.Is(err, ErrWrongToken) {
		t.Errorf("with a token that was taken away: %v", err)
	}
}

// Whoever guesses is answered later and later. A right token never waits, however many wrong ones
// come from its address meanwhile, as behind a proxy; and only some of those wait at a time.
func TestGuesses(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newAuthenticator(t, byToken("mail", access.Put, "mail"))
		var mu sync.Mutex
		waits := map[time.Duration]int{}
		var guessing sync.WaitGroup
		for range 100 {
			guessing.Go(func() {
				begun := time.Now()
				if _, err := p.Authenticate(t.Context(), stranger("8.8.8.8:2"), "x", nil); !errors.Is(err,
					ErrWrongToken) {
					t.Errorf("%v, want %v", err, ErrWrongToken)
				}
				mu.Lock()
				waits[time.Since(begun)]++
				mu.Unlock()
			})
		}
		synctest.Wait()
		begun := time.Now()
		for range 2 {
			if _, err := p.Authenticate(t.Context(), stranger("8.8.8.8:1"), "mail", nil); err != nil ||
				time.Since(begun) > 0 {
				t.Errorf("a right token: %v after %v", err, time.Since(begun))
			}
		}
		guessing.Wait()
		if waits[0] == 100 || waits[0] < 90 || waits[access.LongestDelay] == 0 {
			t.Errorf("so many waited so long: %v", waits)
		}
		if _, err := p.Authenticate(t.Context(), stranger("8.8.8.8:2"), "x", nil); !errors.Is(err, ErrWrongToken) ||
			time.Since(begun) != 2*access.LongestDelay {
			t.Errorf("a wrong token when none waits: %v after %v", err, time.Since(begun))
		}
	})
}

// A wrong token holds up nobody who goes away.
func TestGuesserLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, begun := newAuthenticator(t, home), time.Now()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := p.Authenticate(ctx, stranger("8.8.8.8:1"), "x", nil); !errors.Is(err, ErrWrongToken) ||
			time.Since(begun) != 0 {
			t.Errorf("%v after %v", err, time.Since(begun))
		}
	})
}

// A client of a unix socket is known by its process.
func TestPeer(t *testing.T) {
	h := newHost(t, Options{})
	l := must.Get(net.Listen("unix", filepath.Join(t.TempDir(), "s")))
	address := l.Addr().String()
	h.serving.Go(func() { h.acceptor.Serve(l, h.Over(nil, nil)) })
	c := must.Get(net.Dial("unix", address))
	defer c.Close()
	h.await(1)
	for _, g := range h.present() {
		id := g.Identity()
		want := conn.Peer{Unix: true, PID: int32(os.Getpid()), UID: uint32(os.Getuid()), GID: uint32(os.Getgid())}
		if id.Peer != want || id.Certificate != nil {
			t.Errorf("%+v, want the peer %+v", id, want)
		}
	}
	c.Close()
	h.end(context.Background())
}
