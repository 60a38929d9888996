package access

import "bytes"

// Clients whose library knows no command for it log in with a put whose body is "oauth TOKEN",
// and anything behind a space or a line's end. Such a body must never become a job while a rule
// knows the token: whoever may look at jobs, data or backups would have it. So all front ends ask here.

const shownWord = "oauth "

// LongestShown is how much of a body is looked at. A token that ends later is no token.
const LongestShown = 4 << 10

// Shown returns the token that a body shows, which begins as body does.
func Shown(body []byte) (token string, ok bool) {
	if !bytes.HasPrefix(body, []byte(shownWord)) {
		return "", false
	}
	body = bytes.TrimLeft(body[len(shownWord):min(len(body), LongestShown)], " \t")
	if i := bytes.IndexAny(body, " \t\r\n\x00"); i >= 0 {
		body = body[:i]
	}
	return string(body), true
}

// Exposes says whether a body shows a token that a rule knows. Only bodies that begin with
// "oauth " cost more than a comparison.
func (p *Policy) Exposes(body []byte) bool {
	if p == nil {
		return false
	}
	token, ok := Shown(body)
	if !ok {
		return false
	}
	h := HashOf(token)
	return p.Knows(&h)
}
