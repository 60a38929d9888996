package config

import (
	"errors"
	"fmt"
	"net/netip"
	"reflect"
	"slices"
	"strconv"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/admin"
	"beanfield/conn/beanstalk/protocol"
	"beanfield/conn/httpfront"
)

// kind is what settings of one kind have in common: how a value is read, and shown.
type kind struct {
	unit    string
	allowed func(s *setting) string
	secret  bool // its values are never shown; somebody may have written the secret itself
	read    func(s *setting, v any) (any, error)
	show    func(s *setting) string
}

// of is a kind whose settings have neither bounds nor words.
func of[V any](unit, allowed string, read func(any) (V, error), show func(V) string) kind {
	return kind{unit, func(*setting) string { return allowed }, false,
		func(_ *setting, v any) (any, error) { return read(v) },
		func(s *setting) string { return show(s.field.Interface().(V)) }}
}

// hiding is the same kind, of secrets.
func hiding(k kind) kind {
	k.secret = true
	return k
}

// bounded is a kind of numbers between bounds, which bound shows in what is allowed. A field counts them in units of
// so many.
func bounded(name, allowed string, unit int64, bound func(int64) string,
	read func(v any, lo, hi int64) (int64, error), show func(int64) string) kind {
	return kind{name, func(s *setting) string { return fmt.Sprintf(allowed, bound(s.lo), bound(s.hi)) }, false,
		func(s *setting, v any) (any, error) {
			n, err := read(v, s.lo, s.hi)
			if err == nil && n%unit != 0 {
				err = errors.New("not whole seconds")
			}
			return n / unit, err
		}, func(s *setting) string { return show(integer(s.field) * unit) }}
}

// integer is the value of a field that is a number.
func integer(x reflect.Value) int64 {
	if x.CanInt() {
		return x.Int()
	}
	return int64(x.Uint())
}

// choice is a kind of which the value is the place of its word among all: a number, or whether it is the second.
var choice = kind{"word", wordsOf, false, func(s *setting, v any) (any, error) {
	word, err := asWord(s, v)
	place := slices.Index(s.words, word)
	if s.yesNo() {
		return place == 1, err
	}
	return place, err
}, func(s *setting) string {
	place := 0
	switch {
	case !s.yesNo():
		place = int(integer(s.field))
	case s.field.Bool():
		place = 1
	}
	return quote(s.words[place])
}}

func wordsOf(s *setting) string { return inQuotes(s.words) }

func decimal(n int64) string { return strconv.FormatInt(n, 10) }

// kinds are all kinds, by the names that they have in the table.
var kinds = map[string]kind{
	"number": bounded("", "0 to %[2]s", 1, decimal, asNumber, decimal),
	"size": bounded("bytes", `%s to %s, or text with a unit: "64KiB", "1MiB", "1GiB"`, 1, decimal, asSize,
		showSize),
	"span": bounded("time", "text with a unit, from %s to %s", 1, showTime, asTime, showTime),
	"seconds": bounded("time", "whole seconds with a unit, from %s to %s", int64(time.Second), showTime, asTime,
		showTime),
	"word": {"word", wordsOf, false, func(s *setting, v any) (any, error) { return asWord(s, v) },
		func(s *setting) string { return quote(s.field.String()) }},
	"choice": choice,
	// of which older files have true or false
	"quoting": {"word", func(s *setting) string {
		return wordsOf(s) + `; also true for "always", and false for "never"`
	}, false, func(s *setting, v any) (any, error) {
		switch v {
		case true:
			return protocol.QuoteAlways, nil
		case false:
			return protocol.QuoteNever, nil
		}
		return choice.read(s, v)
	}, choice.show},
	"truth": of("true or false", "true, false", as[bool], strconv.FormatBool),
	// for what is true by default: the field has its opposite
	"not": of("true or false", "true, false",
		func(v any) (bool, error) { b, err := as[bool](v); return !b, err },
		func(b bool) string { return strconv.FormatBool(!b) }),
	// whether what a text names exists is checked later
	"text":    of("", "", as[string], quote),
	"texts":   of("", "", list(anyText), showTexts),
	"name":    of("", "", text(checked(checkTubeName)), quote),
	"plain":   of("", "", text(checked(checkPlainOrNone)), quote),
	"pattern": of("pattern", "", text(checked(checkPattern)), quote),
	"address": of("address", `"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, `+
		fmt.Sprintf("a port a number up to 65535 or the name of a service, a path at most %d bytes", maxUnixPath),
		text(parseAddress), showName),
	"addresses": of("addresses", "", list(asListedAddress), showNames[Address]),
	"mode": of("octal digits", `text from "0001" to "0777", or "" to leave it to the umask`, text(asMode),
		showMode),
	"group": of("name of a group", `a group of this machine, by name or number, or "" for that of the process`,
		text(asGroup), func(g Group) string { return quote(g.Name) }),
	"secret": hiding(of("text", `any text; "" for none`, as[string], showSecret)),
	"secrets": hiding(of("texts", `a list of texts, none of them ""; [] to let everybody in`,
		list(checked(checkSecret)), showSecrets)),
	"hosts": of("names", `a list of names without port, in which * stands for any characters, `+
		`as "queue.example.org"; [] for none`, list(checked(checkHost)), showTexts),
	"origins": of("origins", `a list of origins, in which * stands for any characters, `+
		`as "https://example.org" or "http://localhost:*"; "null" for files; [] for none`,
		list(checked(checkOrigin)), showTexts),
	"aliases": of("names", fmt.Sprintf("a list with %q, or []", admin.BeanstalkdExporter), list(checked(checkAlias)),
		showTexts),
	"replicas": of("nodes", "1, 3, 5", asReplicas, strconv.Itoa),
	"engines": hiding(of("URLs", `a list of URLs, as "nats://user:password@host:4222" or "tls://host:4222"; `+
		`[] for the embedded engine`, list(checked(checkEngine)), showEngines)),
	"nodes": of("addresses", `a table of names with "host:port", as a = "10.0.0.1:11390"; {} for one machine`, nil,
		showNodes),
	"fate": {"word", func(*setting) string { return `"bury", "delete", or the name of another tube` }, false, asFate,
		showFate},
	"retry": of("time", `a time such as "10s", or two such as "1s..1h", from 1ms to 8760h; "" for no delay`,
		text(asRetry), showRetry),
	"hashes": hiding(of("SHA-256 hashes", `the hash that "beanfield token" prints, or a list of hashes`,
		each(text(checked(checkHash))), showTexts)),
	"holder": of("patterns", `a pattern for this part of a certificate, or a list; * stands for any characters`,
		each(text(checked(checkPattern))), showTexts),
	"peers": of("numbers", `a number, or a list of numbers`, each(asPeer), showNumbers),
	"networks": of("networks", `a network, as "10.0.0.0/8", or an address, or a list of them`, each(text(asNetwork)),
		showNames[netip.Prefix]),
	"rights": of("words", `a list of `+inQuotes(access.RightNames()), asRights, showRights),
	"patterns": of("patterns", `a name, or a list, in which * stands for any characters, also none`,
		each(text(checked(checkPattern))), showTexts),
}

// text reads a text, of which parse makes the value.
func text[V any](parse func(string) (V, error)) func(any) (V, error) {
	return func(v any) (x V, err error) {
		s, err := as[string](v)
		if err == nil {
			x, err = parse(s)
		}
		return x, err
	}
}

// list reads an array of texts. An empty one is nil.
func list[V any](parse func(string) (V, error)) func(any) ([]V, error) {
	return func(v any) (all []V, err error) {
		array, err := as[[]any](v)
		for _, e := range array {
			s, err := as[string](e)
			if err != nil {
				return nil, inList(err)
			}
			x, err := parse(s)
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		return all, err
	}
}

// each takes one value or an array of them, which must not be empty: a list that names nobody is more likely a mistake
// than meant.
func each[V any](one func(any) (V, error)) func(v any) ([]V, error) {
	return func(v any) (all []V, err error) {
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
				err = inList(err)
			}
			if err != nil {
				return nil, err
			}
			all = append(all, x)
		}
		return all, nil
	}
}

func inList(err error) error { return fmt.Errorf("in the list: %w", err) }

// checked is a text that stays as it is.
func checked(check func(string) error) func(string) (string, error) {
	return func(s string) (string, error) { return s, check(s) }
}

func anyText(s string) (string, error) { return s, nil }

func checkHost(s string) error {
	_, err := httpfront.NewGuard([]string{s}, nil)
	return err
}

func checkOrigin(s string) error {
	_, err := httpfront.NewGuard(nil, []string{s})
	return err
}
