package access

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"errors"
)

// Hash is the SHA-256 hash of a token.
type Hash [sha256.Size]byte

// errNoHash does not show the text: somebody may have written the token itself.
var errNoHash = errors.New("not the SHA-256 hash of a token, 64 hexadecimal digits")

// HashOf returns a token's hash.
func HashOf(token string) Hash { return sha256.Sum256([]byte(token)) }

// ParseHash reads a hash as the configuration has it.
func ParseHash(text string) (h Hash, err error) {
	b, err := hex.DecodeString(text)
	if err != nil || len(b) != len(h) {
		return Hash{}, errNoHash
	}
	return Hash(b), nil
}

// String is the hash as the configuration has it.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// NewToken returns a random token, of characters that stand in every protocol's lines.
func NewToken() string {
	var b [32]byte
	rand.Read(b[:])
	return base64.RawURLEncoding.EncodeToString(b[:])
}

// IsAmong says whether h is one of the hashes. How long that takes does not depend on
// which one it is, or whether.
func (h *Hash) IsAmong(list []Hash) bool {
	found := 0
	for i := range list {
		found |= subtle.ConstantTimeCompare(h[:], list[i][:])
	}
	return found == 1
}
