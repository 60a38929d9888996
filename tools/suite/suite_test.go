package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"beanfield/storage/must"
)

// Tests that ask for the short form are found, however they ask, and no others.
func TestLongTests(t *testing.T) {
	found := must.Get(longTests(fstest.MapFS{
		"a/a_test.go": {Data: []byte("package a\n\nfunc TestA() { testing.Short() }\n\nfunc TestB() { helps(1) }\n\n" +
			"func TestC() { x.rounds() }\n\nfunc TestD() { other.Short() }\n\nfunc TestMain() { testing.Short() }\n")},
		"a/b_test.go": {Data: []byte("package a\n\nfunc helps(n int) { brief() }\n\nfunc (x T) rounds() { " +
			"helps(2) }\n")},
		"a/c_test.go":          {Data: []byte("package a\n\nfunc brief() bool { return effort.Brief() }\n")},
		"b/b_test.go":          {Data: []byte("package b\n\nfunc TestE() { brief(); testing.Verbose() }\n")},
		"b/testdata/b_test.go": {Data: []byte("no Go")},
		"c/c.go":               {Data: []byte("package c\n\nfunc TestF() { testing.Short() }\n")},
	}))
	if got := fmt.Sprint(found); got != "map[a:[TestA TestB TestC]]" {
		t.Error(got)
	}
}

// Every long test is in some kind of evidence.
func TestEvidenceIsWhole(t *testing.T) {
	for pkg := range must.Get(longTests(os.DirFS("../.."))) {
		if !slices.ContainsFunc(kinds(), func(k kind) bool {
			_, dirs, _ := strings.Cut(k.command, "suite thorough ")
			return slices.ContainsFunc(strings.Fields(dirs), func(dir string) bool {
				return strings.HasPrefix(pkg+"/", dir+"/")
			})
		}) {
			t.Errorf("no kind of evidence in evidence.go runs the long tests of %s", pkg)
		}
	}
}

// Of a package that fails, what its failed tests have printed is shown, and nothing of the others.
func TestProgress(t *testing.T) {
	var out strings.Builder
	p := newProgress(&out, 3)
	for line := range strings.Lines(`{"Action":"start","Package":"a"}
{"Action":"run","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestX","Output":"x goes well\n"}
{"Action":"run","Package":"a","Test":"TestY"}
{"Action":"output","Package":"a","Test":"TestY","Output":"y breaks\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:7: 20 cuts, 3 of them twice\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:9: 1 cuts, 0 of them twice\n"}
{"Action":"output","Package":"a","Test":"TestX","Output":"    x_test.go:9: at most 5 cuts\n"}
{"Action":"pass","Package":"a","Test":"TestX"}
{"Action":"output","Package":"a","Test":"TestZ","Output":"panic: z never ends\n"}
{"Action":"fail","Package":"a","Test":"TestY"}
`) {
		p.take([]byte(line))
	}
	p.say()
	for line := range strings.Lines(`{"Action":"output","Package":"a","Output":"FAIL a 1.2s\n"}
{"Action":"fail","Package":"a"}
{"Action":"start","Package":"b"}
{"Action":"output","Package":"b","Output":"ok b 1.2s\n"}
{"Action":"pass","Package":"b"}
{"ImportPath":"c","Action":"build-output","Output":"c.go:1: it does not compile\n"}
{"ImportPath":"c","Action":"build-fail"}
{"Action":"start","Package":"c"}
{"Action":"fail","Package":"c","FailedBuild":"c"}
warning: no event
`) {
		p.take([]byte(line))
	}
	if got := p.counted(); got != ": 21 cuts, 3 of them twice" {
		t.Error(got)
	}
	want := "   0 of 3  0s  a 0s TestY\n   1 of 3  FAIL  a\ny breaks\npanic: z never ends\nFAIL a 1.2s\n" +
		"   2 of 3  ok    b  0.0s\nc.go:1: it does not compile\n   3 of 3  FAIL  c\nwarning: no event\n"
	if out.String() != want || p.err() == nil || p.err().Error() != "2 of 3 packages failed: a, c" {
		t.Errorf("%v:\n%s\nwant\n%s", p.err(), &out, want)
	}
}

// A kind with a seed is repeated until it fails or its time is over; one without is not.
func TestEvidence(t *testing.T) {
	runs := filepath.Join(t.TempDir(), "runs")
	third := "echo seed {seed}; echo; echo x >>" + runs + "; test $(wc -l <" + runs +
		") -lt 3 || { echo bad >&2; exit 3; }"
	result, err := kind{"k", "what", third}.play(time.Hour, io.Discard)
	if err == nil || strings.Count(result, "passed: seed ") != 2 || strings.Count(result, "FAILED: bad\n") != 1 {
		t.Errorf("%v: %s", err, result)
	}
	for command, budget := range map[string]time.Duration{"echo {seed}; echo; printf ' two'": 0,
		"echo one; echo two": time.Hour} {
		if result, err = (kind{"k", "what", command}).play(budget, io.Discard); err != nil ||
			strings.Count(result, "passed: two\n") != 1 {
			t.Errorf("%v: %s", err, result)
		}
	}
}

// What was not run keeps its results.
func TestPage(t *testing.T) {
	first := written(map[string]string{"kills": "1 January, commit a\n\n    run\n      passed: b\n",
		"faults": "2 January\n"})
	again := written(sections(first))
	if again != first || !strings.Contains(first, "-seed {seed}`\n\n1 January, commit a\n\n    run\n") || !strings.Contains(first, "\n### kills\nkill -9 under load; ") ||
		strings.Count(first, "Not run yet.") != len(kinds())-2 {
		t.Errorf("%s\nand then\n%s", first, again)
	}
}
