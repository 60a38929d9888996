package access

import (
	"strings"
	"testing"
)

func TestMatch(t *testing.T) {
	for _, c := range []struct {
		pattern string
		yes, no string // with commas
	}{
		{"a", "a", "b,aa,"},
		{"*", "a,abc,a/b,", "-"},
		{"a*", "a,ab,a/sink", "b,ba,"},
		{"*a", "a,ba,aba", "ab,"},
		{"a*c", "ac,abc,acc,a/c", "a,c,acb,ca"},
		{"a*b*c", "abc,axbyc,abbc,abcbc", "ac,acb,bc,abcd"},
		{"ab*ba", "abba,abxba", "aba,ab"},
	} {
		for _, name := range strings.Split(c.yes, ",") {
			if !Match(c.pattern, name) {
				t.Errorf("%q does not match %q", name, c.pattern)
			}
		}
		for _, name := range strings.Split(c.no, ",") {
			if Match(c.pattern, name) && c.no != "-" {
				t.Errorf("%q matches %q", name, c.pattern)
			}
		}
	}
}
