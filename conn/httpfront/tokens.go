package httpfront

import (
	"crypto/subtle"

	"beanfield/conn/access"
)

// Tokens are those that clients may have if there are no rules: their hashes, so that they
// can be compared in constant time.
type Tokens []access.Hash

// NewTokens returns tokens that know these texts.
func NewTokens(texts []string) Tokens {
	var t Tokens
	for _, text := range texts {
		t = append(t, access.HashOf(text))
	}
	return t
}

// has says whether a token with this hash is right. How long that takes does not depend
// on which token it is, nor on how much of it is right.
func (t Tokens) has(h *access.Hash) bool {
	right := 0
	for i := range t {
		right |= subtle.ConstantTimeCompare(h[:], t[i][:])
	}
	return right == 1
}
