package httpfront

import "beanfield/conn/access"

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
