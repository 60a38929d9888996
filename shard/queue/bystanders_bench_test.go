package queue

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

type silentGetter struct{ int }

func (*silentGetter) TryAgain() {}

// What a put costs while many want other items: takers, which are gets that wait, and
// filtered consumers, with a tag each.
func BenchmarkBystanders(b *testing.B) {
	asks := map[string]func(f *pushField, i int) *Ask{
		"takers": func(f *pushField, i int) *Ask {
			return &Ask{What: AskGet, Take: true, Length: 1, Wait: true, Getter: &silentGetter{i}}
		},
		"filtered": func(f *pushField, i int) *Ask {
			return &Ask{What: AskWatch, Group: "g", User: fmt.Sprint(i), Receiver: &sink{f: f}, Window: 10}
		},
	}
	for name, ask := range asks {
		for _, n := range []int{10, 1000} {
			b.Run(fmt.Sprintf("%s=%d", name, n), func(b *testing.B) {
				f := newPushField(0, 0)
				for i := range n {
					a := ask(f, i)
					a.Queue, a.Limits, a.Tags = "q", &f.limits, MakeTags(map[string]string{"k": fmt.Sprint(i)})
					f.apply(nil, Op{Kind: Service, Ask: a})
				}
				f.endTurn()
				b.ResetTimer()
				for i := 0; i < b.N; i += 16 {
					f.cycle(16, false)
				}
			})
		}
	}
}

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
