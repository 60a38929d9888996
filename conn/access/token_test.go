package access

import (
	"regexp"
	"strings"
	"testing"
)

// Tokens differ, fit into a command line, and are known by their hashes alone.
func TestTokens(t *testing.T) {
	a, b := NewToken(), NewToken()
	if a == b || !regexp.MustCompile(`^[A-Za-z0-9_-]{43}$`).MatchString(a) {
		t.Errorf("tokens %q and %q", a, b)
	}
	h, err := ParseHash(strings.ToUpper(HashOf(a).String()))
	if err != nil || h != HashOf(a) {
		t.Errorf("%v, %v: not the hash that was written", h, err)
	}
	p := policy(t,
		Rule{Tokens: []string{HashOf("x").String()}, May: Put, Tubes: []string{"t"}},
		Rule{Tokens: []string{HashOf("y").String(), h.String()}, May: Put, Tubes: []string{"t"}})
	other := HashOf(b)
	if !p.Knows(&h) || p.Knows(&other) || (*Policy)(nil).Knows(&h) {
		t.Error("the policy knows other tokens than its own")
	}
	for _, text := range []string{"", a, h.String()[1:], h.String() + "00", "x" + h.String()[1:]} {
		if _, err := ParseHash(text); err == nil || text != "" && strings.Contains(err.Error(), text) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// Only a body that begins with the word shows a token, and only its beginning is looked at.
func TestShown(t *testing.T) {
	p := policy(t, Rule{Tokens: []string{HashOf("one").String()}, May: Put, Tubes: []string{"t"}})
	for body, want := range map[string]string{
		"oauth one": "one", "oauth \tone\tx": "one", "oauth one\r\n": "one", "oauth one\x00": "one", "oauth ": "",
		"oauth o": "o",
		"oauth one" + strings.Repeat(" ", LongestShown): "one", "oauth " + strings.Repeat(" ", LongestShown-9) +
			"one": "one",
		"oauth " + strings.Repeat(" ", LongestShown-8) + "one": "on",
	} {
		got, ok := Shown([]byte(body))
		if !ok || got != want {
			t.Errorf("%.20q shows %q, %v", body, got, ok)
		}
		if p.Exposes([]byte(body)) != (want == "one") || (*Policy)(nil).Exposes([]byte(body)) {
			t.Errorf("%.20q: the policy knows it or not", body)
		}
	}
	for _, body := range []string{"", "o", "oauth", "oauthone", "Oauth one", "one", " oauth one"} {
		if _, ok := Shown([]byte(body)); ok || p.Exposes([]byte(body)) {
			t.Errorf("%q shows a token", body)
		}
	}
}
