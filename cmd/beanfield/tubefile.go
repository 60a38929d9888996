package main

import (
	"fmt"
	"slices"

	"beanfield/conn/access"

	"github.com/BurntSushi/toml"
)

const tubeKey = "tube"

// tubes reads the array of policies for some tubes.
func (r *fileReader) tubes(key toml.Key, v any) {
	tables, _ := r.array(key, v, "tables")
	seen := map[string]int{}
	for i, table := range tables {
		t := defaultTubeRule()
		line := r.lines.element(key, i, len(tables))
		if _, ok := table["match"]; !ok {
			r.missing(line, tubeSettings[0].key, "missing", tubeSettings[0].allowed)
		}
		if wrong := read(r, key, line, table, tubeSettings, &t); len(wrong) == 0 {
			r.contradicted(key, line, table, &t, seen)
		}
		r.config.Tubes, r.config.tubeAt = append(r.config.Tubes, t), append(r.config.tubeAt, origin{file: r.path, line: line})
	}
	for i, table := range tables {
		if circle := circleFrom(r.config.Tubes, i); circle != "" {
			at := child(key, "dead_letter")
			r.wrong(r.lines.at(at, r.lines.element(key, i, len(tables))), at, table["dead_letter"], circle, "")
		}
	}
}

// circleFrom says how the dead letters of a policy would come back to a tube in which they were, with all
// policies; "" if they do not.
func circleFrom(rules []TubeRule, i int) string {
	var been []string
	for t := &rules[i]; t.deadTube() != ""; {
		to := t.deadTube()
		if slices.Contains(been, to) {
			return fmt.Sprintf("dead letters of tube %q would come back to it: a [[tube]] before this one, which matches %q, can say otherwise",
				to, to)
		}
		been = append(been, to)
		next := slices.IndexFunc(rules, func(t TubeRule) bool { return access.Match(t.Match, to) })
		if next < 0 {
			break
		}
		t = &rules[next]
	}
	return ""
}

// contradicted notes what cannot be meant. seen are the patterns so far, with their lines.
func (r *fileReader) contradicted(path toml.Key, from int, table map[string]any, t *TubeRule, seen map[string]int) {
	at := child(path, "match")
	line := r.lines.at(at, from)
	if first, twice := seen[t.Match]; twice && t.Match != "" {
		r.wrong(line, at, table["match"], fmt.Sprintf("the same pattern as in line %d, where the first match counts", first), "")
	}
	seen[t.Match] = line
	if name, problem := t.contradiction(); name != "" {
		at := child(path, name)
		r.wrong(r.lines.at(at, from), at, table[name], problem, "")
	}
}
