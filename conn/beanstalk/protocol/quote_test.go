package protocol

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"beanfield/storage/must"
)

// misread are strings that some reader takes for something else: by what they
// are taken for.
var misread = map[string][]string{
	"nothing": {"", "~", "null", "Null", "NULL", "nuLL"},
	"truth":   {"y", "Y", "n", "N", "yes", "No", "on", "OFF", "true", "True", "FALSE", "tRue", "oFf"},
	"decimal": {"0", "7", "12", "-1", "+1", "1_000", "1_", "1__0", "+_1", "08", "1,000", "00"},
	"radix": {"017", "0o17", "0O7", "0x1F", "0X1f", "0xdead_beef", "+0x10", "0b101", "0B1", "-0b1", "0x_", "0b_",
		"0_x1F", "0b+1", "0o-7"},
	"fraction":    {"1.5", "1.", ".5", "+.5", "-1.5", "1.2.3", "10.0.0.1", ".", "..", "...", "+.", "1_0.5_0", "._1"},
	"exponent":    {"1e3", "1E3", "1e+3", "1e-3", "1.5e3", ".5e3", "1.e+5", "1e_3", "12e4567890123456"},
	"no number":   {".inf", ".Inf", ".INF", "+.inf", "-.inf", ".iNf", ".nan", ".NaN", ".NAN"},
	"sexagesimal": {"1:30", "12:30:45", "190:20:30.15", "-1:30"},
	"time": {"2001-01-01", "2001-1-1", "2001-99-99", "2001-12-14t21:59:43.10-05:00", "2001-12-14 21:59:43",
		"2001-12-15  2:59:43"},
	"merge": {"<<", "="},
	"a beginning": {
		"# 1 SMP", "#1", "-", "- a", "-a", "---", "?", "? a", ":", ":a", ",", "[a]", "{a}", "]", "}", "&a", "*a", "!a",
		"|", ">", "'a", `"a"`,
		"%a", "@a", "`a",
	},
	"an end": {"a: b", "a:", "a #b", " a", "a ", " "},
	"escape": {"a\n", "a\tb", "\x00", "\x7f", "é", "日本", "a\u2028b", "\u0085", "\ufeff", `"\"`, "\n---\n"},
}

// readAsText are strings that every reader takes for themselves.
var readAsText = []string{
	"default", "a", "x", "Z", "mails", "a;b", "a-b", "a_b", "emails.send", "v1.2.3", "nulls", "truely", "yep",
	"no-reply", "off_", "ye", "_", "_1",
	"/", "(", ")", "$", ";", "+", "+a", "/etc", "$_()/", "(a)", ".hidden", ".info", "..a", "+-1", "1a", "0xg", "0x",
	"0b2", "0o8", "1e", "1e3a", "e3",
	"1-2", "2001-01", "2001-01-01-jobs", "2001-01-01Tasks", "1/2", "1;2", "1$", "3com", "x86_64", "infinity",
	".infinite", ".nano", "inf", "nan", "NaN",
	"1e3.5", "a:b", "a#b", "it's", `say "hi"`, `a\b`, "a, b", "web-01.example.com", "Debian 6.1.0-13 (2023-09-29)",
	"0123456789abcdef",
	strings.Repeat("n", 200),
}

// published are the forms of YAML 1.1 (yaml.org/type) and of YAML 1.2's core
// schema, as they stand there.
var published = []*regexp.Regexp{
	regexp.MustCompile(`^(~|null|Null|NULL|)$`),
	regexp.MustCompile(`^(y|Y|yes|Yes|YES|n|N|no|No|NO|true|True|TRUE|false|False|FALSE|on|On|ON|off|Off|OFF)$`),
	regexp.MustCompile(`^([-+]?0b[0-1_]+|[-+]?0[0-7_]+|[-+]?(0|[1-9][0-9_]*)|[-+]?0x[0-9a-fA-F_]+|[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+)$`),
	regexp.MustCompile(`^([-+]?([0-9][0-9_]*)?\.[0-9.]*([eE][-+][0-9]+)?|[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN))$`),
	regexp.MustCompile(`^([0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]|[0-9][0-9][0-9][0-9]-[0-9][0-9]?-[0-9][0-9]?([Tt]|[ \t]+)[0-9][0-9]?` +
		`:[0-9][0-9]:[0-9][0-9](\.[0-9]*)?(([ \t]*)Z|[-+][0-9][0-9]?(:[0-9][0-9])?)?)$`),
	regexp.MustCompile(`^(<<|=)$`),
	regexp.MustCompile(`^([-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`),
	regexp.MustCompile(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`),
}

// reads checks that a reader gets a string back, and that it stands in quotes if
// it has to.
func reads(t *testing.T, s string, quoted bool) {
	t.Helper()
	text := QuoteNeeded.Text(s)
	if got := text != s; got != quoted {
		t.Errorf("%q is written as %s: quoted %t, want %t", s, text, got, quoted)
	}
	var doc map[string]any
	if err := yaml.Unmarshal([]byte("---\nname: "+text+"\nnext: 1\n"), &doc); err != nil {
		t.Errorf("%q is written as %s: %v", s, text, err)
	} else if doc["name"] != s || doc["next"] != 1 {
		t.Errorf("%q is written as %s and read as %#v", s, text, doc)
	}
}

func TestQuotesWhereNeeded(t *testing.T) {
	for what, all := range misread {
		for _, s := range all {
			t.Run(fmt.Sprintf("%s %q", what, s), func(t *testing.T) { reads(t, s, true) })
		}
	}
	for _, s := range readAsText {
		t.Run(fmt.Sprintf("text %q", s), func(t *testing.T) { reads(t, s, false) })
	}
}

// What is not UTF-8 cannot be read as it is by any reader; it is at least read.
func TestQuotesOfBytes(t *testing.T) {
	for s, want := range map[string]string{"\xff": `"\xff"`, "a\x80b": `"a\x80b"`} {
		if got := QuoteNeeded.Text(s); got != want {
			t.Errorf("%q is written as %s", s, got)
		}
		var v string
		if err := yaml.Unmarshal([]byte(want), &v); err != nil || len([]rune(v)) != len(s) {
			t.Errorf("%s is read as %q (%v)", want, v, err)
		}
	}
}

// The other two forms know no exception.
func TestQuotesAlwaysAndNever(t *testing.T) {
	for _, all := range append(slices.Collect(func(yield func([]string) bool) {
		for _, all := range misread {
			if !yield(all) {
				return
			}
		}
	}), readAsText) {
		for _, s := range all {
			if got := QuoteAlways.Text(s); got != `"`+s+`"` {
				t.Errorf("always: %q is written as %s", s, got)
			}
			if got := QuoteNever.Text(s); got != s {
				t.Errorf("never: %q is written as %s", s, got)
			}
		}
	}
}

const nameBytes = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-+/;.$_()"

// Every name of one and two bytes, and random ones of those bytes that numbers,
// times and words are made of, are read back. Those that the published forms
// describe stand in quotes, and usual names never do.
func TestQuotesOfNames(t *testing.T) {
	var names []string
	for _, a := range nameBytes {
		names = append(names, string(a))
		for _, b := range nameBytes {
			names = append(names, string([]rune{a, b}))
		}
	}
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, set := range []string{"01279+-._eExXoObB:,", "0123456789-Tt: ", "yYeEsSnNoOfFtTrRuUlLaA~", ".iInNfFaA+-",
		nameBytes, nameBytes + " #:'\"\\\t\n\x00é&*!|>%@`{}[],=<?~"} {
		runes := []rune(set)
		for range 20000 {
			name := make([]rune, 1+rnd.IntN(10))
			for i := range name {
				name[i] = runes[rnd.IntN(len(runes))]
			}
			names = append(names, string(name))
		}
	}
	usual := regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_./;-]*$`)
	word := regexp.MustCompile(`^(?i:y|yes|n|no|on|off|true|false|null)$`)
	for _, name := range names {
		quoted := QuoteNeeded.Text(name) != name
		if usual.MatchString(name) && quoted != word.MatchString(name) {
			t.Errorf("%q: quoted %t", name, quoted)
		}
		for i, form := range published {
			if form.MatchString(name) && !quoted {
				t.Errorf("%q has form %d, and is not quoted", name, i)
			}
		}
	}
	readAll(t, names)
}

// readAll has a reader read one document with all names.
func readAll(t *testing.T, names []string) {
	t.Helper()
	var text []byte
	for _, name := range names {
		text = append(text, "- name: "+QuoteNeeded.Text(name)+"\n"...)
	}
	var got []map[string]any
	must.Do(t, yaml.Unmarshal(text, &got))
	if len(got) != len(names) {
		t.Fatalf("%d names are read as %d", len(names), len(got))
	}
	for i, name := range names {
		if got[i]["name"] != name {
			t.Errorf("%q is read as %#v", name, got[i]["name"])
		}
	}
}
