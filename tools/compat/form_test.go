package main

import (
	"strings"
	"testing"
)

// A string must be in the subject's form, and in no other.
func TestForms(t *testing.T) {
	for _, c := range []struct{ name, never, always, needed string }{
		{"mails", `mails`, `"mails"`, `mails`},
		{"1e3", `1e3`, `"1e3"`, `"1e3"`},
		{"#1 SMP", `#1 SMP`, `"#1 SMP"`, `"#1 SMP"`},
	} {
		for f, want := range map[form]string{never: c.never, always: c.always, needed: c.needed, unset: c.needed} {
			for _, got := range []string{c.never, c.always} {
				for reply, key := range map[string]string{"stats": "os", "stats-tube": "name", "stats-job": "tube"} {
					r, s := twoSides()
					s.form = f
					err := compareLine(reply, key+": "+c.name, key+": "+got, r, s)
					if (err == nil) != (got == want) {
						t.Errorf("%s, %s: %s is compared as %v", f, reply, got, err)
					}
				}
			}
		}
	}
}

// Every form is run with random commands, and with every name that is misleading.
func TestFormsAreCompared(t *testing.T) {
	p := programs{subject: map[form][]string{never: {"x"}, always: {"x"}, needed: {"x"}, unset: {"x"}}}
	seeds, cases := map[form]int{}, map[form]bool{}
	for seed := range uint64(25) {
		seeds[p.formOf(seed)]++
	}
	for _, f := range formsOf {
		if seeds[f] < 8 {
			t.Errorf("%s has %d seeds of 25", f, seeds[f])
		}
	}
	for _, c := range table() {
		if strings.HasPrefix(c.name, "stats/misleading-names") {
			cases[c.form] = true
		}
	}
	for f := range p.subject {
		if !cases[f] {
			t.Errorf("no case for %s", f)
		}
	}
	if f := (programs{subject: map[form][]string{never: {"x"}}}).formOf(1); f != never {
		t.Errorf("a subject without forms runs as %s", f)
	}
}
