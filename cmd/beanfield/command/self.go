package command

import (
	_ "embed"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/manual"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
)

// facts is a command that prints what needs no server: as text, or as an object of JSON.
type facts func(c *call) (text string, object map[string]any)

func (of facts) run(c *call) error {
	text, object := of(c)
	if c.json {
		return encode(c.Stdout, object)
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

func versionOf(c *call) (text string, object map[string]any) {
	target := runtime.GOOS + "/" + runtime.GOARCH
	text = fmt.Sprintf("beanfield %s\ncommit    %s\nbuilt     %s, %s\nformats\n", c.Version, c.Commit,
		runtime.Version(), target)
	for _, name := range slices.Sorted(maps.Keys(c.Formats)) {
		text += fmt.Sprintf("  %-18s %d\n", name, c.Formats[name])
	}
	return text, map[string]any{"version": c.Version, "commit": c.Commit, "go": runtime.Version(), "target": target,
		"formats": c.Formats}
}

func newToken(*call) (text string, object map[string]any) {
	t := access.NewToken()
	hash := access.HashOf(t).String()
	return fmt.Sprintf("%s\n\n# For a rule, [[access]], in the configuration:\ntoken = %q\n", t, hash),
		map[string]any{"token": t, "hash": hash}
}

// checkConfig is the command that takes the server's own flags.
const checkConfig = "check-config"

// starter is a configuration to begin with.
//
//go:embed starter.toml
var starter string

// checkConfig starts the server's check. A word alone is the configuration file.
func (p *Program) checkConfig(args []string) int {
	flags := []string{"-check-config"}
	if len(args) == 1 && (!strings.HasPrefix(args[0], "-") || args[0] == stdin) {
		return p.Serve(append(flags, "-config", readable(args[0])))
	}
	if len(args) == 1 && (args[0] == "-starter" || args[0] == "--starter") {
		fmt.Fprint(p.Stdout, starter)
		return codeDone
	}
	if len(args) == 1 && (args[0] == "-h" || args[0] == "-help" || args[0] == "--help") {
		fmt.Fprint(p.Stdout, Find(checkConfig).usage())
		return codeDone
	}
	return p.Serve(append(flags, args...))
}

// help is the command of that name.
type help struct{}

func (*help) run(c *call) (err error) {
	switch {
	case len(c.words) > 1:
		return usagef("name one topic")
	case len(c.words) == 0:
		_, err = fmt.Fprintf(c.Stdout, "%s\nTopics for beanfield help TOPIC, beside every command, and every verb "+
			"of the protocol:\n%s", c.Usage, topicList())
		return err
	}
	word := c.words[0]
	if word == "man" {
		_, err = io.WriteString(c.Stdout, c.man())
		return err
	}
	var texts []string // of all that have this name: a command, a page, a verb of the protocol
	if found := Find(word); found != nil {
		texts = append(texts, found.usage())
	}
	for _, of := range []func(string) (string, bool){manual.Page, beanstalk.Help} {
		if text, ok := of(word); ok {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return missingf("there is no topic %q%s; there are:\n%s", word, Suggestion(word, topics()), topicList())
	}
	_, err = io.WriteString(c.Stdout, strings.Join(texts, "\n"))
	return err
}

// topics are the words that help explains.
func topics() []string {
	all := slices.Concat(names(), []string{"man"}, beanstalk.Verbs())
	for _, t := range manual.Topics {
		all = append(all, t.Name)
	}
	return all
}

func topicList() string {
	var out strings.Builder
	for _, t := range manual.Topics {
		fmt.Fprintf(&out, "  %-14s %s\n", t.Name, t.Summary)
	}
	return out.String()
}

// size is the command of that name.
type size struct {
	Jobs        int  `flag:"jobs <number> of jobs on a bad day"`
	Body        int  `flag:"body <bytes> in each body"`
	Tubes       int  `flag:"tubes <number> of tubes"`
	Connections int  `flag:"connections <number> of connections"`
	Shards      int  `flag:"shards <number> of shards; 0: one for each core of this machine"`
	InMemory    bool `flag:"memory jobs are kept in memory only"`
}

// need is what a server needs, in bytes. The page sizing has the same formulas.
type need struct {
	Memory int `json:"memory"`
	Disk   int `json:"disk"`
}

const (
	sizeServer, sizeStore, sizeShard       = 25_000_000, 80_000_000, 2_000_000
	sizeTube, sizeConnection               = 700, 2_100
	sizeJob, sizeJobDisk, minFree, logSize = 75, 200, 256 << 20, 64 << 20
)

func (a *size) need() need {
	n := need{Memory: sizeServer + a.Jobs*(sizeJob+a.Body+a.Body/20) + a.Tubes*sizeTube + a.Connections*sizeConnection}
	if !a.InMemory {
		n.Memory += sizeStore + a.Shards*sizeShard
		n.Disk = 2*a.Jobs*(a.Body+sizeJobDisk) + minFree + logSize
	}
	return n
}

func (a *size) run(c *call) error {
	for _, n := range []int{a.Jobs, a.Body, a.Tubes, a.Connections, a.Shards} {
		if n < 0 || n > 1e9 {
			return usagef("a number is negative, or too large: %d", n)
		}
	}
	if a.Shards == 0 {
		a.Shards = runtime.NumCPU()
	}
	n := a.need()
	if c.json {
		return encode(c.Stdout, n)
	}
	_, err := fmt.Fprintf(c.Stdout, "memory %10d MB\ndisk   %10d MB\n", n.Memory/1e6, n.Disk/1e6)
	return err
}

// Suggestion is the end of a message about a name that there is not: "; did you mean stats?",
// or nothing if no name is like it.
func Suggestion(name string, names []string) string {
	near := similar(name, names)
	switch n := len(near); n {
	case 0:
		return ""
	case 1:
		return "; did you mean " + near[0] + "?"
	default:
		return "; did you mean " + strings.Join(near[:n-1], ", ") + " or " + near[n-1] + "?"
	}
}

// similar returns the names that are the most like a name: those that it begins, or those
// that are the fewest slips away, at most one slip for every three letters or so.
func similar(name string, names []string) (near []string) {
	best := min(2, (len(name)+1)/3)
	for _, n := range names {
		slips := distance(strings.ToLower(name), n)
		if len(name) > 1 && strings.HasPrefix(n, strings.ToLower(name)) {
			slips = min(slips, 1)
		}
		if slips < best {
			best, near = slips, nil
		}
		if slips == best && !slices.Contains(near, n) {
			near = append(near, n)
		}
	}
	return near
}

// distance counts the slips that turn one word into another: a letter too many, too few or
// wrong, or two that are swapped.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			switch {
			case i == 0 || j == 0:
				rows[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				rows[i][j] = rows[i-1][j-1]
			default:
				rows[i][j] = 1 + min(rows[i-1][j-1], rows[i-1][j], rows[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], 1+rows[i-2][j-2])
			}
		}
	}
	return rows[len(a)][len(b)]
}
