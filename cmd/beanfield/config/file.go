package config

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	"github.com/BurntSushi/toml"

	"beanfield/cmd/beanfield/command"
)

// fileReader compares a decoded file with the table of settings, key by key.
type fileReader struct {
	path     string
	lines    keyLines
	config   *Config
	rows     []setting // of config
	mistakes Mistakes

	atRunTime bool // what is read is no file, but a text that somebody has sent
}

// readConfigFile puts what the file at path says into c. It goes on after a mistake,
// to report all of them at once, unless the file is not TOML. It returns them
// unsorted.
func readConfigFile(path string, c *Config) Mistakes {
	text, err := os.ReadFile(path)
	if err != nil {
		problem := "cannot read the configuration: " + errors.Unwrap(err).Error()
		return Mistakes{{Origin: Origin{File: path}, Problem: problem}}
	}
	doc, ms := decode(path, string(text))
	if len(ms) > 0 {
		return ms
	}
	r := fileReader{path: path, lines: findLines(string(text)), config: c, rows: c.rows()}
	r.table(nil, doc)
	return r.mistakes
}

// decode reads a text as TOML.
func decode(path, text string) (doc map[string]any, ms Mistakes) {
	_, err := toml.Decode(text, &doc)
	if err == nil {
		return doc, nil
	}
	m := Mistake{Origin: Origin{File: path}, Problem: err.Error()}
	var pe toml.ParseError
	if errors.As(err, &pe) {
		m.Line, m.Key, m.Problem = pe.Position.Line, pe.LastKey, "not TOML: "+pe.Message
	}
	return nil, Mistakes{m}
}

// table reads the keys of the table at path and of its subtables.
func (r *fileReader) table(path toml.Key, table map[string]any) {
	for name, v := range table {
		key := child(path, name)
		line := r.lines.at(key, 0)
		switch row := find(r.rows, key.String()); {
		case key.String() == listenKey:
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
			r.take(line, key, v, row)
			r.config.From[row.key] = Origin{File: r.path, Line: line}
		case len(keysBelow(key)) > 0:
			if sub, ok := v.(map[string]any); ok {
				r.table(key, sub)
			} else {
				r.wrong(line, key, v, wrongKind(v).Error(), fmt.Sprintf("a table, [%s], with %s", key,
					join(keysBelow(key))))
			}
		default:
			r.unknown(line, key, v, keysBelow(path))
		}
	}
}

// take sets one setting, and says whether its value can be.
func (r *fileReader) take(line int, key toml.Key, v any, row *setting) bool {
	err := row.set(v)
	if err == nil {
		return true
	}
	r.wrong(line, key, v, err.Error(), row.allowed)
	if row.kind.secret {
		r.mistakes[len(r.mistakes)-1].Value = "" // it stands in logs
	}
	return false
}

// child is the key of name in the table at path.
func child(path toml.Key, name string) toml.Key { return append(slices.Clone(path), name) }

// missing notes what a table lacks.
func (r *fileReader) missing(line int, key, problem, allowed string) {
	r.mistakes = append(r.mistakes, Mistake{
		Origin: Origin{File: r.path, Line: line}, Key: key, Problem: problem, Allowed: allowed, Absent: true,
	})
}

func (r *fileReader) wrong(line int, key toml.Key, v any, problem, allowed string) {
	r.mistakes = append(r.mistakes, Mistake{Origin: Origin{File: r.path, Line: line}, Key: key.String(),
		Value:   shown(v),
		Problem: problem, Allowed: allowed})
}

// unknown notes a key that is none of those that its table may have.
func (r *fileReader) unknown(line int, key toml.Key, v any, known []string) {
	allowed, name := join(known), key[len(key)-1]
	if key.String() == accessKey+"."+oldCertificate {
		r.wrong(line, key, v, "it does not say for which part of the certificate this is", join(parts)+" instead of it")
		return
	}
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

// keyLines knows on which lines each key of a file stands, in order; a key of
// an array of tables stands on several.
type keyLines map[string][]int

// findLines finds the line of every key in a text that is TOML. For equal names the TOML
// package gives only the line of the last one, which is wrong for arrays of tables. So this
// decodes each line by itself, below the header of its table: the keys that then appear are
// on that line. A line that ends within a value is not TOML, and is decoded again together
// with the next one; the keys that appear when the value is complete are where it began.
func findLines(text string) keyLines {
	lines := keyLines{}
	header, known := "", 0 // of the table that the lines are in, and how many keys it has alone
	begin, end := 0, 0     // of what is decoded
	number := 1            // of the line at begin
	for line := range strings.SplitAfterSeq(text, "\n") {
		end += len(line)
		bare := strings.TrimSpace(text[begin:end])
		isHeader := strings.HasPrefix(bare, "[")
		if isHeader {
			header, known = "", 0
		}
		if bare != "" && bare[0] != '#' {
			var doc map[string]any
			md, err := toml.Decode(header+text[begin:end], &doc)
			if err != nil {
				continue
			}
			for _, key := range md.Keys()[known:] {
				lines.add(key, number)
			}
			if isHeader {
				header, known = text[begin:end], len(md.Keys())
			}
		}
		number += strings.Count(text[begin:end], "\n")
		begin = end
	}
	return lines
}

// add records a key. A table that no header named begins where its first key is.
func (l keyLines) add(key toml.Key, line int) {
	for i := 1; i < len(key); i++ {
		if outer := key[:i].String(); l[outer] == nil {
			l[outer] = []int{line}
		}
	}
	l[key.String()] = append(l[key.String()], line)
}

// at is the first line of key from the line from on, or from if there is none.
func (l keyLines) at(key toml.Key, from int) int {
	of := l[key.String()]
	if i := sort.SearchInts(of, from); i < len(of) {
		return of[i]
	}
	return from
}

// element is the line on which the i-th of n tables of an array begins.
func (l keyLines) element(key toml.Key, i, n int) int {
	of := l[key.String()]
	if len(of) == n {
		return of[i]
	}
	return l.at(key, 0) // written inline, as one value
}
