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

	"beanfield/shard/queue"
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
		return decimal(v)
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

// as takes a value of one type.
func as[V any](v any) (V, error) {
	x, ok := v.(V)
	if !ok {
		return x, wrongKind(v)
	}
	return x, nil
}

func asNumber(v any, lo, hi int64) (int64, error) {
	n, err := as[int64](v)
	if err != nil {
		return 0, err
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
	s := decimal(n)
	for _, u := range sizeUnits {
		if n > 0 && n&(1<<u.shift-1) == 0 {
			s = quote(decimal(n>>u.shift) + u.name)
		}
	}
	return s
}

// asTime takes text with a unit: a bare 50 could mean anything.
func asTime(v any, lo, hi int64) (int64, error) {
	s, err := as[string](v)
	if err != nil {
		return 0, err
	}
	d, err := time.ParseDuration(s)
	if err != nil {
		return 0, errors.New("not a time with its unit")
	}
	return within(int64(d), lo, hi)
}

// showTime leaves out the zeros that Go writes after whole hours and minutes.
func showTime(d int64) string {
	s := time.Duration(d).String()
	if short, ok := strings.CutSuffix(s, "m0s"); ok {
		s = short + "m"
	}
	if short, ok := strings.CutSuffix(s, "h0m"); ok {
		s = short + "h"
	}
	return quote(s)
}

func asWord(row *setting, v any) (string, error) {
	s, err := as[string](v)
	if err == nil && !slices.Contains(row.words, s) {
		err = errors.New("unknown word")
	}
	return s, err
}

// asMode takes permissions as text: a bare 660 would be decimal in TOML, which
// nobody who writes it means.
func asMode(s string) (fs.FileMode, error) {
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

func checkPattern(s string) error {
	if s == "" {
		return errors.New("empty")
	}
	return nil
}

func checkTubeName(s string) error {
	if !queue.ValidName([]byte(s)) {
		return errors.New("not a name that a tube can have")
	}
	return nil
}

// checkSecret refuses an empty text, which would let in everybody who sends an empty password.
func checkSecret(s string) error {
	if s == "" {
		return errors.New("in the list: an empty text")
	}
	return nil
}

func asListedAddress(s string) (Address, error) {
	a, err := parseAddress(s)
	if err != nil {
		err = fmt.Errorf("%s: %w", quote(s), err)
	}
	return a, err
}

func showName(a Address) string { return quote(a.String()) }

// showSecrets shows no list: whoever copies it into a file gets a mistake, and not a server that lets everybody in.
func showSecrets(list []string) string {
	if n := len(list); n > 0 {
		return quote(strconv.Itoa(n) + ", not shown")
	}
	return showTexts(nil)
}

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
