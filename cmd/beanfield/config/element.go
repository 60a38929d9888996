package config

import (
	"fmt"
	"slices"

	"github.com/BurntSushi/toml"
)

// element is one table of an array of tables, as [[tube]].
type element struct {
	*fileReader
	of    toml.Key // the array
	line  int
	table map[string]any
	rows  []setting
	bad   []string // names whose values cannot be
}

// elements reads an array of tables. Each element begins as start does, and check looks at what was read. It says
// whether v is an array of tables at all.
func elements[T any](r *fileReader, key toml.Key, v any, what string, start T, check func(*element, *T)) (list []T,
	ok bool) {
	tables, ok := asTables(v)
	if !ok {
		r.wrong(r.lines.at(key, 0), key, v, wrongKind(v).Error(), asArray(what, key))
		return nil, false
	}
	for i, table := range tables {
		e := &element{fileReader: r, of: key, line: r.lines.element(key, i, len(tables)), table: table}
		t := start
		e.rows = rowsOf(key.String(), &t)
		e.read()
		check(e, &t)
		list = append(list, t)
	}
	return list, true
}

// read sets the rows of an element.
func (e *element) read() {
	for _, row := range e.rows {
		if name := row.name(); row.needed && e.table[name] == nil {
			e.missing(e.line, row.key, "missing", row.allowed)
		}
	}
	for name, v := range e.table {
		key, line := e.at(name)
		if row := find(e.rows, key.String()); row == nil {
			e.unknown(line, key, v, keysBelow(e.of))
		} else if !e.take(line, key, v, row) {
			e.bad = append(e.bad, name)
		}
	}
}

// origin is the line of a key.
func (e *element) origin(name string) Origin {
	_, line := e.at(name)
	return Origin{File: e.path, Line: line}
}

// at is a key of the element, and its line.
func (e *element) at(name string) (toml.Key, int) {
	key := child(e.of, name)
	return key, e.lines.at(key, e.line)
}

// wrong notes what is wrong with a key of the element.
func (e *element) wrong(name, problem, allowed string) {
	key, line := e.at(name)
	e.fileReader.wrong(line, key, e.table[name], problem, allowed)
}

// once notes it if an element before this one has the same value. seen are those so far, with their lines.
func (e *element) once(seen map[string]int, name, value, problem string) {
	_, line := e.at(name)
	if first, twice := seen[value]; twice {
		e.wrong(name, fmt.Sprintf(problem, first), "")
	}
	seen[value] = line
}

func asArray(what string, key toml.Key) string {
	return what + ", as [[" + key.String() + "]] with " + join(keysBelow(key))
}

// asTables accepts both spellings of an array of tables.
func asTables(v any) ([]map[string]any, bool) {
	if tables, ok := v.([]map[string]any); ok {
		return tables, true
	}
	array, ok := v.([]any)
	if !ok {
		return nil, false
	}
	var tables []map[string]any
	for _, e := range array {
		t, ok := e.(map[string]any)
		if !ok {
			return nil, false
		}
		tables = append(tables, t)
	}
	return tables, true
}

const listenKey = "listen"

// listen reads the array of addresses, which replaces the default one.
func (r *fileReader) listen(key toml.Key, v any) {
	const what = "tables, one for each address"
	seen := map[string]int{}
	list, ok := elements(r, key, v, what, Listen{},
		func(e *element, l *Listen) {
			l.from = Origin{File: r.path, Line: e.line}
			if e.address(l) && !l.Address.anyPort() {
				e.once(seen, "address", l.Address.String(), "the same address as in line %d")
			}
		})
	if ok && len(list) == 0 {
		r.wrong(r.lines.at(key, 0), key, v, "no address", asArray(what, key))
	}
	if len(list) > 0 {
		r.config.Listen = list
	}
}

// address checks one [[listen]], and says whether its address is usable.
func (e *element) address(l *Listen) (ok bool) {
	if _, ok = e.table["address"]; ok {
		ok = !slices.Contains(e.bad, "address")
	}
	for name, set := range map[string]bool{"mode": l.Mode != 0, "group": l.Group.Name != ""} {
		if ok && set && l.Address.Path == "" {
			e.wrong(name, "only a unix socket has a "+name+", and "+l.Address.String()+" is not one", `""`)
		}
	}
	if wrong, value, problem := l.TLS.load(); problem != "" {
		e.mistakes = append(e.mistakes, Mistake{Origin: e.origin(wrong), Key: listenKey + "." + wrong,
			Value: quote(value), Problem: problem, Absent: value == ""})
	}
	return ok
}
