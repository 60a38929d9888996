package access

import "strings"

// Match says whether name fits a pattern, in which * stands for any characters, also none.
func Match(pattern, name string) bool {
	first, rest, more := strings.Cut(pattern, "*")
	name, ok := strings.CutPrefix(name, first)
	for ok && more {
		var part string
		if part, rest, more = strings.Cut(rest, "*"); !more {
			return strings.HasSuffix(name, part)
		}
		_, name, ok = strings.Cut(name, part)
	}
	return ok && name == ""
}

// MatchesAny says whether one of the names fits one of the patterns.
func MatchesAny(patterns []string, names ...string) bool {
	for _, p := range patterns {
		for _, n := range names {
			if Match(p, n) {
				return true
			}
		}
	}
	return false
}

// tubeRights answers which rights some rules give on a tube. Names without a star are
// looked up, so only patterns with one cost time each.
type tubeRights struct {
	always   Rights // on every tube
	anywhere Rights
	exact    map[string]Rights
	patterns []grant
}

// grant is what a pattern gives.
type grant struct {
	pattern string
	rights  Rights
}

func (t *tubeRights) add(r *Rule) {
	rights := r.May
	if rights.Has(Admin) {
		rights = All
	}
	t.anywhere |= rights
	for _, p := range r.Tubes {
		switch {
		case strings.Trim(p, "*") == "":
			t.always |= rights
		case strings.Contains(p, "*"):
			t.patterns = append(t.patterns, grant{p, rights})
		default:
			if t.exact == nil {
				t.exact = map[string]Rights{}
			}
			t.exact[p] |= rights
		}
	}
}

// on returns the rights on a tube, without any memory of earlier answers.
func (t *tubeRights) on(tube string) Rights {
	rights := t.always | t.exact[tube]
	for i := range t.patterns {
		if g := &t.patterns[i]; g.rights&^rights != 0 && Match(g.pattern, tube) {
			rights |= g.rights
		}
	}
	return rights
}
