package beanstalk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"beanfield/conn/beanstalk/protocol"
)

// What people are told of the commands: by beanfield help VERB, and in pages of the manual. It is in the rows
// (table.go), but for what words mean that may answer several commands.

// meanings are those of words that may answer several commands.
var meanings = map[string]string{
	"BAD_FORMAT":     "malformed or out of bounds",
	"DEADLINE_SOON":  "a job that the client holds has less than a second left",
	"DRAINING":       "the server takes no more jobs",
	"EXISTS":         "the key is taken, by this job",
	"EXPECTED_CRLF":  `no \r\n follows the body`,
	"FOUND":          `<data>\r\n follows, the job's body`,
	"INSERTED_BATCH": "for each job, the answer that put-with would give follows",
	"INTERNAL_ERROR": "the disk has failed, or is full",
	"JOB_TOO_BIG":    "the body has more bytes than max_job_size",
	"NOT_FOUND":      "there is none that the client may know of",
	"auth OK":        `a right token; the document is empty`,
	"auth NOT_FOUND": "a wrong token",
	"NOT_IGNORED":    "it is the only tube that the client watches",
	"NOT_TOGETHER":   "with all=true: the tubes are in different shards",
	"OK":             "a YAML document of so many bytes follows",
	"OUT_OF_MEMORY":  "the tube, the server or the disk is full",
	"REFUSED":        "the text is wrong; the reason follows",
	"RESERVED":       `<data>\r\n follows, the job's body`,
	"RESERVED_BATCH": `for each job, RESERVED <id> <bytes>\r\n<data>\r\n follows`,
	"RESERVED_WITH":  `for each job, RESERVED <id> <bytes> tube=<name> reserves=<n> ...\r\n<data>\r\n follows`,
	"TIMED_OUT":      "no job has come in time",
}

// Verbs are the names of all commands, in the order of stats.
func Verbs() (names []string) {
	for _, v := range verbs {
		names = append(names, commands[v].name)
	}
	return names
}

// Help explains a command; ok is false if there is none of this name.
func Help(name string) (text string, ok bool) {
	v := verbOf(name)
	if v == 0 {
		return "", false
	}
	c := &commands[v]
	var out strings.Builder
	fmt.Fprintf(&out, "The command %s of the protocol\n\n    %s\\r\\n\n", name, c.line)
	if c.hasBody {
		out.WriteString("    <data>\\r\\n\n")
	}
	fmt.Fprintf(&out, "\n%s\n", c.about)
	section := func(title string, lines ...string) {
		for i, line := range lines {
			fmt.Fprintf(&out, "%s%-10s%s\n", [...]string{"\n", ""}[min(i, 1)], [...]string{title, ""}[min(i, 1)], line)
		}
	}
	section("Arguments", c.arguments()...)
	section("Options", c.optionLines()...)
	section("Right", c.right)
	section("Answers", c.answerLines()...)
	if c.page != "" {
		section("More", "beanfield help "+c.page)
	}
	return out.String(), true
}

func (c *command) arguments() (lines []string) {
	for _, a := range c.args {
		if name := a.Name(); name != "" {
			lines = append(lines, fmt.Sprintf("%-12s%s", "<"+name+">", a.Allowed()))
		}
	}
	return lines
}

func (c *command) optionLines() (lines []string) {
	for _, o := range c.options {
		lines = append(lines, fmt.Sprintf("%-12s%s", o.Name, o.Allowed))
	}
	return lines
}

// meaning is what an answer means; "" if it goes without saying.
func (c *command) meaning(answer string) string {
	first, _, _ := strings.Cut(answer, " ")
	switch {
	case answer == "BAD_FORMAT" && c.refused == protocol.BadFormat:
		return "malformed or out of bounds, or without the right"
	case answer == "JOB_TOO_BIG" && c.body != nil:
		return fmt.Sprintf("the body has more than %d bytes", c.body.most)
	}
	return cmp.Or(meanings[c.name+" "+first], meanings[first])
}

// Rights is a line for each command: which right it needs.
func Rights() string {
	var out strings.Builder
	for _, v := range verbs {
		fmt.Fprintf(&out, "    %-21s%s\n", commands[v].name, commands[v].right)
	}
	return out.String()
}

// Added is a line for each page of the manual that explains commands which beanstalkd does not have.
func Added() string {
	var pages []string
	names := map[string][]string{}
	for _, v := range verbs {
		page := commands[v].page
		if commands[v].added {
			names[page] = append(names[page], commands[v].name)
			if !slices.Contains(pages, page) {
				pages = append(pages, page)
			}
		}
	}
	var out strings.Builder
	for _, page := range pages {
		fmt.Fprintf(&out, "    %-75s%s\n", strings.Join(names[page], ", "), "beanfield help "+page)
	}
	return out.String()
}

// answerLines are the answers, with what they mean.
func (c *command) answerLines() (lines []string) {
	answers := strings.Split(c.answers, ", ")
	if answers[0] == "" {
		return []string{"none"}
	}
	if c.args[0] != 0 || c.refused == protocol.BadFormat {
		answers = append(answers, "BAD_FORMAT")
	}
	if c.op != 0 || c.hasBody {
		answers = append(answers, "INTERNAL_ERROR")
	}
	width := 0
	for _, a := range answers {
		width = max(width, len(a)+2)
	}
	for _, a := range answers {
		lines = append(lines, strings.TrimRight(fmt.Sprintf("%-*s%s", width, a, c.meaning(a)), " "))
	}
	return lines
}
