package config

import (
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

func asPeer(v any) (uint32, error) {
	n, err := asNumber(v, 0, math.MaxUint32)
	return uint32(n), err
}

func showNumbers(list []uint32) string { return strings.ReplaceAll(fmt.Sprint(list), " ", ", ") }

func checkHash(s string) error {
	_, err := access.ParseHash(s)
	return err
}

func asNetwork(s string) (netip.Prefix, error) {
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
	rights, err := each(text(access.ParseRight))(v)
	for _, one := range rights {
		may |= one
	}
	return may, err
}

func showRights(may access.Rights) string { return showTexts(strings.Split(may.String(), ", ")) }

// access reads the array of rules.
func (r *fileReader) access(key toml.Key, v any) {
	rules, ok := elements(r, key, v, "tables", fresh[access.Rule](accessKey), (*element).rule)
	r.config.Access, r.config.Open = rules, ok && len(rules) == 0
}

// rule notes it if a rule names nobody.
func (e *element) rule(*access.Rule) {
	if !slices.ContainsFunc(append(who, oldCertificate), func(name string) bool { _, ok := e.table[name]; return ok }) {
		e.missing(e.line, accessKey, "the rule names nobody", "one or several of "+join(who))
	}
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
	return inOneLine(slices.DeleteFunc(rowsOf(accessKey, r), func(s setting) bool { return s.show() == "[]" }))
}
