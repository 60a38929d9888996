package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// every is how often it is said how far the tests are.
const every = 5 * time.Second

// test runs go test, and says how far it is.
func test(args []string) error {
	list := exec.Command("go", "list")
	for _, arg := range args {
		if strings.HasPrefix(arg, "./") {
			list.Args = append(list.Args, arg)
		}
	}
	list.Stderr = os.Stderr
	packages, err := list.Output()
	if err != nil {
		return fmt.Errorf("go list: %w", err)
	}
	p := newProgress(os.Stdout, len(strings.Fields(string(packages))))
	if err := p.run(args...); err != nil {
		return fmt.Errorf("%w: %w", err, p.err())
	}
	fmt.Printf("%d packages passed in %.0f s%s\n", p.done, time.Since(p.begun).Seconds(), p.counted())
	return nil
}

// An event is a line of go test -json.
type event struct{ Action, Package, Test, Output string }

// progress is how far the tests of some packages are.
type progress struct {
	out         io.Writer
	total, done int
	failed      []string
	begun       time.Time
	running     map[string]*pkg
	counts      map[string][]int // what tests have counted, by the words: "# crashes, # more after them"
}

// pkg is a package whose tests run.
type pkg struct {
	begun time.Time
	test  string   // what has begun last
	order []string // of its tests
	said  map[string]string
}

func newProgress(out io.Writer, total int) *progress {
	return &progress{out: out, total: total, begun: time.Now(), running: map[string]*pkg{},
		counts: map[string][]int{}}
}

// A count is a line of a test's log that is numbers with what they are of.
var (
	count  = regexp.MustCompile(`^ +\w+_test\.go:\d+: +(\d+ [a-z][a-z ]*(, \d+ [a-z][a-z ]*)*)\n$`)
	number = regexp.MustCompile(`\d+`)
)

// tally adds what a line counts to what other tests have counted in the same words.
func (p *progress) tally(line string) {
	m := count.FindStringSubmatch(line)
	if m == nil {
		return
	}
	words := number.ReplaceAllString(m[1], "#")
	sums := p.counts[words]
	for i, digits := range number.FindAllString(m[1], -1) {
		if i == len(sums) {
			sums = append(sums, 0)
		}
		n, _ := strconv.Atoi(digits)
		sums[i] += n
	}
	p.counts[words] = sums
}

// counted are the sums, behind a colon.
func (p *progress) counted() string {
	var all []string
	for _, words := range slices.Sorted(maps.Keys(p.counts)) {
		for _, n := range p.counts[words] {
			words = strings.Replace(words, "#", strconv.Itoa(n), 1)
		}
		all = append(all, words)
	}
	if len(all) == 0 {
		return ""
	}
	return ": " + strings.Join(all, "; ")
}

// run runs go test with some arguments. What it prints besides events is shown as it is.
func (p *progress) run(args ...string) error {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := make(chan []byte)
	go func() {
		defer close(lines)
		for in := bufio.NewReader(out); ; {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				lines <- line
			}
			if err != nil {
				return
			}
		}
	}()
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case line, ok := <-lines:
			if !ok {
				err := cmd.Wait()
				if err != nil && len(p.failed) == 0 {
					p.failed = append(p.failed, strings.Join(cmd.Args, " "))
				}
				return err
			}
			p.take(line)
		case <-tick.C:
			p.say()
		}
	}
}

func (p *progress) take(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil || e.Action == "build-output" {
		fmt.Fprint(p.out, e.Output)
		if e.Action == "" {
			p.out.Write(line)
		}
		return
	}
	if e.Package == "" {
		return
	}
	k := p.running[e.Package]
	if k == nil {
		k = &pkg{begun: time.Now(), said: map[string]string{}}
		p.running[e.Package] = k
	}
	switch e.Action {
	case "run":
		k.test = e.Test
	case "output":
		if _, there := k.said[e.Test]; !there {
			k.order = append(k.order, e.Test)
		}
		k.said[e.Test] += e.Output
		p.tally(e.Output)
	case "pass", "skip":
		delete(k.said, e.Test)
	}
	if e.Test == "" && slices.Contains([]string{"pass", "skip", "fail"}, e.Action) {
		p.end(e, k)
	}
}

// end is told that a package has passed or not; then what is left of its output is that of tests which have not.
func (p *progress) end(e event, k *pkg) {
	delete(p.running, e.Package)
	p.done++
	switch e.Action {
	case "pass":
		fmt.Fprintf(p.out, "%4d of %d  ok    %s  %.1fs\n", p.done, p.total, e.Package, time.Since(k.begun).Seconds())
	case "fail":
		p.failed = append(p.failed, e.Package)
		fmt.Fprintf(p.out, "%4d of %d  FAIL  %s\n", p.done, p.total, e.Package)
		for _, test := range k.order {
			fmt.Fprint(p.out, k.said[test])
		}
	}
}

// say says how far the tests are.
func (p *progress) say() {
	var now []string
	for _, name := range slices.Sorted(maps.Keys(p.running)) {
		k := p.running[name]
		now = append(now, fmt.Sprintf("%s %.0fs %s", name, time.Since(k.begun).Seconds(), k.test))
	}
	what := "building"
	if len(now) > 0 {
		what = strings.Join(now, ", ")
	}
	fmt.Fprintf(p.out, "%4d of %d  %.0fs  %s\n", p.done, p.total, time.Since(p.begun).Seconds(), what)
}

// err names what has failed.
func (p *progress) err() error {
	if len(p.failed) == 0 {
		return nil
	}
	return fmt.Errorf("%d of %d packages failed: %s", len(p.failed), p.total, strings.Join(p.failed, ", "))
}
