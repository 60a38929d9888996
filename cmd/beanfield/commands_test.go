package main

import (
	"bytes"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
)

// A version that cannot be printed is an error.
func TestVersionUnprinted(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	for _, args := range [][]string{{"--version"}, {"-v"}, {"version"}, {"-check-config"}} {
		var errs bytes.Buffer
		if code := run(args, full, &errs); code != 1 || !strings.Contains(errs.String(), "no space left") {
			t.Errorf("%q: code %d, %q", args, code, errs.String())
		}
	}
}

// What check-config -starter prints is taken without a doubt, as it is, and with everything that it has in comments.
func TestStarter(t *testing.T) {
	var out strings.Builder
	if code := run([]string{"check-config", "-starter"}, &out, io.Discard); code != exit.OK ||
		strings.Count(out.String(), "\n") > 50 {
		t.Errorf("code %d, %s", code, out.String())
	}
	all := regexp.MustCompile(`(?m)^# (\[|\w+ = )`).ReplaceAllString(out.String(), "$1")
	all = strings.NewReplacer("/var/lib/beanfield/data", t.TempDir(), "THE HASH THAT beanfield token PRINTS",
		strings.Repeat("0", 64)).Replace(all)
	for _, text := range []string{out.String(), all} {
		c := configOf(t, "", text)
		if doubts := c.Doubts(); len(doubts) > 0 || len(c.HTTP.Listen) != 1 || len(c.Access) != 0 && len(c.Tubes) != 1 {
			t.Errorf("%q\n%s", doubts, text)
		}
	}
}
