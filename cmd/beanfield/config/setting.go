package config

import (
	"cmp"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
)

// setting is one row of a table: everything about one key of the file, for the value that it sets. The reader of
// the file, check-config, reloads and the test of the example configuration use these rows; a key exists if
// it has a line in the table.
type setting struct {
	key           string // with its table, as "limits.max_job_size"
	path          string // of the field, from the element of an array, or from Config
	kind          kind
	lo, hi        int64
	words         []string
	usual         string // the default; "" for the zero of the field's type
	needed        bool   // each element of its array has it
	flag          string // that overrides it, or ""
	unit, allowed string
	live          bool          // a reload can change it
	withTLS       bool          // but only where there is TLS before and after, or neither
	field         reflect.Value // what it sets
	tls           *TLS          // if withTLS
}

// arrays are the arrays of tables, of which each element has its rows.
var arrays = []string{listenKey, tubeKey, scheduleKey, queueForKey, accessKey}

// arrayOf is the array in which a key is; "" if it is in none.
func arrayOf(key string) string {
	for _, a := range arrays {
		if strings.HasPrefix(key, a+".") {
			return a
		}
	}
	return ""
}

// place finds the path in the key, or behind it.
func (s *setting) place() {
	key, path, given := strings.Cut(s.key, " (")
	s.key, s.path = key, strings.TrimSuffix(path, ")")
	if _, name, shared := strings.Cut(key, "."); !given && key[0] == '@' && shared {
		s.path = name
	} else if !given {
		s.path = strings.TrimPrefix(strings.TrimPrefix(key, arrayOf(key)), ".")
	}
}

// as makes the row one of a kind, which is written with its bounds or words.
func (s *setting) as(text string) {
	text, s.usual, _ = strings.Cut(text, " = ")
	name, rest, _ := strings.Cut(text, " ")
	s.kind = kinds[name]
	if lo, hi, ok := strings.Cut(rest, ".."); ok {
		s.lo, s.hi = bound(lo), bound(hi)
	} else if rest != "" {
		s.words = strings.Split(rest, ",")
	}
	s.unit, s.allowed = cmp.Or(s.unit, s.kind.unit), cmp.Or(s.allowed, s.kind.allowed(s))
}

// bound reads one of the table: a number, a time or a size.
func bound(text string) int64 {
	if n, ok := constants[text]; ok {
		return n
	}
	if d, err := time.ParseDuration(text); err == nil {
		return int64(d)
	}
	n, err := asSize(asTOML(text), 0, math.MaxInt64)
	if err != nil {
		panic("the table has the bound " + text)
	}
	return n
}

// asTOML is what a file would have: a whole number, or a text.
func asTOML(text string) any {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

// fresh is an element of an array, or with "" a configuration, in which all settings have their defaults.
func fresh[T any](array string) (t T) {
	rows := rowsOf(array, &t)
	for i := range rows {
		s := &rows[i]
		if n, ok := constants[s.usual]; ok {
			s.field.SetInt(n)
		} else if s.usual == "" {
			continue
		} else if err := s.set(asTOML(s.usual)); err != nil {
			panic("the table has the default " + s.usual)
		}
	}
	return t
}

// rowsOf are the rows of an array's element, or, with "", those of a configuration.
func rowsOf(array string, root any) (rows []setting) {
	for _, s := range lines {
		if arrayOf(s.key) != array {
			continue
		}
		s.field = reflect.ValueOf(root).Elem()
		for name := range strings.FieldsFuncSeq(s.path, func(r rune) bool { return r == '.' }) {
			if t, ok := s.field.Addr().Interface().(*TLS); ok && s.withTLS {
				s.tls = t
			}
			if i, err := strconv.Atoi(name); err == nil {
				s.field = s.field.Index(i)
				continue
			}
			name = strings.ReplaceAll(name, "_", "")
			s.field = s.field.FieldByNameFunc(func(n string) bool { return strings.EqualFold(n, name) })
		}
		rows = append(rows, s)
	}
	return rows
}

// set reads a value of the file.
func (s *setting) set(v any) error {
	x, err := s.kind.read(s, v)
	if err == nil {
		s.field.Set(reflect.ValueOf(x).Convert(s.field.Type()))
	}
	return err
}

// show is the value as TOML.
func (s *setting) show() string { return s.kind.show(s) }

// yesNo says that the field is true or false.
func (s *setting) yesNo() bool { return s.field.Kind() == reflect.Bool }

// equal says whether the same setting has the same value elsewhere.
func (s *setting) equal(other *setting) bool {
	return reflect.DeepEqual(s.field.Interface(), other.field.Interface())
}

// take takes the value that the same setting has elsewhere.
func (s *setting) take(other *setting) { s.field.Set(other.field) }

// reloads says whether a reload can make the value that of next.
func (s *setting) reloads(next *setting) bool {
	return s.live && (!s.withTLS || s.tls.Asked() == next.tls.Asked())
}

// rows are all settings but those of arrays of tables, in the order of printing.
func (c *Config) rows() []setting { return rowsOf("", c) }

// name is the key without its table.
func (s *setting) name() string { return s.key[strings.LastIndex(s.key, ".")+1:] }

// find is the row of a key; nil if there is none.
func find(rows []setting, key string) *setting {
	for i := range rows {
		if rows[i].key == key {
			return &rows[i]
		}
	}
	return nil
}

// row is that of a key outside of arrays.
func (c *Config) row(key string) *setting { return find(c.rows(), key) }

// inOneLine shows the rows of an element of an array of tables, without the name of the array.
func inOneLine(rows []setting) string {
	fields := make([]string, len(rows))
	for i, s := range rows {
		fields[i] = s.name() + " = " + s.show()
	}
	return strings.Join(fields, ", ")
}

// shownAll shows all elements of an array of tables, to compare them.
func shownAll[T any](list []T, show func(*T) string) string {
	var all strings.Builder
	for i := range list {
		all.WriteString(show(&list[i]) + "\n")
	}
	return all.String()
}

// everyKey has the keys of all tables.
func everyKey() (all []string) {
	for i := range lines {
		all = append(all, lines[i].key)
	}
	return all
}

// tablesWith says where a key stands.
func tablesWith(name string) (where []string) {
	for _, key := range everyKey() {
		if table, ok := strings.CutSuffix(key, "."+name); ok {
			where = append(where, "in ["+table+"]")
		} else if key == name && !strings.Contains(name, ".") {
			where = append(where, "before the first table")
		}
	}
	return where
}

// keysBelow are the names that the table at path may hold, in order.
func keysBelow(path toml.Key) []string {
	prefix := ""
	if len(path) > 0 {
		prefix = path.String() + "."
	}
	var names []string
	for _, key := range everyKey() {
		rest, ok := strings.CutPrefix(key, prefix)
		name, _, _ := strings.Cut(rest, ".")
		if ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func join(names []string) string { return strings.Join(names, ", ") }
