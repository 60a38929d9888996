package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"time"
)

// A claim is what somebody may doubt, with the kinds of evidence for it.
type claim struct {
	says  string
	kinds []kind
}

// A kind of evidence is a command whose last line says what came of it. {seed} in it is another one each time.
type kind struct{ name, what, command string }

var claims = []claim{
	{"Every reply is the one that beanstalkd gives", []kind{
		{"commands", "a table of odd lines and scripts, also over restarts, and random commands of several " +
			"connections, each sent to both",
			"go run ./tools/compat"},
		{"random commands", "seeds that nobody has tried", "go run ./tools/compat -seed {seed}"},
		{"other words", "the same told in words that only beanfield has",
			"go run ./tools/compat -reworded -seed {seed}"},
		{"passed on", "the table, and random commands, at a node of a cluster that does not serve",
			"go run ./tools/compat -through plain -seeds 6"},
		{"passed on over TLS", "the same over TLS", "go run ./tools/compat -through tls -seeds 6"},
		{"clients", "real client libraries, and those of the queue service, at a node that does not serve",
			"THROUGH=plain tools/clients/run"},
		{"clients over TLS", "the same over TLS", "THROUGH=tls tools/clients/run"},
	}},
	{"Nothing is lost that was acknowledged: one machine", []kind{
		{"kills", "kill -9 under load; all that a restart shows is compared with a ledger of what was answered",
			"go run ./tools/crash -kills 20 -seed {seed}"},
		{"damage", "bits, blocks and files of a data directory are harmed: a start is refused, or nothing is missing",
			"go run ./tools/crash -damage 24 -seed {seed}"},
		{"power cuts", "power cuts, errors of the disk at every operation, damage anywhere, on a simulated disk",
			"go run ./tools/suite thorough storage/locallog storage/pebblestore"},
	}},
	{"Nothing is lost that was acknowledged: several machines", []kind{
		{"faults", "three real nodes are killed, stopped, cut off, and lose their disks, while each client knows one; " +
			"then the histories are checked", "go run ./tools/faults -faults 10 -within 5m -seed {seed}"},
		{"schedules", "simulated nodes in random orders of messages, crashes and clocks: no two serve at once, " +
			"and nothing acknowledged goes", "go run ./tools/suite thorough storage/lanes storage/cluster"},
		{"members", "real nodes are added, removed and replaced, killed in the middle of it, and come back under other names",
			"make cluster"},
		{"cost", "what it costs clients to come to a node that does not serve", "go run ./tools/bench through"},
	}},
	{"The rules hold in every order, and for any input", []kind{
		{"enumerations", "every order of steps, every short history, long random ones against models that are naive",
			"go run ./tools/suite thorough conn router shard storage/fold"},
		{"interleavings", "some millions of orders in which clients and shards meet",
			"go run ./tools/suite test ./router -count 1 -timeout 60m -run ^TestEveryInterleaving -thorough"},
		{"fuzz", "what reads bytes from outside, or from a disk, with inputs that go where the code has not been",
			`make fuzz 2>&1 | awk '/execs: / {sub(/.*execs: /, ""); n = $1} /^ok/ {inputs += n; n = 0; targets++} ` +
				`/^FAIL|[*][*][*]/ {bad = 1; print} END {print targets " targets, " inputs " inputs"; exit bad || !targets}'`},
	}},
}

const page = "tools/EVIDENCE.md"

const head = `# Evidence

For whoever doubts a claim: how it is tested, what the last run found, and the command that repeats it, with another
number for {seed} each time. A + behind the commit: with changes that were not committed. "make evidence" runs all of it
again, and writes this page: do not edit it. With BUDGET=1h, what has a {seed} is repeated for an hour each. How fast
the server is, beside others, is in [bench/peers.md](bench/peers.md).
`

// evidence runs kinds of evidence, and writes their results.
func evidence(args []string) error {
	f := flag.NewFlagSet("evidence", flag.ExitOnError)
	budget := f.Duration("budget", 10*time.Minute, "how long a kind is repeated that draws from a seed")
	only := f.String("only", "", "these kinds alone, separated by commas")
	if err := f.Parse(args); err != nil {
		return err
	}
	text, _ := os.ReadFile(page) // none the first time
	old := sections(string(text))
	var failed error
	for _, k := range kinds() {
		if *only != "" && !strings.Contains(","+*only+",", ","+k.name+",") {
			continue
		}
		fmt.Printf("== %s: %s\n", k.name, k.what)
		result, err := k.play(*budget, os.Stdout)
		failed = errors.Join(failed, err)
		old[k.name] = result
		if err := os.WriteFile(page, []byte(written(old)), 0o644); err != nil {
			return err
		}
	}
	return failed
}

// play runs a kind until its budget is used up, or it fails, and says what came of it.
func (k kind) play(budget time.Duration, out io.Writer) (result string, failed error) {
	begun, runs := time.Now(), ""
	for n := 1; failed == nil && (n == 1 || strings.Contains(k.command, "{seed}") && time.Since(begun) < budget); n++ {
		command := strings.ReplaceAll(k.command, "{seed}", fmt.Sprint(1+rand.Uint64N(1e9)))
		fmt.Fprintln(out, command)
		last := &lastLine{}
		cmd := exec.Command("sh", "-c", command)
		both := io.MultiWriter(out, last)
		cmd.Stdout, cmd.Stderr = both, both // the same, so that one goroutine writes
		verdict := "passed"
		if err := cmd.Run(); err != nil {
			verdict, failed = "FAILED", fmt.Errorf("%s: %s: %w", k.name, command, err)
		}
		runs += fmt.Sprintf("    %s\n      %s: %s\n", command, verdict, last.line())
	}
	at, took := begun.Format("2 January 2006 15:04"), time.Since(begun).Seconds()
	return fmt.Sprintf("%s, commit %s, %.0f s\n\n%s", at, commit(), took, runs), failed
}

// commit is the one that the tree has, with a plus if something was changed since.
func commit() string {
	head, err := exec.Command("git", "rev-parse", "--short", "HEAD").Output()
	changes, _ := exec.Command("git", "status", "--porcelain", "--untracked-files=no", "--", ":!"+page).Output()
	name := strings.TrimSpace(string(head))
	if len(changes) > 0 {
		name += "+"
	}
	if err != nil {
		return "unknown"
	}
	return name
}

// lastLine keeps the last line that is not empty.
type lastLine struct{ rest, last string }

func (l *lastLine) Write(b []byte) (int, error) {
	lines := strings.Split(l.rest+string(b), "\n")
	for _, line := range lines[:len(lines)-1] {
		l.last = cmp.Or(strings.TrimSpace(line), l.last)
	}
	l.rest = lines[len(lines)-1]
	return len(b), nil
}

func (l *lastLine) line() string { return cmp.Or(strings.TrimSpace(l.rest), l.last) }

// sections are the results that a page has, by their kinds' names.
func sections(text string) map[string]string {
	all := map[string]string{}
	for _, part := range strings.Split(text, "\n### ")[1:] {
		part, _, _ = strings.Cut(part, "\n## ")
		name, rest, _ := strings.Cut(part, "\n")
		_, result, _ := strings.Cut(rest, "\n\n") // after what it is
		all[name] = strings.TrimRight(result, "\n") + "\n"
	}
	return all
}

// kinds are those of all claims.
func kinds() (all []kind) {
	for _, c := range claims {
		all = append(all, c.kinds...)
	}
	return all
}

// written is the page with results.
func written(results map[string]string) string {
	text := head
	for _, c := range claims {
		text += "\n## " + c.says + "\n"
		for _, k := range c.kinds {
			text += fmt.Sprintf("\n### %s\n%s:\n`%s`\n\n%s", k.name, k.what, k.command, cmp.Or(results[k.name],
				"Not run yet.\n"))
		}
	}
	return text
}
