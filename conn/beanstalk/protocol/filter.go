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
	option := func(name string, set func(f *queue.Filter, rest, value []byte) bool) Option[T] {
		return Option[T]{Name: name, Set: func(to *T, rest, value []byte) bool { return set(of(to), rest, value) }}
	}
	return []Option[T]{
		option("state", func(f *queue.Filter, _, value []byte) bool { return StatesOf(&f.States, value) }),
		option("older", func(f *queue.Filter, _, value []byte) bool { return age(&f.Older, value) }),
		option("younger", func(f *queue.Filter, _, value []byte) bool { return age(&f.Younger, value) }),
		option("body", func(f *queue.Filter, _, value []byte) (ok bool) {
			f.Body, ok = Unescape(nil, value)
			return ok && len(f.Body) > 0
		}),
		option("tag.", addTag),
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

// age reads an age above 0.
func age(to *int64, value []byte) bool {
	ms, ok := Seconds(value)
	*to = int64(ms) * 1e6
	return ok && ms > 0
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
