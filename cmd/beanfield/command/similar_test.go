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

// A wrong name is wrong usage, with a suggestion if there is one to make: for commands, for
// flags, and for what help explains.
func TestWrongNames(t *testing.T) {
	unknown(t, "staus").want(t, 2, "", `there is no command "staus"; did you mean stats?`)
	unknown(t, "stray").want(t, 2, "", "there is no command \"stray\"\nUse: beanfield COMMAND")
	ran(t, "put", "-tub", "a", "x").want(t, 2, "", "not defined: -tub; did you mean -tube?")
	ran(t, "put", "-nonsense", "x").want(t, 2, "", "not defined: -nonsense\nUse: beanfield put [FLAGS] [BODY...]\n")
	ran(t, "help", "migratoin").want(t, 3, "", `"migratoin"; did you mean migration?`)
	ran(t, "help", "peeks").want(t, 3, "", "did you mean peek?")
}
