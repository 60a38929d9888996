package main

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"strconv"
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
	{
		key: "access.token", unit: "SHA-256 hashes", secret: true,
		allowed: `the hash that "beanfield token" prints, or a list of hashes`,
		set:     func(r *access.Rule, v any) (err error) { r.Tokens, err = each(v, asHash); return err },
		show:    func(r *access.Rule) string { return showTexts(r.Tokens) },
	},
	holder("subject", func(h *access.Holder) *[]string { return &h.Subjects }),
	holder("common_name", func(h *access.Holder) *[]string { return &h.CommonNames }),
	holder("dns_name", func(h *access.Holder) *[]string { return &h.DNSNames }),
	holder("email", func(h *access.Holder) *[]string { return &h.Emails }),
	holder("uri", func(h *access.Holder) *[]string { return &h.URIs }),
	peers("access.uid", func(r *access.Rule) *[]uint32 { return &r.UIDs }),
	peers("access.gid", func(r *access.Rule) *[]uint32 { return &r.GIDs }),
	{
		key: "access.network", unit: "networks",
		allowed: `a network, as "10.0.0.0/8", or an address, or a list of them`,
		set:     func(r *access.Rule, v any) (err error) { r.Networks, err = each(v, asNetwork); return err },
		show: func(r *access.Rule) string {
			var list []string
			for _, n := range r.Networks {
				list = append(list, n.String())
			}
			return showTexts(list)
		},
	},
	{
		key: "access.may", unit: "words", allowed: `a list of "` + strings.Join(access.RightNames(), `", "`) + `"`,
		set:  setMay,
		show: func(r *access.Rule) string { return showTexts(strings.Split(r.May.String(), ", ")) },
	},
	{
		key: "access.tubes", unit: "patterns", allowed: `a name, or a list, in which * stands for any characters, also none`,
		set:  func(r *access.Rule, v any) (err error) { r.Tubes, err = each(v, asPattern); return err },
		show: func(r *access.Rule) string { return showTexts(r.Tubes) },
	},
})

// holder is a setting with patterns for a part of a certificate.
func holder(part string, field func(*access.Holder) *[]string) setting[access.Rule] {
	return setting[access.Rule]{
		key: accessKey + "." + part, unit: "patterns", allowed: `a pattern for this part of a certificate, or a list; * stands for any characters`,
		set:  func(r *access.Rule, v any) (err error) { *field(&r.Holder), err = each(v, asPattern); return err },
		show: func(r *access.Rule) string { return showTexts(*field(&r.Holder)) },
	}
}

// peers is a setting with numbers of users or groups.
func peers(key string, field func(*access.Rule) *[]uint32) setting[access.Rule] {
	return setting[access.Rule]{
		key: key, unit: "numbers", allowed: `a number, or a list of numbers`,
		set: func(r *access.Rule, v any) (err error) {
			*field(r), err = each(v, func(v any) (uint32, error) {
				n, err := asNumber(v, 0, math.MaxUint32)
				return uint32(n), err
			})
			return err
		},
		show: func(r *access.Rule) string {
			var list []string
			for _, n := range *field(r) {
				list = append(list, strconv.Itoa(int(n)))
			}
			return "[" + strings.Join(list, ", ") + "]"
		},
	}
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

func setMay(r *access.Rule, v any) error {
	rights, err := each(v, func(v any) (access.Rights, error) {
		s, err := asText(v)
		if err != nil {
			return 0, err
		}
		return access.ParseRight(s)
	})
	r.May = 0
	for _, one := range rights {
		r.May |= one
	}
	return err
}

// access reads the array of rules.
func (r *fileReader) access(key toml.Key, v any) {
	tables, ok := asTables(v)
	if !ok {
		r.wrong(r.lines.at(key, 0), key, v, wrongKind(v).Error(), "tables, as [[access]] with "+join(keysBelow(key)))
		return
	}
	r.config.Open = len(tables) == 0
	for i, table := range tables {
		rule := access.Rule{Tubes: []string{"*"}}
		r.accessElement(key, r.lines.element(key, i, len(tables)), table, &rule)
		r.config.Access = append(r.config.Access, rule)
	}
}

func (r *fileReader) accessElement(path toml.Key, line int, table map[string]any, rule *access.Rule) {
	missing := func(key, problem, allowed string) {
		r.mistakes = append(r.mistakes, Mistake{File: r.path, Line: line, Key: key, Problem: problem, Allowed: allowed})
	}
	if !slices.ContainsFunc(append(who, oldCertificate), func(name string) bool { _, ok := table[name]; return ok }) {
		missing(accessKey, "the rule names nobody", "one or several of "+join(who))
	}
	if _, ok := table["may"]; !ok {
		missing("access.may", "missing", findSetting(accessSettings, "access.may").allowed)
	}
	for name, v := range table {
		key := child(path, name)
		at := r.lines.at(key, line)
		row := findSetting(accessSettings, key.String())
		if name == oldCertificate {
			r.wrong(at, key, v, "it does not say for which part of the certificate this is", join(parts)+" instead of it")
		} else if row == nil {
			r.unknown(at, key, v, join(keysBelow(path)))
		} else if err := row.set(rule, v); err != nil {
			r.wrong(at, key, v, err.Error(), row.allowed)
			if row.secret {
				r.mistakes[len(r.mistakes)-1].Value = "" // somebody may have written the token itself
			}
		}
	}
}

// findPolicy makes the policy of the rules, if they could be read.
func (c *Config) findPolicy(ms Mistakes) Mistakes {
	if len(ms) > 0 {
		return nil // rules that lack what could not be read are not to be used
	}
	var err error
	if c.policy, err = access.New(c.Access); err != nil {
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
