package command

import "testing"

func TestSuggestion(t *testing.T) {
	for name, want := range map[string]string{
		"tube": "; did you mean tubes?", "staus": "; did you mean stats?", "sttas": "; did you mean stats?",
		"Put": "; did you mean put?", "ex": "; did you mean export?", "peak": "; did you mean peek?",
		"del": "; did you mean delete?", "check-conf": "; did you mean check-config?",
		"pu":    "; did you mean put or purge?",
		"stray": "", "": "", "x": "", "11300": "", "ü": "",
	} {
		if got := Suggestion(name, names()); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
