package admin

import (
	"crypto/sha256"
	"crypto/subtle"
	"net/http"
	"strings"
)

// tokens are the hashes of those that a client may have, so that they can be compared in
// constant time.
type tokens [][sha256.Size]byte

func newTokens(list []string) tokens {
	var t tokens
	for _, token := range list {
		t = append(t, sha256.Sum256([]byte(token)))
	}
	return t
}

// admit says whether a request has a right token, or needs none.
func (t tokens) admit(r *http.Request) bool {
	if len(t) == 0 {
		return true
	}
	if _, password, ok := r.BasicAuth(); ok {
		return t.know(password)
	}
	scheme, token, ok := strings.Cut(r.Header.Get("Authorization"), " ")
	return ok && strings.EqualFold(scheme, "Bearer") && t.know(strings.TrimSpace(token))
}

// know says whether a token is right. How long that takes does not depend on how much of
// it is right.
func (t tokens) know(token string) bool {
	given, right := sha256.Sum256([]byte(token)), 0
	for i := range t {
		right |= subtle.ConstantTimeCompare(given[:], t[i][:])
	}
	return right == 1
}
