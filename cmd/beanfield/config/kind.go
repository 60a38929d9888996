package config

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"beanfield/shard/queue"
)

// The kinds of settings: each function makes the row of a key, with what is allowed and how it is checked.

// row is a setting of any kind: how its value is read, and shown.
func row[V any](key string, field *V, unit, allowed string, read func(v any) (V, error), show func(V) string) setting {
	return setting{
		key: key, unit: unit, allowed: allowed, field: field,
		set:  func(v any) (err error) { *field, err = read(v); return err },
		show: func() string { return show(*field) },
	}
}

type integer interface{ ~int | ~int64 | ~uint32 }

// number is a setting from 0 to hi.
func number[V integer](key string, field *V, unit string, hi int64) setting {
	return row(key, field, unit, fmt.Sprintf("0 to %d", hi),
		func(v any) (V, error) { n, err := asNumber(v, 0, hi); return V(n), err },
		func(n V) string { return strconv.FormatInt(int64(n), 10) })
}

// size is a setting in bytes.
func size[V integer](key string, field *V, lo, hi int64) setting {
	return row(key, field, "bytes", fmt.Sprintf(`%d to %d, or text with a unit: "64KiB", "1MiB", "1GiB"`, lo, hi),
		func(v any) (V, error) { n, err := asSize(v, lo, hi); return V(n), err },
		func(n V) string { return showSize(int64(n)) })
}

// span is a setting that is a time from lo to hi.
func span[V ~int64](key string, field *V, lo, hi time.Duration) setting {
	return row(key, field, "time", fmt.Sprintf(`text with a unit, from %s to %s`, showTime(lo), showTime(hi)),
		func(v any) (V, error) { d, err := asTime(v, lo, hi); return V(d), err },
		func(d V) string { return showTime(time.Duration(d)) })
}

// longest is the longest time in whole seconds that the protocol has.
const longest = (1<<32 - 1) * time.Second

// seconds is a time in whole seconds.
func seconds(key string, field *uint32, lo time.Duration) setting {
	allowed := fmt.Sprintf("whole seconds with a unit, from %s to %s", showTime(lo), showTime(longest))
	return row(key, field, "time", allowed, func(v any) (uint32, error) {
		d, err := asTime(v, lo, longest)
		if err == nil && d%time.Second != 0 {
			err = errors.New("not whole seconds")
		}
		return uint32(d / time.Second), err
	}, func(n uint32) string { return showTime(time.Duration(n) * time.Second) })
}

// text is a setting that may be any text; whether what it names exists is checked later.
func text(key string, field *string, unit, allowed string) setting {
	return row(key, field, unit, allowed, asText, quote)
}

// oneOf is a setting that is one of several words.
func oneOf(key string, field *string, words ...string) setting {
	return row(key, field, "word", inQuotes(words), func(v any) (string, error) { return asWord(v, words) }, quote)
}

// choice is a setting whose value is the place of its word among all.
func choice[V ~uint8](key string, field *V, words ...string) setting {
	return row(key, field, "word", inQuotes(words), func(v any) (V, error) {
		word, err := asWord(v, words)
		for i, w := range words {
			if w == word {
				return V(i), err
			}
		}
		return 0, err
	}, func(v V) string { return quote(words[v]) })
}

func inQuotes(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

// truth is a setting that is true or false.
func truth(key string, field *bool) setting {
	return row(key, field, "true or false", "true, false", asTruth, strconv.FormatBool)
}

// texts is a setting that is a list of texts.
func texts(key string, field *[]string, unit, allowed string) setting {
	return row(key, field, unit, allowed, asTexts, showTexts)
}

// secrets is a setting that is a list of tokens. Neither check-config nor a mistake shows
// them. What check-config shows instead is no list: whoever copies it into a file gets a
// mistake, and not a server that lets everybody in.
func secrets(key string, field *[]string) setting {
	const allowed = `a list of texts, none of them ""; [] to let everybody in`
	s := row(key, field, "texts", allowed, asSecrets, func(list []string) string {
		if n := len(list); n > 0 {
			return quote(strconv.Itoa(n) + ", not shown")
		}
		return showTexts(nil)
	})
	return hiding(s)
}

// hiding is the same setting, whose wrong values are not shown: somebody may have written the secret itself.
func hiding(s setting) setting {
	s.secret = true
	return s
}

// addresses is a list of addresses to listen on; without any there is none of what they are for.
func addresses(key string, field *[]Address, what string) setting {
	return row(key, field, "addresses", `a list of addresses as in listen.address; [] for `+what, asAddresses,
		showNames)
}

// pattern is a setting that names tubes or queues.
func pattern(key string, field *string, what string) setting {
	const allowed = `a %s's name, in which * stands for any characters, also none`
	return row(key, field, "pattern", fmt.Sprintf(allowed, what), asPattern, quote)
}

func asPattern(v any) (string, error) {
	s, err := asText(v)
	if err == nil && s == "" {
		err = errors.New("empty")
	}
	return s, err
}

// tubeName is a setting that is a name which a tube can have.
func tubeName(key string, field *string, unit, allowed string) setting {
	return row(key, field, unit, allowed, func(v any) (string, error) {
		s, err := asText(v)
		if err == nil && !queue.ValidName([]byte(s)) {
			err = errors.New("not a name that a tube can have")
		}
		return s, err
	}, quote)
}
