package access

import (
	"errors"
	"slices"
	"strings"

	"beanfield/conn/secure"
)

// Holder says whose certificate a rule means, by patterns. Each list is compared with nothing but
// its own part of a certificate: otherwise an authority that checks only that a part is free of
// commas, or that it is a host's name, would give away what a rule meant for another part. As
// with the kinds of a Rule, a certificate must match each list that is not empty.
type Holder struct {
	Subjects    []string // the whole subject, as secure.Identity has it
	CommonNames []string // of the subject
	// Alternative names.
	DNSNames, Emails, URIs []string
}

func (h *Holder) lists() [][]string {
	return [][]string{h.Subjects, h.CommonNames, h.DNSNames, h.Emails, h.URIs}
}

// named says whether any holder is meant.
func (h *Holder) named() bool {
	for _, list := range h.lists() {
		if len(list) > 0 {
			return true
		}
	}
	return false
}

func (h *Holder) check() error {
	for _, list := range h.lists() {
		if slices.Contains(list, "") {
			return errors.New("a pattern for certificates is empty")
		}
	}
	return nil
}

// fits says whether a certificate is that of a holder; it is nil if there is none.
func (h *Holder) fits(c *secure.Identity) bool {
	if !h.named() {
		return true
	}
	if c == nil {
		return false
	}
	parts := [][]string{{opaque(c.Subject)}, {c.CommonName}, c.DNSNames, c.Emails, c.URIs}
	for i, list := range h.lists() {
		if len(list) > 0 && !MatchesAny(list, parts[i]...) {
			return false
		}
	}
	return true
}

// opaque returns a subject in which no escaped character is seen as what it stands for. In a
// subject and in a pattern for one, a comma without a backslash is the end of an attribute. So
// "CN=*,O=Example" must not match the subject of somebody who is called "x,O=Example", which is
// `CN=x\,O=Example`.
func opaque(subject string) string {
	if !strings.ContainsAny(subject, "\\\x00") {
		return subject
	}
	var b strings.Builder
	for i := 0; i < len(subject); i++ {
		switch c := subject[i]; {
		case c == '\\' && i+1 < len(subject):
			i++
			b.Write([]byte{0, subject[i] | 0x80})
		case c == 0:
			b.Write([]byte{0, 0})
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
