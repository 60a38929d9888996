package protocol

import (
	"bytes"

	"beanfield/shard/queue"
)

// FilterOptions are the options by which a command chooses jobs of any tubes.
func FilterOptions[T any](of func(*T) *queue.Filter) []Option[T] {
	return append(ChoiceOptions(of), Option[T]{Name: "tube", Set: func(to *T, _, value []byte) bool {
		of(to).Tube = string(value)
		return queue.ValidName(value)
	}})
}

// ChoiceOptions are those by which it chooses jobs of a tube. of finds the filter that they fill, with copies of
// what they say.
func ChoiceOptions[T any](of func(*T) *queue.Filter) []Option[T] {
	return []Option[T]{
		{Name: "state", Set: func(to *T, _, value []byte) bool { return StatesOf(&of(to).States, value) }},
		TimeOption("older", SomeTime, func(to *T, ns int64) { of(to).Older = ns }),
		TimeOption("younger", SomeTime, func(to *T, ns int64) { of(to).Younger = ns }),
		{Name: "body", Set: func(to *T, _, value []byte) (ok bool) {
			f := of(to)
			f.Body, ok = Unescape(nil, value)
			return ok && len(f.Body) > 0
		}},
		{Name: "tag.", Set: func(to *T, rest, value []byte) bool { return addTag(of(to), rest, value) }},
	}
}

// StatesOf reads states with commas in between; each may come once.
func StatesOf(to *queue.States, value []byte) bool {
	for word := range bytes.SplitSeq(value, []byte(",")) {
		found := false
		for st := queue.Ready; st <= queue.Buried; st++ {
			if found = string(word) == st.String() && (*to == 0 || !to.Has(st)); found {
				*to = to.With(st)
				break
			}
		}
		if !found {
			return false
		}
	}
	return true
}

// addTag adds a tag that the line names.
func addTag(f *queue.Filter, name, value []byte) bool {
	key, ok := Unescape(nil, name)
	text, good := Unescape(nil, value)
	if _, twice := f.Tags.Get(string(key)); !ok || !good || twice || len(key) == 0 {
		return false
	}
	pairs := map[string]string{string(key): string(text)}
	for k, v := range f.Tags.All() {
		pairs[string(k)] = string(v)
	}
	f.Tags = queue.MakeTags(pairs)
	return true
}
