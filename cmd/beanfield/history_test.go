package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/storage/pebblestore"
)

// kept says whether a process has a history of a tube.
func (p *process) kept(tube string) bool {
	p.t.Helper()
	status, body := page(p.t.(*testing.T), "unix", p.dir+"/h", "/api/v1/history?span=hour&tube="+tube, "")
	var a struct{ Kept bool }
	if err := json.Unmarshal([]byte(body), &a); status != 200 || err != nil {
		p.t.Fatal(status, body, err)
	}
	return a.Kept
}

// keeps waits for that.
func (p *process) keeps(tube string) {
	p.t.Helper()
	late, beat := time.After(patience), time.NewTicker(10*time.Millisecond)
	defer beat.Stop()
	for !p.kept(tube) {
		select {
		case <-beat.C:
		case <-late:
			p.t.Fatalf("there is no history of %s; it says\n%s", tube, p.said())
		}
	}
}

// The history of a tube that has ended outlives the process, in a file of the data directory. A
// file that is damaged stops nothing, and the commands for data directories ignore it.
func TestHistoryOverRestarts(t *testing.T) {
	dir := t.TempDir()
	run := func(fn func(p *process)) *process {
		p := startProcess(t, "-l", "unix:DIR/s", "-http", "unix:DIR/h", "-b", dir)
		fn(p)
		p.stop()
		return p
	}
	run(func(p *process) { p.client().expect("use t\r\nput 0 0 9 1\r\nx\r\n", "USING t") })
	run(func(p *process) {
		p.keeps("t") // its first sample is of now, and of a job that was there before
		p.client().expect("delete 1\r\n", "DELETED")
	})
	file := filepath.Join(dir, pebblestore.HistoryName)
	run(func(p *process) { p.keeps("t") })
	text := must.Get(os.ReadFile(file))
	for _, c := range [][]string{{"dump", dir}, {"dump", "-salvage", filepath.Join(t.TempDir(), "new"), dir}} {
		var out bytes.Buffer
		if code, ok := runCommand(c, &out, &out); !ok || code != 0 {
			t.Errorf("%q ends with %d: %s", c, code, out.String())
		}
	}
	if err := pebblestore.CheckIntake(pebblestore.Options{Dir: dir}); err == nil || !strings.Contains(err.Error(),
		"data directory already") {
		t.Errorf("an import into the directory: %v", err)
	}
	if is, err := os.ReadFile(file); err != nil || !bytes.Equal(is, text) {
		t.Errorf("a command has changed the history: %v", err)
	}
	text[len(text)/2] ^= 1
	must.Do(t, os.WriteFile(file, text, 0o600))
	p := run(func(p *process) {
		p.keeps("default")
		if p.kept("t") {
			t.Error("a damaged file was read")
		}
	})
	if said := p.said(); strings.Count(said, "the history of the charts begins anew") != 1 {
		t.Errorf("it says\n%s", said)
	}
}

// A server that keeps jobs in memory writes no file.
func TestHistoryInMemory(t *testing.T) {
	p := prepare(t, "-l", "unix:DIR/s", "-http", "unix:DIR/h")
	p.Dir = p.dir
	p.start()
	p.keeps("default")
	p.stop()
	if _, err := os.Lstat(filepath.Join(p.dir, pebblestore.HistoryName)); err == nil {
		t.Error("it has written a file")
	}
}
