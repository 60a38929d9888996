package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Each form of quoting, by its word and by its older name, reaches the code that
// writes stats.
func TestProcessQuotes(t *testing.T) {
	for _, c := range []struct{ file, usual, odd string }{
		{"", `default`, `"1e3"`},
		{`quote_strings = "needed"`, `default`, `"1e3"`},
		{`quote_strings = "always"`, `"default"`, `"1e3"`},
		{`quote_strings = true`, `"default"`, `"1e3"`},
		{`quote_strings = "never"`, `default`, `1e3`},
		{`quote_strings = false`, `default`, `1e3`},
	} {
		p := prepare(t, "-l", "unix:DIR/s", "-config", "DIR/c.toml")
		if err := os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte("[stats]\n"+c.file+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		p.start()
		client := p.dial(p.dir + "/s")
		client.expect("use 1e3", "USING 1e3")
		for name, want := range map[string]string{"default": c.usual, "1e3": c.odd} {
			if got := client.document("stats-tube " + name)["name"]; got != want {
				t.Errorf("with %q the name is %s, want %s", c.file, got, want)
			}
		}
	}
}
