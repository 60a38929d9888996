package command

import (
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strings"

	"beanfield/cmd/beanfield/manual"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
)

// facts is a command that prints what needs no server: as text, or as an object of JSON.
type facts func(c *call) (text string, object map[string]string)

func (of facts) run(c *call) error {
	text, object := of(c)
	if c.json {
		return encode(c.Stdout, object)
	}
	_, err := io.WriteString(c.Stdout, text)
	return err
}

func versionOf(c *call) (text string, object map[string]string) {
	return "beanfield " + c.Version + "\n", map[string]string{"version": c.Version}
}

func newToken(*call) (text string, object map[string]string) {
	t := access.NewToken()
	hash := access.HashOf(t).String()
	return fmt.Sprintf("%s\n\n# For a rule, [[access]], in the configuration:\ntoken = %q\n", t, hash),
		map[string]string{"token": t, "hash": hash}
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
