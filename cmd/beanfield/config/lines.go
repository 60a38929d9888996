package config

import (
	"sort"
	"strings"

	"github.com/BurntSushi/toml"
)

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
