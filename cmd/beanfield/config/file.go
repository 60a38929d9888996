package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"beanfield/cmd/beanfield/command"
)

// fileReader compares a decoded file with the table of settings, key by key.
type fileReader struct {
	path     string
	lines    keyLines
	config   *Config
	mistakes Mistakes

	atRunTime bool // what is read is no file, but a text that somebody has sent
}

// readConfigFile puts what the file at path says into c. It goes on after a mistake,
// to report all of them at once, unless the file is not TOML. It returns them
// unsorted.
func readConfigFile(path string, c *Config) Mistakes {
	text, err := os.ReadFile(path)
	if err != nil {
		var pe *fs.PathError
		if errors.As(err, &pe) {
			err = pe.Err
		}
		return Mistakes{{File: path, Problem: "cannot read the configuration: " + err.Error()}}
	}
	var doc map[string]any
	if _, err := toml.Decode(string(text), &doc); err != nil {
		return Mistakes{syntaxMistake(path, err)}
	}
	r := fileReader{path: path, lines: findLines(string(text)), config: c}
	r.table(nil, doc)
	return r.mistakes
}

func syntaxMistake(path string, err error) Mistake {
	m := Mistake{File: path, Problem: err.Error()}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		m.Line, m.Key, m.Problem = pe.Position.Line, pe.LastKey, "not TOML: "+pe.Message
	}
	return m
}

// table reads the keys of the table at path and of its subtables.
func (r *fileReader) table(path toml.Key, table map[string]any) {
	for name, v := range table {
		key := child(path, name)
		line := r.lines.at(key, 0)
		switch row := findSetting(settings, key.String()); {
		case key.String() == "listen":
			r.listen(key, v)
		case key.String() == accessKey:
			r.access(key, v)
		case key.String() == queueForKey:
			defer r.queueFor(key, v) // last: it starts from the limits that [queue] sets
		case key.String() == tubeKey:
			r.tubes(key, v)
		case key.String() == scheduleKey:
			r.schedules(key, v)
		case key.String() == nodesKey:
			r.nodes(key, v)
		case row != nil:
			take(r, line, key, v, row, r.config)
			r.config.From[row.key] = Origin{File: r.path, Line: line}
		case len(keysBelow(key)) > 0:
			if sub, ok := v.(map[string]any); ok {
				r.table(key, sub)
			} else {
				r.wrong(line, key, v, wrongKind(v).Error(), fmt.Sprintf("a table, [%s], with %s", key, join(keysBelow(key))))
			}
		default:
			r.unknown(line, key, v, keysBelow(path))
		}
	}
}

// listen reads the array of addresses, which replaces the default one.
func (r *fileReader) listen(key toml.Key, v any) {
	const what = "tables, one for each address"
	tables, ok := r.array(key, v, what)
	if ok && len(tables) == 0 {
		r.wrong(r.lines.at(key, 0), key, v, "no address", asArray(what, key))
	}
	if len(tables) == 0 {
		return
	}
	r.config.Listen = nil
	seen := map[Address]int{}
	for i, table := range tables {
		l := Listen{from: Origin{File: r.path, Line: r.lines.element(key, i, len(tables))}}
		if r.element(key, table, &l) && !l.Address.anyPort() {
			at := child(key, "address")
			line := r.lines.at(at, l.from.Line)
			if first, twice := seen[l.Address]; twice {
				r.wrong(line, at, table["address"], fmt.Sprintf("the same address as in line %d", first), "")
			}
			seen[l.Address] = line
		}
		r.config.Listen = append(r.config.Listen, l)
	}
}

// element reads one [[listen]], and says whether its address is usable.
func (r *fileReader) element(path toml.Key, table map[string]any, l *Listen) (ok bool) {
	_, ok = table["address"]
	if !ok {
		r.missing(l.from.Line, "listen.address", "missing", listenSettings[0].allowed)
	}
	ok = !slices.Contains(read(r, path, l.from.Line, table, listenSettings, l), "address") && ok
	for name, set := range map[string]bool{"mode": l.Mode != 0, "group": l.Group.Name != ""} {
		if ok && set && l.Address.Path == "" {
			key := child(path, name)
			r.wrong(r.lines.at(key, l.from.Line), key, table[name],
				"only a unix socket has a "+name+", and "+l.Address.String()+" is not one", `""`)
		}
	}
	if wrong, value, problem := l.TLS.load(); problem != "" {
		at := child(path, wrong)
		r.mistakes = append(r.mistakes, Mistake{File: r.path, Line: r.lines.at(at, l.from.Line), Key: at.String(),
			Value: quote(value), Problem: problem, Absent: value == ""})
	}
	return ok
}

// read reads an element of an array of tables, and returns the names whose values are wrong.
func read[T any](r *fileReader, path toml.Key, from int, table map[string]any, rows []setting[T], into *T) (wrong []string) {
	for name, v := range table {
		key := child(path, name)
		line := r.lines.at(key, from)
		if row := findSetting(rows, key.String()); row == nil {
			r.unknown(line, key, v, keysBelow(path))
		} else if !take(r, line, key, v, row, into) {
			wrong = append(wrong, name)
		}
	}
	return wrong
}

// take sets one setting, and says whether its value can be.
func take[T any](r *fileReader, line int, key toml.Key, v any, row *setting[T], into *T) bool {
	err := row.set(into, v)
	if err == nil {
		return true
	}
	r.wrong(line, key, v, err.Error(), row.allowed)
	if row.secret {
		r.mistakes[len(r.mistakes)-1].Value = "" // it stands in logs
	}
	return false
}

// child is the key of name in the table at path.
func child(path toml.Key, name string) toml.Key { return append(slices.Clone(path), name) }

// missing notes what a table lacks.
func (r *fileReader) missing(line int, key, problem, allowed string) {
	r.mistakes = append(r.mistakes, Mistake{File: r.path, Line: line, Key: key, Problem: problem, Allowed: allowed, Absent: true})
}

func (r *fileReader) wrong(line int, key toml.Key, v any, problem, allowed string) {
	r.mistakes = append(r.mistakes, Mistake{File: r.path, Line: line, Key: key.String(), Value: shown(v),
		Problem: problem, Allowed: allowed})
}

// unknown notes a key that is none of those that its table may have.
func (r *fileReader) unknown(line int, key toml.Key, v any, known []string) {
	allowed, name := join(known), key[len(key)-1]
	if where := key[:len(key)-1]; len(where) > 0 {
		allowed += " in [" + where.String() + "]"
	}
	problem := "unknown key" + command.Suggestion(name, known)
	if tables := tablesWith(name); problem == "unknown key" && len(tables) > 0 {
		problem += "; it belongs " + strings.Join(tables, " or ")
	}
	r.wrong(line, key, v, problem, allowed)
	if mayBeSecret(key) {
		r.mistakes[len(r.mistakes)-1].Value = "" // a slip of the pen: it is a secret all the same
	}
}

// mayBeSecret says that somebody may have meant a token or a private key.
func mayBeSecret(key toml.Key) bool {
	name := strings.ToLower(key[len(key)-1])
	return key[0] == accessKey || slices.ContainsFunc([]string{"token", "secret", "hash", "key", "password", "auth"},
		func(word string) bool { return strings.Contains(name, word) })
}

// array takes an array of tables.
func (r *fileReader) array(key toml.Key, v any, what string) (tables []map[string]any, ok bool) {
	if tables, ok = asTables(v); !ok {
		r.wrong(r.lines.at(key, 0), key, v, wrongKind(v).Error(), asArray(what, key))
	}
	return tables, ok
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

func findSetting[T any](rows []setting[T], key string) *setting[T] {
	for i := range rows {
		if rows[i].key == key {
			return &rows[i]
		}
	}
	return nil
}

// everyKey has the keys of all tables.
func everyKey() []string {
	return slices.Concat(keys(listenSettings), keys(settings), keys(tubeSettings), keys(scheduleSettings), keys(queueForSettings), keys(accessSettings))
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

func keys[T any](rows []setting[T]) (all []string) {
	for i := range rows {
		all = append(all, rows[i].key)
	}
	return all
}

func join(names []string) string { return strings.Join(names, ", ") }
