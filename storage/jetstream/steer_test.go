package jetstream

import (
	"fmt"
	"slices"
	"testing"
)

// Of all that could be done, steered does what its comment says, whoever leads, and could lead. And lane by lane, as
// Astray has it done, nothing is taken back.
func TestWhoLeads(t *testing.T) {
	nodes := []string{"", "a", "b", "c", "d"}
	lists := [][]string{{"a"}, {"b"}, {"c"}, {"a", "b"}, {"c", "a"}, {"b", "c"}, {"c", "b", "a"}}
	for n := range 2 * 25 * 49 {
		inUse, now, could := n%2, [2]string{nodes[n/2%5], nodes[n/10%5]}, [2][]string{lists[n/50%7], lists[n/350]}
		cost := func(is [2]string) string { // "false" comes before "true"
			return fmt.Sprint(is[0] == "a" && is[1] == "a", is[0] == "a" || is[1] == "a", is[0] == is[1],
				is[0] != now[0] && is[1] != now[1], is != now, is[inUse] != now[inUse])
		}
		want := steered(now, "a", could, inUse)
		for _, first := range could[0] {
			for _, second := range could[1] {
				if pair := [2]string{first, second}; cost(pair) < cost(want) {
					t.Fatalf("%q, lane %d in use, with %v: %q, and not %q", now, inUse, could, want, pair)
				}
			}
		}
		for _, i := range []int{1 - inUse, inUse} {
			now[i] = want[i]
			if again := steered(now, "a", could, 1-i); again != want || !slices.Contains(could[i], want[i]) {
				t.Fatalf("of %v %q, and then %q", could, want, again)
			}
		}
	}
	if now := [2]string{"b", ""}; steered(now, "a", [2][]string{}, 0) != now {
		t.Error("somebody leads a lane who could not")
	}
}
