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
	"beanfield/shard/queue"
)

// kind is what settings of one kind have in common: how a value is read, and shown.
type kind struct {
	unit    string
	allowed func(s *setting) string
	secret  bool // its values are never shown; somebody may have written the secret itself
	read    func(s *setting, v any) (any, error)
	show    func(s *setting, x reflect.Value) string
}

// of is a kind whose settings have neither bounds nor words.
func of[V any](unit, allowed string, read func(any) (V, error), show func(V) string) kind {
	return kind{unit, func(*setting) string { return allowed }, false,
		func(_ *setting, v any) (any, error) { return read(v) },
		func(_ *setting, x reflect.Value) string { return show(x.Interface().(V)) }}
}

// hiding is the same kind, of secrets.
func hiding(k kind) kind {
	k.secret = true
	return k
}

// integer is the value of a field that is a number.
func integer(x reflect.Value) int64 {
	if x.CanInt() {
		return x.Int()
	}
	return int64(x.Uint())
}

// times is a kind of times, in fields that count them in units.
func times(unit time.Duration, allowed string) kind {
	return kind{"time", func(s *setting) string {
		return fmt.Sprintf(allowed, showTime(time.Duration(s.lo)), showTime(time.Duration(s.hi)))
	}, false, func(s *setting, v any) (any, error) {
		d, err := asTime(v, time.Duration(s.lo), time.Duration(s.hi))
		if err == nil && d%unit != 0 {
			err = errors.New("not whole seconds")
		}
		return d / unit, err
	}, func(_ *setting, x reflect.Value) string { return showTime(time.Duration(integer(x)) * unit) }}
}

// choice is a kind of which the value is the place of its word among all: a number, or whether it is the second.
var choice = kind{"word", wordsOf, false, func(s *setting, v any) (any, error) {
	word, err := asWord(v, s.words)
	place := slices.Index(s.words, word)
	if s.field.Kind() == reflect.Bool {
		return place == 1, err
	}
	return place, err
}, func(s *setting, x reflect.Value) string {
	if x.Kind() == reflect.Bool {
		return quote(s.words[map[bool]int{true: 1}[x.Bool()]])
	}
	return quote(s.words[integer(x)])
}}

func wordsOf(s *setting) string { return inQuotes(s.words) }

// kinds are all kinds, by the names that they have in the table.
var kinds = map[string]kind{
	"number": {"", func(s *setting) string { return fmt.Sprintf("0 to %d", s.hi) }, false,
		func(s *setting, v any) (any, error) { return asNumber(v, s.lo, s.hi) },
		func(_ *setting, x reflect.Value) string { return strconv.FormatInt(integer(x), 10) }},
	"size": {"bytes", func(s *setting) string {
		return fmt.Sprintf(`%d to %d, or text with a unit: "64KiB", "1MiB", "1GiB"`, s.lo, s.hi)
	}, false, func(s *setting, v any) (any, error) { return asSize(v, s.lo, s.hi) },
		func(_ *setting, x reflect.Value) string { return showSize(integer(x)) }},
	"span":    times(1, "text with a unit, from %s to %s"),
	"seconds": times(time.Second, "whole seconds with a unit, from %s to %s"),
	"word": {"word", wordsOf, false, func(s *setting, v any) (any, error) { return asWord(v, s.words) },
		func(_ *setting, x reflect.Value) string { return quote(x.String()) }},
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
	"truth": of("true or false", "true, false", asTruth, strconv.FormatBool),
	// for what is true by default: the field has its opposite
	"not": of("true or false", "true, false",
		func(v any) (bool, error) { b, err := asTruth(v); return !b, err },
		func(b bool) string { return strconv.FormatBool(!b) }),
	// whether what a text names exists is checked later
	"text":    of("", "", asText, quote),
	"texts":   of("", "", asTexts, showTexts),
	"name":    of("", "", asTubeName, quote),
	"plain":   of("", "", asPlain, quote),
	"pattern": of("pattern", "", asPattern, quote),
	"address": of("address", `"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, `+
		fmt.Sprintf("a port a number up to 65535 or the name of a service, a path at most %d bytes", maxUnixPath),
		asAddress, showName),
	"addresses": of("addresses", "", asAddresses, showNames[Address]),
	"mode":      of("octal digits", `text from "0001" to "0777", or "" to leave it to the umask`, asMode, showMode),
	"group": of("name of a group", `a group of this machine, by name or number, or "" for that of the process`, asGroup,
		func(g Group) string { return quote(g.Name) }),
	"secret":  hiding(of("text", `any text; "" for none`, asText, showSecret)),
	"secrets": hiding(of("texts", `a list of texts, none of them ""; [] to let everybody in`, asSecrets, showSecrets)),
	"hosts": of("names", `a list of names without port, in which * stands for any characters, `+
		`as "queue.example.org"; [] for none`, asHosts, showTexts),
	"origins": of("origins", `a list of origins, in which * stands for any characters, `+
		`as "https://example.org" or "http://localhost:*"; "null" for files; [] for none`, asOrigins, showTexts),
	"aliases":  of("names", fmt.Sprintf("a list with %q, or []", admin.BeanstalkdExporter), asAliases, showTexts),
	"replicas": of("nodes", "1, 3, 5", asReplicas, strconv.Itoa),
	"engines": hiding(of("URLs", `a list of URLs, as "nats://user:password@host:4222" or "tls://host:4222"; `+
		`[] for the embedded engine`, asEngines, showEngines)),
	"nodes": of("addresses", `a table of names with "host:port", as a = "10.0.0.1:11390"; {} for one machine`, nil,
		showNodes),
	"fate": {"word", func(*setting) string { return `"bury", "delete", or the name of another tube` }, false, asFate,
		showFate},
	"retry": of("time", `a time such as "10s", or two such as "1s..1h", from 1ms to 8760h; "" for no delay`, asRetry,
		showRetry),
	"hashes": hiding(of("SHA-256 hashes", `the hash that "beanfield token" prints, or a list of hashes`, each(asHash),
		showTexts)),
	"holder": of("patterns", `a pattern for this part of a certificate, or a list; * stands for any characters`,
		each(asPattern), showTexts),
	"peers": of("numbers", `a number, or a list of numbers`, each(asPeer), showNumbers),
	"networks": of("networks", `a network, as "10.0.0.0/8", or an address, or a list of them`, each(asNetwork),
		showNames[netip.Prefix]),
	"rights": of("words", `a list of `+inQuotes(access.RightNames()), asRights, showRights),
	"patterns": of("patterns", `a name, or a list, in which * stands for any characters, also none`, each(asPattern),
		showTexts),
}

func asPattern(v any) (string, error) {
	s, err := asText(v)
	if err == nil && s == "" {
		err = errors.New("empty")
	}
	return s, err
}

func asTubeName(v any) (string, error) {
	s, err := asText(v)
	if err == nil && !queue.ValidName([]byte(s)) {
		err = errors.New("not a name that a tube can have")
	}
	return s, err
}

// asPlain takes a name that can stand in file names and in the engine's subjects.
func asPlain(v any) (string, error) {
	s, err := asText(v)
	if err == nil && s != "" {
		err = checkPlain(s)
	}
	return s, err
}

func asHosts(v any) ([]string, error) {
	list, err := asTexts(v)
	if err == nil {
		_, err = httpfront.NewGuard(list, nil)
	}
	return list, err
}

func asOrigins(v any) ([]string, error) {
	list, err := asTexts(v)
	if err == nil {
		_, err = httpfront.NewGuard(nil, list)
	}
	return list, err
}

// showSecrets shows no list: whoever copies it into a file gets a mistake, and not a server that lets everybody in.
func showSecrets(list []string) string {
	if n := len(list); n > 0 {
		return quote(strconv.Itoa(n) + ", not shown")
	}
	return showTexts(nil)
}
