package access

import (
	"crypto/x509/pkix"
	"testing"

	"beanfield/conn/secure"
)

// certified is a client with a certificate of these names.
func certified(subject pkix.Name) Identity {
	return Identity{Certificate: &secure.Identity{Subject: subject.String(), CommonName: subject.CommonName}}
}

// Each list is compared with its own part of a certificate, and with no other that reads the same.
func TestHolder(t *testing.T) {
	const name = "CN=alice,O=Ex"
	owners := map[string]Identity{
		"subject":     certified(pkix.Name{CommonName: "alice", Organization: []string{"Ex"}}),
		"common name": certified(pkix.Name{CommonName: name}),
		"DNS name":    {Certificate: &secure.Identity{DNSNames: []string{"x", name}}},
		"email":       {Certificate: &secure.Identity{Emails: []string{name}}},
		"URI":         {Certificate: &secure.Identity{URIs: []string{name}}},
		"none":        {},
	}
	for kind, h := range map[string]Holder{
		"subject": {Subjects: []string{name}}, "common name": {CommonNames: []string{name}},
		"DNS name": {DNSNames: []string{name}},
		"email":    {Emails: []string{name}}, "URI": {URIs: []string{name}},
	} {
		p := policy(t, Rule{Holder: h, May: Put, Tubes: []string{"t"}})
		for owns, id := range owners {
			if may := p.Subject(id).May("t") == Put; may != (owns == kind) {
				t.Errorf("a rule for the %s holds for who has it as %s: %v", kind, owns, may)
			}
		}
	}
	both := policy(t, Rule{Holder: Holder{CommonNames: []string{"a*"}, Emails: []string{"*@example.org"}}, May: Put,
		Tubes: []string{"t"}})
	for _, c := range []struct {
		id   secure.Identity
		want Rights
	}{
		{secure.Identity{CommonName: "alice", Emails: []string{"alice@example.org"}}, Put},
		{secure.Identity{CommonName: "bob", Emails: []string{"alice@example.org"}}, 0},
		{secure.Identity{CommonName: "alice"}, 0},
	} {
		if got := both.Subject(Identity{Certificate: &c.id}).May("t"); got != c.want {
			t.Errorf("%+v may %v", c.id, got)
		}
	}
}

// What somebody is called cannot take the place of an attribute that a pattern asks for.
func TestSubjectPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern string
		subject pkix.Name
		want    bool
	}{
		{"CN=*,O=Example", pkix.Name{CommonName: "alice", Organization: []string{"Example"}}, true},
		{"CN=*,O=Example", pkix.Name{CommonName: "alice", OrganizationalUnit: []string{"a,b"},
			Organization: []string{"Example"}}, true},
		{"CN=*,O=Example", pkix.Name{CommonName: "x,O=Example"}, false},
		{"CN=*,O=Example", pkix.Name{CommonName: "x\x00,O=Example"}, false},
		{"CN=*,O=Example", pkix.Name{CommonName: `x\,O=Example`}, false},
		{"CN=*,O=Example", pkix.Name{CommonName: "x", Organization: []string{"Other,O=Example"}}, false},
		{`CN=x\,O=Example`, pkix.Name{CommonName: "x,O=Example"}, true},
		{`CN=x\,O=Example`, pkix.Name{CommonName: "x", Organization: []string{"Example"}}, false},
		{"CN=x*", pkix.Name{CommonName: "x,O=Example"}, true},
		{"*", pkix.Name{CommonName: `\`}, true},
	} {
		p := policy(t, Rule{Holder: Holder{Subjects: []string{c.pattern}}, May: Put, Tubes: []string{"t"}})
		if got := p.Subject(certified(c.subject)).May("t") == Put; got != c.want {
			t.Errorf("%s matches %s: %v", c.pattern, c.subject.String(), got)
		}
	}
}
