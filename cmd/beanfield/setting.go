package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// setting is one row of the table below: all that is known of a key of the
// file. The reader of the file, -check-config and the test of the example
// configuration all live on this table; a key exists because it has a row.
type setting[T any] struct {
	key     string // with its table, as "limits.max_job_size"
	flag    string // that wins over it, if there is one
	unit    string
	allowed string
	set     func(c *T, v any) error
	show    func(c *T) string // as TOML
}

// pebbleNotYet is the answer to the backend that comes next.
const pebbleNotYet = "not yet: this version keeps jobs in memory only"

// settings are the keys outside of [[listen]], in the order in which they are
// printed.
var settings = []setting[Config]{
	number("shards", "-shards", "shards", maxShards, func(c *Config) *int { return &c.Shards }),
	number("loops", "", "event loops", maxLoops, func(c *Config) *int { return &c.Loops }),
	{
		key: "user", flag: "-u", unit: "name of a user", allowed: `a user of this machine, or "" to stay who started it`,
		set:  func(c *Config, v any) (err error) { c.User, err = asText(v); return err },
		show: func(c *Config) string { return quote(c.User) },
	},
	{
		key: "limits.max_job_size", flag: "-z", unit: "bytes",
		allowed: fmt.Sprintf(`0 to %d, or text with a unit: "64KiB", "1MiB", "1GiB"`, maxJobSizeLimit),
		set: func(c *Config, v any) (err error) {
			c.Limits.MaxJobSize, err = asSize(v, 0, maxJobSizeLimit)
			return err
		},
		show: func(c *Config) string { return strconv.Itoa(c.Limits.MaxJobSize) },
	},
	number("limits.max_connections", "", "connections", maxConnections, func(c *Config) *int { return &c.Limits.MaxConnections }),
	backendSetting(),
	{
		key: "stats.quote_strings", unit: "true or false", allowed: "true, false",
		set:  func(c *Config, v any) (err error) { c.Stats.QuoteStrings, err = asBool(v); return err },
		show: func(c *Config) string { return strconv.FormatBool(c.Stats.QuoteStrings) },
	},
	oneOf("log.level", "-V", []string{"debug", "info", "warn", "error"}, func(c *Config) *string { return &c.Log.Level }),
	oneOf("log.format", "", []string{"text", "json"}, func(c *Config) *string { return &c.Log.Format }),
}

// listenSettings are the keys of each [[listen]].
var listenSettings = []setting[Listen]{
	{
		key: "listen.address", flag: "-l, -p", unit: "address",
		allowed: `"host:port", ":port", "[IPv6]:port" or "unix:PATH"; a host is an IP address or a name, ` +
			`a port a number up to 65535 or the name of a service, a path at most ` + strconv.Itoa(maxUnixPath) + ` bytes`,
		set: func(l *Listen, v any) error {
			s, err := asText(v)
			if err == nil {
				l.Address, err = parseAddress(s)
			}
			return err
		},
		show: func(l *Listen) string { return quote(l.Address.String()) },
	},
	{
		key: "listen.mode", unit: "octal digits", allowed: `text from "0001" to "0777", or "" to leave it to the umask`,
		set:  func(l *Listen, v any) (err error) { l.Mode, err = asMode(v); return err },
		show: func(l *Listen) string { return showMode(l.Mode) },
	},
}

// number is a setting from 0 to hi.
func number(key, flag, unit string, hi int, field func(*Config) *int) setting[Config] {
	return setting[Config]{
		key: key, flag: flag, unit: unit, allowed: fmt.Sprintf("0 to %d", hi),
		set:  func(c *Config, v any) (err error) { *field(c), err = asNumber(v, 0, int64(hi)); return err },
		show: func(c *Config) string { return strconv.Itoa(*field(c)) },
	}
}

// oneOf is a setting that is one of some words.
func oneOf(key, flag string, words []string, field func(*Config) *string) setting[Config] {
	return setting[Config]{
		key: key, flag: flag, unit: "word", allowed: `"` + strings.Join(words, `", "`) + `"`,
		set:  func(c *Config, v any) (err error) { *field(c), err = asWord(v, words); return err },
		show: func(c *Config) string { return quote(*field(c)) },
	}
}

func backendSetting() setting[Config] {
	s := oneOf("storage.backend", "", []string{"memory"}, func(c *Config) *string { return &c.Storage.Backend })
	set := s.set
	s.set = func(c *Config, v any) error {
		if v == "pebble" {
			return errors.New(pebbleNotYet)
		}
		return set(c, v)
	}
	return s
}
