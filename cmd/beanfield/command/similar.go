package command

import (
	"slices"
	"strings"
)

// Suggestion is the end of a message about a name that there is not: "; did you mean stats?",
// or nothing if no name is like it.
func Suggestion(name string, names []string) string {
	near := similar(name, names)
	switch n := len(near); n {
	case 0:
		return ""
	case 1:
		return "; did you mean " + near[0] + "?"
	default:
		return "; did you mean " + strings.Join(near[:n-1], ", ") + " or " + near[n-1] + "?"
	}
}

// similar returns the names that are the most like a name: those that it begins, or those
// that are the fewest slips away, at most one slip for every three letters or so.
func similar(name string, names []string) (near []string) {
	best := min(2, (len(name)+1)/3)
	for _, n := range names {
		slips := distance(strings.ToLower(name), n)
		if len(name) > 1 && strings.HasPrefix(n, strings.ToLower(name)) {
			slips = min(slips, 1)
		}
		if slips < best {
			best, near = slips, nil
		}
		if slips == best && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	return near
}

// distance counts the slips that turn one word into another: a letter too many, too few or
// wrong, or two that are swapped.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
