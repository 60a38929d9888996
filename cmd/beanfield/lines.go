package main

import (
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

// keyLines knows on which lines each key of a file stands, in order; a key of
// an array of tables stands on several.
type keyLines map[string][]int

// findLines finds the line of every key. For equal names the TOML package gives only
// the line of the last one, which is wrong for arrays of tables. So this decodes the
// text again and again, each time with one line more: keys that are new are on that
// line. A text that ends within a value of several lines is not TOML; the keys that
// appear when the value is complete are where it began. This takes quadratic time, on
// files of a hundred lines, but never disagrees with the parser.
func findLines(text string) keyLines {
	lines := keyLines{}
	begin, end, known := 1, 0, 0
	for n, line := range strings.SplitAfter(text, "\n") {
		end += len(line)
		bare := strings.TrimSpace(line)
		if begin == n+1 && (bare == "" || bare[0] == '#') {
			begin++ // no key here: the text before it was complete
			continue
		}
		var doc map[string]any
		md, err := toml.Decode(text[:end], &doc)
		if err != nil {
			continue
		}
		for _, key := range md.Keys()[known:] {
			lines.add(key, begin)
		}
		known = len(md.Keys())
		begin = n + 2
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
