package main

import (
	"fmt"
	"io"
	"strings"
)

// report collects what was compared and what differed.
type report struct {
	out      io.Writer
	repeat   string // flags that a repeating run needs besides the seed
	cases    int
	lines    int
	seeds    int
	commands int
	failed   int
}

// table prints the table's differences.
func (r *report) table(results []tableResult) {
	for _, t := range results {
		r.cases++
		r.lines += t.lines
		for _, err := range t.errs {
			r.failed++
			r.printf("DIFFERENCE in case %s\n  %s\n  repeat: go run ./tools/compat -table '^%s$'%s\n\n",
				t.name, indent(err.Error()), t.name, r.repeat)
		}
	}
}

// seed prints how a random run ended.
func (r *report) seed(run *randomRun) {
	r.seeds++
	r.commands += run.commands
	if run.differs == nil {
		return
	}
	r.failed++
	r.printf("DIFFERENCE in seed %d at step %d\n  the last %d steps:\n    %s\n", run.seed, run.steps, len(run.history),
		strings.Join(run.history, "\n    "))
	r.printf("  %s\n  repeat: go run ./tools/compat -seed %d -steps %d%s\n\n", indent(run.differs.Error()), run.seed,
		run.steps, r.repeat)
}

// summary is the last line; it tells whether all was equal.
func (r *report) summary() bool {
	verdict := "all equal"
	if r.failed > 0 {
		verdict = fmt.Sprintf("%d DIFFERENCES", r.failed)
	}
	r.printf("compat: %d random commands over %d seeds and %d odd lines in %d cases compared: %s\n",
		r.commands, r.seeds, r.lines, r.cases, verdict)
	return r.failed == 0
}

func (r *report) printf(format string, args ...any) {
	_, _ = fmt.Fprintf(r.out, format, args...)
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n  ") }
