package config

import (
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"testing"

	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// What is probably not meant is said in one line each, and what is meant is not.
func TestDoubts(t *testing.T) {
	const everybody = " can be read by every user of this machine: chmod o-r FILE"
	const rule = "[[access]]\nname = 'x'\nmay = 'put'\n"
	p, dir := securetest.NewAuthority(t, "authority").Usual("one"), t.TempDir()
	securetest.Write(t, dir, "c", p.Cert)
	securetest.Write(t, dir, "k", p.Key)
	must.Do(t, os.Chmod(dir+"/k", 0o600))
	certain := fmt.Sprintf("[[listen]]\naddress = 'unix:/s'\nlogin = true\ncert = '%s/c'\nkey = "+
		"'%[1]s/k'\nclient_ca = '%[1]s/c'\n", dir)
	for _, c := range []struct {
		args, text string
		mode       fs.FileMode
		want       []string
	}{
		{"", "", 0o644, nil},
		{"", "storage.path = '/data'\n", 0o644,
			[]string{"storage.path is set (FILE:1) but storage.backend is not: jobs are kept in memory only"}},
		{"", "storage.path = '/data'\nstorage.backend = 'memory'\n", 0o644, nil},
		{"-b /", "storage.path = '/data'\n", 0o644, nil},
		{"", "http.tokens = ['x']\n", 0o644, []string{"http.tokens (FILE:1)" + everybody}},
		{"", "\nqueue.tokens = ['x']\n", 0o604, []string{"queue.tokens (FILE:2)" + everybody}},
		{"", "http.tokens = ['x']\n", 0o640, nil},
		{"", "http.tokens = []\n", 0o644, nil},
		{"", rule + "token = '" + strings.Repeat("0", 64) + "'\ngid = 1\n" + rule + "may = 'put'\nemail = 'x@*'\n"[12:],
			0o644, []string{
				"access.token of rule x fits nobody: no [[listen]] has login = true",
				"access.gid of rule x fits nobody: no address is a unix socket, unless systemd opens one",
				"access.email of rule x fits nobody: no address has a client_ca, so no client is asked for a certificate"}},
		{"", certain + rule + "token = '" + strings.Repeat("0", 64) +
			"'\nuid = 1\ncommon_name = 'x'\ntubes = ['*a', 'b;rear', 'c(1)_/+.$']\n", 0o644, nil},
		{"", "metrics.tubes = ['ok*', 'é']\n[[tube]]\nmatch = 'mail?'\n[[queue.for]]\nmatch = '[ab]'\n" + rule +
			"network = '::1'\ntubes = 'a b'\n", 0o644, []string{
			`access.tubes of rule x: "a b" fits no tube: a name has no ' ', and only * stands for other characters`,
			`tube.match (FILE:2): "mail?" fits no tube: a name has no '?', and only * stands for other characters`,
			`queue.for.match: "[ab]" fits no tube: a name has no '[', and only * stands for other characters`,
			`metrics.tubes: "é" fits no tube: a name has no 'é', and only * stands for other characters`}},
	} {
		f := flagsAnd(t, c.args, c.text+" ")
		must.Do(t, os.Chmod(f.File, c.mode))
		got := must.Get(Load(f)).Doubts()
		for i := range got {
			got[i] = strings.ReplaceAll(got[i], f.File, "FILE")
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q with %q, %o:\n%s\nwant\n%s", c.args, c.text, c.mode, strings.Join(got, "\n"),
				strings.Join(c.want, "\n"))
		}
	}
	must.Do(t, os.Chmod(dir+"/k", 0o604))
	if got := must.Get(load(t, "", certain)).Doubts(); len(got) != 1 ||
		!strings.HasSuffix(got[0], ":1) can be read by every user of this machine: chmod o-r "+dir+"/k") {
		t.Errorf("a key that all can read: %q", got)
	}
}

// What the user whom root is to become may not use is said, with the file or directory that is in the way.
func TestFilesOfTheUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root becomes another user")
	}
	p, dir := securetest.NewAuthority(t, "authority").Usual("one"), must.Get(os.MkdirTemp("/tmp", "bf"))
	t.Cleanup(func() { os.RemoveAll(dir) })
	securetest.Write(t, dir, "c", p.Cert)
	securetest.Write(t, dir, "k", p.Key)
	must.Do(t, os.Mkdir(dir+"/data", 0o755))
	text := fmt.Sprintf("[http]\ncert = '%s/c'\nkey = '%[1]s/k'\n[audit]\nfile = '%[1]s/data/log'\n", dir)
	says := func(want ...string) {
		t.Helper()
		got := must.Get(load(t, "-u nobody -b "+dir+"/data", text)).Doubts()
		for i := range got {
			_, got[i], _ = strings.Cut(got[i], " cannot be used by user nobody: see the permissions of "+dir)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	must.Do(t, os.Chmod(dir+"/k", 0o600))
	must.Do(t, os.Chmod(dir+"/c", 0o644))
	must.Do(t, os.Chmod(dir, 0o711))
	says("/k", "/data", "/data")
	nobody := must.Get(LookupAccount("nobody"))
	must.Do(t, os.Chown(dir+"/data", nobody.UID, 0))
	must.Do(t, os.Chown(dir+"/k", 0, nobody.GID))
	says("/k")
	must.Do(t, os.Chmod(dir+"/k", 0o640))
	says()
	must.Do(t, os.Chmod(dir, 0o700))
	says("", "", "", "")
}
