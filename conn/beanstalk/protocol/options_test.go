package protocol

import (
	"bytes"
	"testing"
)

// taken is what the options below set.
type taken struct {
	n    uint64
	tags string
}

var known = []Option[taken]{
	NumberOption("n", Bounds{0, 9}, func(t *taken, n uint64) { t.n = n }),
	{Name: "m", Set: func(t *taken, _, v []byte) bool { return len(v) == 0 }},
	{Name: "tag.", Set: func(t *taken, name, v []byte) bool {
		t.tags += string(name) + ":" + string(v) + ";"
		return true
	}},
}

func TestOptions(t *testing.T) {
	for line, want := range map[string]taken{
		"":                          {},
		"   ":                       {},
		" n=7":                      {n: 7},
		"  m=  n=0 ":                {},
		" tag.a=1 n=9 tag.b.c==":    {n: 9, tags: "a:1;b.c:=;"},
		" tag.a=1 tag.a=%20 tag.=x": {tags: "no"}, // a tag without a name
		" n=7 n=7":                  {tags: "no"},
		" n=10":                     {tags: "no"},
		" n= 1":                     {tags: "no"},
		" n=+1":                     {tags: "no"},
		" N=1":                      {tags: "no"},
		" nn=1":                     {tags: "no"},
		"n=1":                       {tags: "no"}, // nothing is between it and what comes before
		" n":                        {tags: "no"},
		" =1":                       {tags: "no"},
		" n=1 x":                    {tags: "no"},
		" n=1\t":                    {tags: "no"},
	} {
		var got taken
		if ok := Read(Options(line), known, &got); ok == (want.tags == "no") || ok && got != want {
			t.Errorf("%q: %+v, %v; want %+v", line, got, ok, want)
		}
	}
}

func TestSeconds(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "7": 7000, "0.5": 500, "1.25": 1250, "3.007": 3007, "4294967295.999": 4294967295999,
		"": -1, ".5": -1, "1.": -1, "1.2345": -1, "-1": -1, "1e3": -1, "4294967296": -1, "1.x": -1, " 1": -1, "1 ": -1,
		"1.2.3": -1,
	} {
		if ms, ok := Seconds([]byte(text)); ok != (want >= 0) || ok && int64(ms) != want {
			t.Errorf("%q: %d, %v; want %d", text, ms, ok, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, s := range []string{"", "a b", "%", "\x00\r\n\xff", "100%25"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		e := Escape(nil, b)
		if i := bytes.IndexFunc(e, func(r rune) bool { return r <= ' ' || r >= 127 }); i >= 0 {
			t.Errorf("%q is escaped as %q", b, e)
		}
		if got, ok := Unescape(nil, e); !ok || !bytes.Equal(got, b) {
			t.Errorf("%q comes back as %q, %v", b, got, ok)
		}
		if got, ok := Unescape(nil, b); ok && len(got) > len(b) {
			t.Errorf("%q grows to %q", b, got)
		}
	})
}

func TestUnescapeRefuses(t *testing.T) {
	for _, s := range []string{"%", "%2", "a%", "%2g", "%g2", "%%20"} {
		if got, ok := Unescape(nil, []byte(s)); ok {
			t.Errorf("%q: %q", s, got)
		}
	}
}
