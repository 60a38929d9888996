package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// told runs the program in this process.
func told(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, &out, &errs)
	return code, out.String(), errs.String()
}

// Commands speak TLS to the server itself: with a certificate of their own, and without one
// where that is optional; but not to a server that they have no reason to trust.
func TestCommandsOverTLS(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	_, dir, addrs := secureProcess(t, a, a.Usual("server"))
	mine := a.Usual("mine")
	cert, key := securetest.Write(t, dir, "mc", mine.Cert), securetest.Write(t, dir, "mk", mine.Key)
	at := []string{"-server", "beanstalks://" + addrs[0], "-ca", dir + "/ca"}
	for _, c := range []struct {
		args   []string
		code   int
		stdout string
		stderr string
	}{
		{append([]string{"put", "over TLS", "-cert", cert, "-key", key}, at...), 0, "1\n", ""},
		{append([]string{"peek", "1"}, at...), 0, "over TLS\n", ""},
		{[]string{"peek", "1", "-server", "beanstalks://" + addrs[0]}, 1, "", "certificate"},
		{[]string{"peek", "1", "-server", addrs[0]}, 1, "", ""},
		{append([]string{"purge", "default"}, at...), 0, "purged 1\n", ""},
	} {
		code, stdout, stderr := told(c.args...)
		if code != c.code || stdout != c.stdout || !strings.Contains(stderr, c.stderr) {
			t.Errorf("%q: code %d, %q, %q", c.args, code, stdout, stderr)
		}
	}
}

// Commands log in with a token from a file, and a reload takes the token away again.
func TestCommandsLogIn(t *testing.T) {
	_, printed, _ := told("token")
	token := strings.Fields(printed)[0]
	rule := regexp.MustCompile(`token = "[0-9a-f]{64}"`).FindString(printed)
	const address = "listen = [{ address = 'unix:DIR/s', login = true }]\n"
	p, write := configured(t, address+"[[access]]\n"+rule+"\nmay = ['put', 'stats']\ntubes = 'mail*'\n")
	file, other := filepath.Join(p.dir, "token"), filepath.Join(p.dir, "other")
	for name, text := range map[string]string{file: token + "\n", other: "guessed\n"} {
		must.Do(t, os.WriteFile(name, []byte(text), 0o600))
	}
	at := []string{"-server", "unix:" + p.dir + "/s"}
	login := append([]string{"-token-file", file}, at...)
	expect := func(code int, stdout, stderr string, args ...string) {
		t.Helper()
		got, out, errs := told(args...)
		if got != code || out != stdout || !strings.Contains(errs, stderr) || strings.Contains(errs, token) {
			t.Errorf("%q: code %d, %q, %q", args, got, out, errs)
		}
	}
	expect(0, "1\n", "", append([]string{"put", "-tube", "mail", "x"}, login...)...)
	expect(0, "mail\n", "", append([]string{"tubes", "-names"}, login...)...)
	expect(0, "mail\n", "", "tubes", "-names", "-token-file", file, "-config", filepath.Join(p.dir, "c.toml"))
	expect(1, "", "", append([]string{"put", "-tube", "other", "x"}, login...)...)
	expect(1, "", "", append([]string{"put", "-tube", "mail", "x"}, at...)...)
	expect(1, "", "the server refuses the token in "+other, append([]string{"put", "-tube", "mail", "x", "-token-file",
		other}, at...)...)
	write(address + "[[access]]\nnetwork = '10.0.0.0/8'\nmay = 'admin'\n")
	has(t, p.reads(), "access: changed")
	expect(1, "", "the server refuses the token in "+file, append([]string{"put", "-tube", "mail", "x"}, login...)...)
}

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
