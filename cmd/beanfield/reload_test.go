package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
)

// reads sends SIGHUP, and returns when the process has told systemd that it is ready again:
// what it has said meanwhile.
func (p *process) reads() string {
	p.t.Helper()
	before := len(p.said())
	p.signal(syscall.SIGHUP)
	b := make([]byte, 100)
	n, err := p.heard.Read(b)
	if !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]{3,}$`).Match(b[:n]) {
		p.t.Fatalf("heard %q, %v", b[:n], err)
	}
	p.hears("READY=1")
	return p.said()[before:]
}

// configured is a process with a file that a test can replace.
func configured(t *testing.T, text string, args ...string) (p *process, write func(text string)) {
	t.Helper()
	p = prepare(t, append(args, "-config", "DIR/c.toml")...)
	write = func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte(strings.ReplaceAll(text, "DIR", p.dir)), 0o600))
	}
	write(text)
	return p.start(), write
}

// has checks which words are in what a process says.
func has(t testing.TB, said string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q:\n%s", w, said)
		}
	}
}
