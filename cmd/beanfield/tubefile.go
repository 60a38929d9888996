package main

import (
	"fmt"
	"slices"

	"beanfield/conn/access"
	"beanfield/shard/queue"

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
		problem := circleFrom(r.config.Tubes, i)
		if next, in := vainFrom(r.config.Tubes, i); in && problem == "" {
			problem = fmt.Sprintf(deletesThem, fmt.Sprintf("in line %d", r.config.tubeAt[next].line))
		}
		if problem != "" {
			at := child(key, "dead_letter")
			r.wrong(r.lines.at(at, r.lines.element(key, i, len(tables))), at, table["dead_letter"], problem, "")
		}
	}
}

// deletesThem says what is wrong if vainFrom says so, and where that is.
const deletesThem = "its policy, %s, deletes jobs of that age at once: give that tube one with a longer expire, before that"

// vainFrom finds the policy that deletes what another one sends to its tube because of its age, as soon as
// that comes: a job's age counts from its put, wherever it is, unless that policy says otherwise.
func vainFrom(rules []TubeRule, i int) (next int, in bool) {
	t := &rules[i]
	if t.deadTube() == "" || agedFates[t.Expired] != queue.AgedDie {
		return 0, false
	}
	if next = firstMatch(rules, t.deadTube()); next < 0 {
		return 0, false
	}
	to := &rules[next]
	return next, to.Expire > 0 && to.ExpireFrom != expireReady && to.Expire <= t.Expire && agedFates[to.Expired] == queue.AgedDrop
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
