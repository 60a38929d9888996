package config

import (
	"net/netip"
	"reflect"
	"strings"
	"testing"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/storage/must"
)

// The rules that the example shows in comments are valid, and mean what they say.
func TestExampleAccess(t *testing.T) {
	c, _ := inComments(t, "[[access]]")
	want := []access.Rule{
		{
			Name: "mail workers", Tokens: []string{strings.Repeat("0123456789abcdef", 4)},
			Networks: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32")},
			May:      access.Put | access.Reserve, Tubes: []string{"mail", "mail-*"},
		},
		{Holder: access.Holder{Subjects: []string{"CN=monitor,O=Example"}}, May: access.Stats, Tubes: []string{"*"}},
		{UIDs: []uint32{0}, GIDs: []uint32{0}, May: access.Admin, Tubes: []string{"*"}},
	}
	if !reflect.DeepEqual(c.Access, want) {
		t.Errorf("read %+v", c.Access)
	}
	root := c.Policy.Subject(access.Identity{Peer: conn.Peer{Unix: true}})
	if root.Everywhere() != access.All || c.Policy.Subject(access.Identity{}).Anywhere() != 0 {
		t.Error("the policy is not that of the rules")
	}
}

// What -check-config prints is a file with the same rules.
func TestCheckConfigShowsRules(t *testing.T) {
	c := must.Get(load(t, "", `
[[access]]
token = ["`+access.HashOf("a").String()+`", "`+access.HashOf("b").String()+`"]
subject = "CN=*,O=Example"
common_name = ["a", "b"]
dns_name = ["*.example.org"]
email = "*@example.org"
uri = "spiffe://*"
network = "192.0.2.7"
may = ["put", "kick"]
tubes = "mail"
[[access]]
name = "local"
uid = [0, 4294967295]
gid = [7]
may = "peek"
`))
	again := must.Get(load(t, "", printed(t, c)))
	if len(c.Access) != 2 || !reflect.DeepEqual(again.Access, c.Access) {
		t.Errorf("printed %+v, and read %+v", c.Access, again.Access)
	}
	if c.Access[0].Networks[0].String() != "192.0.2.7/32" || c.Access[1].Tubes[0] != "*" {
		t.Errorf("read %+v", c.Access)
	}
}

// Without rules there is no policy: everyone may do everything.
func TestNoAccessRules(t *testing.T) {
	for _, text := range []string{"", "access = []\n"} {
		if c, err := load(t, "", text); err != nil || c.Policy != nil {
			t.Errorf("%q: %v, policy %v", text, err, c.Policy)
		}
	}
}

const (
	nobody = `access: the rule names nobody; allowed: one or several of token, subject, common_name, dns_name, ` +
		`email, uri, uid, gid, network`
	rights   = `allowed: a list of "put", "reserve", "delete", "peek", "kick", "pause", "stats", "admin"`
	ruleKeys = `name, token, subject, common_name, dns_name, email, uri, uid, gid, network, may, tubes`
	networks = `allowed: a network, as "10.0.0.0/8", or an address, or a list of them`
	numbers  = `allowed: a number, or a list of numbers`
)

// Mistakes in rules. SECRET must not be shown.
var accessMistakes = []mistaken{
	{"nobody", "[[access]]\nmay = ['put']\n", "FILE:1: " + nobody},
	{"empty", "[[access]]\n", "FILE:1: " + nobody + "\n" + `FILE:1: access.may: missing; ` + rights},
	{"no right", "[[access]]\nuid = 0\nmay = []\n", `FILE:3: access.may = [...]: empty; ` + rights},
	{"unknown right", "[[access]]\nuid = 0\nmay = ['put', 'write']\n",
		`FILE:3: access.may = [...]: in the list: "write" is not a right; ` + rights},
	{"token itself", "[[access]]\ntoken = 'SECRET'\nmay = 'put'\n",
		`FILE:2: access.token: not the SHA-256 hash of a token, 64 hexadecimal digits; allowed: the hash that "beanfield token" prints, or a list of hashes`},
	{"mistyped token", "[[access]]\nuid = 0\ntokens = 'SECRET'\nmay = 'put'\n",
		`FILE:3: access.tokens: unknown key; did you mean token? allowed: ` + ruleKeys + " in [access]"},
	{"mistyped key", "[[access]]\nuid = 0\nTOKEN = 'SECRET'\nmay = 'put'\n",
		`FILE:3: access.TOKEN: unknown key; did you mean token? allowed: ` + ruleKeys + " in [access]"},
	{"key outside", "Hash = 'SECRET'\n", `FILE:1: Hash: unknown key; allowed: ` + join(keysBelow(nil))},
	{"network", "[[access]]\nmay = 'put'\nnetwork = ['10.0.0.0/33']\n",
		"FILE:3: access.network = [...]: in the list: \"10.0.0.0/33\" is not a network; " + networks},
	{"host bits", "[[access]]\nmay = 'put'\nnetwork = '10.0.0.1/8'\n",
		"FILE:3: access.network = \"10.0.0.1/8\": \"10.0.0.1/8\" is an address in the network 10.0.0.0/8; " + networks},
	{"nobody in a list", "[[access]]\nmay = 'put'\ndns_name = []\n",
		"FILE:3: access.dns_name = [...]: empty; allowed: a pattern for this part of a certificate, or a list; * stands for any characters"},
	{"old key", "[[access]]\nmay = 'put'\ncertificate = 'CN=x'\n",
		`FILE:3: access.certificate = "CN=x": it does not say for which part of the certificate this is; ` +
			"allowed: subject, common_name, dns_name, email, uri instead of it"},
	{"uid", "[[access]]\nuid = -1\nmay = 'put'\n", "FILE:2: access.uid = -1: too small; " + numbers},
	{"gid", "[[access]]\ngid = ['staff']\nmay = 'put'\n", "FILE:2: access.gid = [...]: in the list: this is text; " +
		numbers},
	{"no tube", "[[access]]\ngid = 1\nmay = 'put'\ntubes = ['']\n",
		"FILE:4: access.tubes = [...]: in the list: empty; allowed: a name, or a list, in which * stands for any characters, also none"},
	{"table", "[access]\ngid = 1\nmay = 'put'\n", "FILE:1: access = {...}: this is a table; allowed: tables, as " +
		"[[access]] with " + ruleKeys},
	{"second rule", "[[access]]\nuid = 1\nmay = 'put'\n\n[[access]]\nmay = 'put'\n\n[[access]]\nuid = 1\nmay = 'gut'\n",
		`FILE:10: access.may = "gut": "gut" is not a right; ` + rights + "\nFILE:5: " + nobody},
}

// A file with mistakes in its rules starts no server; each mistake has its line and key.
func TestAccessMistakes(t *testing.T) { checkMistakes(t, accessMistakes) }
