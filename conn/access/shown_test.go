package access

import (
	"strings"
	"testing"
)

// Only a body that begins with the word shows a token, and only its beginning is looked at.
func TestShown(t *testing.T) {
	p := policy(t, Rule{Tokens: []string{HashOf("one").String()}, May: Put, Tubes: []string{"t"}})
	for body, want := range map[string]string{
		"oauth one": "one", "oauth \tone\tx": "one", "oauth one\r\n": "one", "oauth one\x00": "one", "oauth ": "", "oauth o": "o",
		"oauth one" + strings.Repeat(" ", LongestShown): "one", "oauth " + strings.Repeat(" ", LongestShown-9) + "one": "one",
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
