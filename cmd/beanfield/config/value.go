package config

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// This file turns TOML values into the values of settings. Its errors say what a
// value is; the table of settings says what it may be.

// typeOf names the type of a decoded value.
func typeOf(v any) string {
	switch v.(type) {
	case string:
		return "text"
	case int64:
		return "a whole number"
	case float64:
		return "a number with a fraction"
	case bool:
		return "true or false"
	case time.Time:
		return "a date or time"
	case map[string]any:
		return "a table"
	case []map[string]any:
		return "an array of tables"
	case []any:
		return "an array"
	}
	return fmt.Sprintf("a %T", v)
}

// shown is a value as TOML writes it, cut to fit one line.
func shown(v any) string {
	switch v := v.(type) {
	case string:
		const most = 60
		if utf8.RuneCountInString(v) > most {
			v = string([]rune(v)[:most]) + "..."
		}
		return quote(v)
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64)
	case bool:
		return strconv.FormatBool(v)
	case time.Time:
		return v.Format(time.RFC3339)
	case map[string]any:
		return "{...}"
	}
	return "[...]"
}

// quote writes a TOML basic string. Go's quoting has escapes that TOML does not
// know.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func wrongKind(v any) error { return fmt.Errorf("this is %s", typeOf(v)) }

func asText(v any) (string, error) {
	s, ok := v.(string)
	if !ok {
		return "", wrongKind(v)
	}
	return s, nil
}

func asNumber(v any, lo, hi int64) (int64, error) {
	n, ok := v.(int64)
	if !ok {
		return 0, wrongKind(v)
	}
	return within(n, lo, hi)
}

func within(n, lo, hi int64) (int64, error) {
	switch {
	case n < lo:
		return 0, errors.New("too small")
	case n > hi:
		return 0, errors.New("too large")
	}
	return n, nil
}

// sizeUnits are the units of a size, the smallest first.
var sizeUnits = []struct {
	name  string
	shift int
}{{"KiB", 10}, {"MiB", 20}, {"GiB", 30}}

// asSize takes bytes as a number, or as text with a binary unit. KB and the
// like are refused: people disagree on whether they are 1000 or 1024.
func asSize(v any, lo, hi int64) (int64, error) {
	s, ok := v.(string)
	if !ok {
		return asNumber(v, lo, hi)
	}
	digits := s
	shift := 0
	for _, u := range sizeUnits {
		if d, ok := strings.CutSuffix(s, u.name); ok {
			digits, shift = strings.TrimRight(d, " "), u.shift
		}
	}
	if digits == "" || strings.Trim(digits, "0123456789") != "" {
		return 0, errors.New("not a size")
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil || n > hi>>shift {
		return 0, errors.New("too large")
	}
	return within(n<<shift, lo, hi)
}

// showSize takes the largest unit that leaves a whole number.
func showSize(n int64) string {
	s := strconv.FormatInt(n, 10)
	for _, u := range sizeUnits {
		if n > 0 && n&(1<<u.shift-1) == 0 {
			s = quote(strconv.FormatInt(n>>u.shift, 10) + u.name)
		}
	}
	return s
}

// asTime takes text with a unit: a bare 50 could mean anything.
func asTime(v any, lo, hi time.Duration) (time.Duration, error) {
	s, err := asText(v)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("not a time with its unit")
	}
	n, err := within(int64(d), int64(lo), int64(hi))
	return time.Duration(n), err
}

// showTime leaves out the zeros that Go writes after whole hours and minutes.
func showTime(d time.Duration) string {
	s := d.String()
	if short, ok := strings.CutSuffix(s, "m0s"); ok {
		s = short + "m"
	}
	if short, ok := strings.CutSuffix(s, "h0m"); ok {
		s = short + "h"
	}
	return quote(s)
}

func asWord(v any, words []string) (string, error) {
	s, err := asText(v)
	if err != nil {
		return "", err
	}
	if !slices.Contains(words, s) {
		return "", errors.New("unknown word")
	}
	return s, nil
}

// asMode takes permissions as text: a bare 660 would be decimal in TOML, which
// nobody who writes it means.
func asMode(v any) (fs.FileMode, error) {
	s, err := asText(v)
	if err != nil {
		return 0, err
	}
	if s == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(s, 8, 32)
	switch {
	case err != nil:
		return 0, errors.New("not octal digits")
	case n == 0 || n > 0o777:
		return 0, errors.New("not the permissions of a socket")
	}
	return fs.FileMode(n), nil
}

func showMode(m fs.FileMode) string {
	if m == 0 {
		return `""`
	}
	return fmt.Sprintf(`"%04o"`, uint32(m))
}

// asTexts takes an array of texts. An empty one is nil.
func asTexts(v any) ([]string, error) {
	array, ok := v.([]any)
	if !ok {
		return nil, wrongKind(v)
	}
	var list []string
	for _, e := range array {
		s, err := asText(e)
		if err != nil {
			return nil, fmt.Errorf("in the list: %w", err)
		}
		list = append(list, s)
	}
	return list, nil
}

// asSecrets takes an array of texts. An empty one would let in everybody who sends an empty
// password.
func asSecrets(v any) ([]string, error) {
	list, err := asTexts(v)
	for _, s := range list {
		if s == "" {
			return nil, errors.New("in the list: an empty text")
		}
	}
	return list, err
}

func asTruth(v any) (bool, error) {
	b, ok := v.(bool)
	if !ok {
		return false, wrongKind(v)
	}
	return b, nil
}

func asAddress(v any) (a Address, err error) {
	s, err := asText(v)
	if err == nil {
		a, err = parseAddress(s)
	}
	return a, err
}

// asAddresses takes an array of addresses.
func asAddresses(v any) ([]Address, error) {
	list, err := asTexts(v)
	if err != nil {
		return nil, err
	}
	var addresses []Address
	for _, s := range list {
		a, err := parseAddress(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", quote(s), err)
		}
		addresses = append(addresses, a)
	}
	return addresses, nil
}

func showName(a Address) string { return quote(a.String()) }

// showNames shows addresses or networks.
func showNames[T fmt.Stringer](list []T) string {
	var texts []string
	for _, one := range list {
		texts = append(texts, one.String())
	}
	return showTexts(texts)
}

func showTexts(list []string) string {
	quoted := make([]string, len(list))
	for i, s := range list {
		quoted[i] = quote(s)
	}
	return "[" + strings.Join(quoted, ", ") + "]"
}

func inQuotes(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }
