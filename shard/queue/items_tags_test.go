package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Tags that include others have all their marks.
func TestMarks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	some := func() Tags {
		pairs := map[string]string{}
		for range rnd.IntN(4) {
			pairs[fmt.Sprint(rnd.IntN(4))] = fmt.Sprint(rnd.IntN(3))
		}
		return MakeTags(pairs)
	}
	told, others := 0, 0
	for range 20_000 {
		item, want := some(), some()
		missing := want.marks()&^item.marks() != 0
		if missing && item.Has(want) {
			t.Fatalf("%q includes %q, but not its marks", item, want)
		}
		if missing {
			told++
		}
		if !item.Has(want) {
			others++
		}
	}
	if told < others*9/10 {
		t.Errorf("of %d that do not include the others, marks tell only %d", others, told)
	}
}
