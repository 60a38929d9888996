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

// accessRows are the keys of each [[access]].
func accessRows(r *access.Rule) []setting { return rowsOf(accessKey, r) }

// each takes one value or an array of them, which must not be empty: a list that names nobody is more likely a mistake
// than meant.
func each[T any](one func(any) (T, error)) func(v any) ([]T, error) {
	return func(v any) (list []T, err error) {
		array, ok := v.([]any)
		if !ok {
			array = []any{v}
		}
		if len(array) == 0 {
			return nil, errors.New("empty")
		}
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
	rights, err := each(asRight)(v)
	for _, one := range rights {
		may |= one
	}
	return may, err
}

func asRight(v any) (access.Rights, error) {
	s, err := asText(v)
	if err != nil {
		return 0, err
	}
	return access.ParseRight(s)
}

func showRights(may access.Rights) string { return showTexts(strings.Split(may.String(), ", ")) }

// access reads the array of rules.
func (r *fileReader) access(key toml.Key, v any) {
	rules, ok := elements(r, key, v, "tables", nil, (*element).rule, func(*element, *access.Rule) {})
	r.config.Access, r.config.Open = rules, ok && len(rules) == 0
}

// rule notes what a rule lacks, before it is read.
func (e *element) rule() access.Rule {
	if !slices.ContainsFunc(append(who, oldCertificate), func(name string) bool { _, ok := e.table[name]; return ok }) {
		e.missing(e.line, accessKey, "the rule names nobody", "one or several of "+join(who))
	}
	if _, ok := e.table["may"]; !ok {
		e.missing(e.line, "access.may", "missing", find(accessRows(new(access.Rule)), "access.may").allowed)
	}
	if _, old := e.table[oldCertificate]; old {
		e.wrong(oldCertificate, "it does not say for which part of the certificate this is", join(parts)+
			" instead of it")
		delete(e.table, oldCertificate)
	}
	return access.Rule{Tubes: []string{"*"}}
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
	return inOneLine(slices.DeleteFunc(accessRows(r), func(s setting) bool { return s.show() == "[]" }))
}
