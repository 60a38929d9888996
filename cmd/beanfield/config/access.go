package config

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"beanfield/conn/access"
)

const accessKey = "access"

// who are the keys of [[access]] that say for whom a rule holds.
var who = []string{"token", "subject", "common_name", "dns_name", "email", "uri", "uid", "gid", "network"}

// parts are those of them that name a part of a certificate. There was one key, certificate, for
// all of them: a name could be taken for a whole subject.
var parts = []string{"subject", "common_name", "dns_name", "email", "uri"}

const oldCertificate = "certificate"

// accessSettings are the keys of each [[access]].
var accessSettings = allLive([]setting[access.Rule]{
	text("access.name", "", "text", `any text; "" for the rule's number`, func(r *access.Rule) *string { return &r.Name }),
	secret(list("token", "SHA-256 hashes", `the hash that "beanfield token" prints, or a list of hashes`,
		func(r *access.Rule) *[]string { return &r.Tokens }, asHash, showTexts)),
	holder("subject", func(h *access.Holder) *[]string { return &h.Subjects }),
	holder("common_name", func(h *access.Holder) *[]string { return &h.CommonNames }),
	holder("dns_name", func(h *access.Holder) *[]string { return &h.DNSNames }),
	holder("email", func(h *access.Holder) *[]string { return &h.Emails }),
	holder("uri", func(h *access.Holder) *[]string { return &h.URIs }),
	list("uid", "numbers", `a number, or a list of numbers`, func(r *access.Rule) *[]uint32 { return &r.UIDs }, asPeer, showNumbers),
	list("gid", "numbers", `a number, or a list of numbers`, func(r *access.Rule) *[]uint32 { return &r.GIDs }, asPeer, showNumbers),
	list("network", "networks", `a network, as "10.0.0.0/8", or an address, or a list of them`,
		func(r *access.Rule) *[]netip.Prefix { return &r.Networks }, asNetwork, showNames[netip.Prefix]),
	row("access.may", "", "words", `a list of "`+strings.Join(access.RightNames(), `", "`)+`"`,
		func(r *access.Rule) *access.Rights { return &r.May }, asRights,
		func(may access.Rights) string { return showTexts(strings.Split(may.String(), ", ")) }),
	list("tubes", "patterns", `a name, or a list, in which * stands for any characters, also none`,
		func(r *access.Rule) *[]string { return &r.Tubes }, asPattern, showTexts),
})

// list is a setting that is one value or several.
func list[V any](name, unit, allowed string, field func(*access.Rule) *[]V, one func(any) (V, error), show func([]V) string) setting[access.Rule] {
	return row(accessKey+"."+name, "", unit, allowed, field, func(v any) ([]V, error) { return each(v, one) }, show)
}

// secret is the same setting, whose wrong values are not shown: somebody may have written the token itself.
func secret(s setting[access.Rule]) setting[access.Rule] {
	s.secret = true
	return s
}

// holder is a setting with patterns for a part of a certificate.
func holder(part string, field func(*access.Holder) *[]string) setting[access.Rule] {
	return list(part, "patterns", `a pattern for this part of a certificate, or a list; * stands for any characters`,
		func(r *access.Rule) *[]string { return field(&r.Holder) }, asPattern, showTexts)
}

// each takes one value or an array of them, which must not be empty: a list that names
// nobody is more likely a mistake than meant.
func each[T any](v any, one func(any) (T, error)) ([]T, error) {
	array, ok := v.([]any)
	if !ok {
		array = []any{v}
	}
	if len(array) == 0 {
		return nil, errors.New("empty")
	}
	var list []T
	for _, e := range array {
		x, err := one(e)
		if err != nil && ok {
			err = fmt.Errorf("in the list: %w", err)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, x)
	}
	return list, nil
}

func asPeer(v any) (uint32, error) {
	n, err := asNumber(v, 0, math.MaxUint32)
	return uint32(n), err
}

func showNumbers(list []uint32) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ", ") }

func asHash(v any) (string, error) {
	s, err := asText(v)
	if err == nil {
		_, err = access.ParseHash(s)
	}
	return s, err
}

func asPattern(v any) (string, error) {
	s, err := asText(v)
	if err == nil && s == "" {
		err = errors.New("empty")
	}
	return s, err
}

func asNetwork(v any) (netip.Prefix, error) {
	s, err := asText(v)
	if err != nil {
		return netip.Prefix{}, err
	}
	if addr, err := netip.ParseAddr(s); err == nil && addr.Zone() == "" {
		return netip.PrefixFrom(addr, addr.BitLen()), nil
	}
	p, err := netip.ParsePrefix(s)
	if err != nil {
		return p, fmt.Errorf("%s is not a network", quote(s))
	}
	if p != p.Masked() {
		return p, fmt.Errorf("%s is an address in the network %s", quote(s), p.Masked())
	}
	return p, nil
}

func asRights(v any) (may access.Rights, err error) {
	rights, err := each(v, func(v any) (access.Rights, error) {
		s, err := asText(v)
		if err != nil {
			return 0, err
		}
		return access.ParseRight(s)
	})
	for _, one := range rights {
		may |= one
	}
	return may, err
}

// access reads the array of rules.
func (r *fileReader) access(key toml.Key, v any) {
	tables, ok := r.array(key, v, "tables")
	r.config.Open = ok && len(tables) == 0
	for i, table := range tables {
		rule := access.Rule{Tubes: []string{"*"}}
		r.accessElement(key, r.lines.element(key, i, len(tables)), table, &rule)
		r.config.Access = append(r.config.Access, rule)
	}
}

func (r *fileReader) accessElement(path toml.Key, line int, table map[string]any, rule *access.Rule) {
	if !slices.ContainsFunc(append(who, oldCertificate), func(name string) bool { _, ok := table[name]; return ok }) {
		r.missing(line, accessKey, "the rule names nobody", "one or several of "+join(who))
	}
	if _, ok := table["may"]; !ok {
		r.missing(line, "access.may", "missing", findSetting(accessSettings, "access.may").allowed)
	}
	if v, old := table[oldCertificate]; old {
		key := child(path, oldCertificate)
		r.wrong(r.lines.at(key, line), key, v, "it does not say for which part of the certificate this is", join(parts)+" instead of it")
		delete(table, oldCertificate)
	}
	read(r, path, line, table, accessSettings, rule)
}

// findPolicy makes the policy of the rules, if they could be read.
func (c *Config) findPolicy(ms Mistakes) Mistakes {
	if len(ms) > 0 {
		return nil // rules that lack what could not be read are not to be used
	}
	var err error
	if c.Policy, err = access.New(c.Access); err != nil {
		return Mistakes{{Key: accessKey, Problem: err.Error()}}
	}
	return nil
}

// showRule shows a rule on one line, without the kinds that it does not ask for: an empty
// list would be a mistake.
func showRule(r *access.Rule) string {
	var fields []string
	for _, s := range accessSettings {
		if v := s.show(r); v != "[]" {
			fields = append(fields, strings.TrimPrefix(s.key, accessKey+".")+" = "+v)
		}
	}
	return strings.Join(fields, ", ")
}
