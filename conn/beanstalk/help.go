package beanstalk

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"beanfield/conn/beanstalk/protocol"
)

// What people are told of the commands: by beanfield help VERB, and in pages of the manual. How a line is written,
// its bounds, and the rights follow from the rows in table.go; the rest is here.

// doc is what a row does not say.
type doc struct {
	about   string
	right   string // what else there is to say of the right
	answers string // with commas in between; those to every command, and to those who lack the right, go without saying
	page    string // of the manual, that tells more
	options []protocol.Told
}

var docs = map[string]doc{
	"put": {about: "Puts a job into the tube in use. A ttr of 0 counts as 1.",
		answers: "INSERTED <id>, JOB_TOO_BIG, EXPECTED_CRLF, OUT_OF_MEMORY, DRAINING"},
	"peek": {about: "Shows a job, whatever its state, without taking it.",
		answers: "FOUND <id> <bytes>, NOT_FOUND"},
	"peek-ready": {about: "Shows the job of the tube in use that would be reserved next.",
		answers: "FOUND <id> <bytes>, NOT_FOUND"},
	"peek-delayed": {about: "Shows the delayed job of the tube in use that becomes ready next.",
		answers: "FOUND <id> <bytes>, NOT_FOUND"},
	"peek-buried": {about: "Shows the job of the tube in use that would be kicked next.",
		answers: "FOUND <id> <bytes>, NOT_FOUND"},
	"reserve": {about: "Takes the most urgent ready job of all watched tubes, and waits until there is " +
		"one.", right: "nothing comes from tubes without it",
		answers: "RESERVED <id> <bytes>, TIMED_OUT, DEADLINE_SOON"},
	"reserve-with-timeout": {about: "Is reserve, but waits for so many seconds at most.",
		right: "nothing comes from tubes without it", answers: "RESERVED <id> <bytes>, TIMED_OUT, DEADLINE_SOON"},
	"delete": {about: "Deletes a job that the client holds, or one that is ready, delayed or buried.",
		right: "not needed for a job that it holds", answers: "DELETED, NOT_FOUND"},
	"release": {about: "Gives a job that the client holds back, to be ready at once or after a delay.",
		right: "the client must hold the job", answers: "RELEASED, NOT_FOUND"},
	"use": {about: "Chooses the tube in use, for put, kick and the peeks. At first it is default.",
		answers: "USING <tube>"},
	"watch": {about: "Adds a tube to those that the client reserves from.", answers: "WATCHING <count>"},
	"ignore": {about: "Takes a tube from those that the client reserves from. The last one stays.",
		answers: "WATCHING <count>, NOT_IGNORED"},
	"bury": {about: "Buries a job that the client holds: it stays until it is kicked or deleted.",
		right: "the client must hold the job", answers: "BURIED, NOT_FOUND"},
	"kick": {about: "Makes so many buried jobs of the tube in use ready or, if none is buried, " +
		"delayed ones.", answers: "KICKED <count>"},
	"touch": {about: "Gives a job that the client holds its whole TTR again, from now on.",
		right: "the client must hold the job", answers: "TOUCHED, NOT_FOUND"},
	"stats": {about: "Shows figures of the server.", right: "only such tubes are counted",
		answers: "OK <bytes>", page: "monitoring"},
	"stats-job": {about: "Shows what is known of a job.", right: "not needed for a job that it holds",
		answers: "OK <bytes>, NOT_FOUND"},
	"stats-tube": {about: "Shows figures of a tube.", answers: "OK <bytes>, NOT_FOUND"},
	"list-tubes": {about: "Lists all tubes.", right: "it lists the tubes on which the client has any right",
		answers: "OK <bytes>"},
	"list-tube-used":     {about: "Says which tube is in use.", answers: "USING <tube>"},
	"list-tubes-watched": {about: "Lists the tubes that the client reserves from.", answers: "OK <bytes>"},
	"pause-tube": {about: "Has nobody reserve from a tube for so many seconds; 0 ends a pause.",
		answers: "PAUSED, NOT_FOUND"},
	"reserve-job": {about: "Takes the job with this id, if it is ready, delayed or buried.",
		answers: "RESERVED <id> <bytes>, NOT_FOUND"},
	"kick-job": {about: "Makes the buried or delayed job with this id ready.", answers: "KICKED, NOT_FOUND"},
	"quit":     {about: "Closes the connection."},
	"auth": {about: "Logs in with a token. It exists where login = true; elsewhere it is unknown. Wrong " +
		"tokens are answered late, and the third one ends the connection.", answers: "OK 0, NOT_FOUND", page: "access"},
	"capabilities": {about: "Lists the commands that beanstalkd does not have, but for auth and itself.",
		answers: "OK <bytes>", page: "protocol"},
	"put-in-tube": {about: "Is put, but into the tube that it names.",
		answers: "INSERTED <id>, JOB_TOO_BIG, EXPECTED_CRLF, OUT_OF_MEMORY, DRAINING", page: "protocol"},
	"put-with": {about: "Is put, with options.",
		answers: "INSERTED <id>, EXISTS <id>, JOB_TOO_BIG, EXPECTED_CRLF, OUT_OF_MEMORY, DRAINING", page: "puts",
		options: protocol.PutOptions()},
	"reserve-batch": {about: "Is reserve-with-timeout for up to so many jobs.",
		right: "nothing comes from tubes without it", answers: "RESERVED_BATCH <count>, TIMED_OUT, DEADLINE_SOON",
		page: "protocol"},
	"reserve-with": {about: "Is reserve, with options, and tells more of the jobs.",
		right: "nothing comes from tubes without it", answers: "RESERVED_WITH <count>, TIMED_OUT, DEADLINE_SOON",
		page: "reserves", options: protocol.ReserveOptions()},
	"call-off": {about: "Ends a reserve, or a put that waits for room, that the client has sent before.",
		answers: "CALLED_OFF", page: "reserves"},
	"truncate": {about: "Deletes all jobs of a tube that nobody holds, or those in some states.",
		answers: "TRUNCATED <count>, NOT_FOUND", page: "protocol", options: protocol.Describe(truncateOptions)},
	"delete-batch": {about: "Deletes the jobs whose ids are its body.", right: "other jobs are not found",
		answers: "DELETED_BATCH <deleted> <not found>, EXPECTED_CRLF, OUT_OF_MEMORY", page: "batches"},
	"put-batch": {about: "Puts the jobs that are its body.", right: "BAD_FORMAT also for each job without it",
		answers: "INSERTED_BATCH <count>, EXISTS <id>, NOT_TOGETHER, JOB_TOO_BIG, EXPECTED_CRLF, OUT_OF_MEMORY, " +
			"DRAINING", page: "batches"},
	"release-batch": {about: "Releases the jobs whose ids are its body and that the client holds; others count as " +
		"not found.", answers: "RELEASED_BATCH <released> <not found>, EXPECTED_CRLF, OUT_OF_MEMORY", page: "batches"},
	"bury-batch": {about: "Buries the jobs whose ids are its body and that the client holds; others count as not " +
		"found.", answers: "BURIED_BATCH <buried> <not found>, EXPECTED_CRLF, OUT_OF_MEMORY", page: "batches"},
	"touch-batch": {about: "Touches the jobs whose ids are its body and that the client holds; others count as not " +
		"found.", answers: "TOUCHED_BATCH <touched> <not found>, EXPECTED_CRLF, OUT_OF_MEMORY", page: "batches"},
	"list-jobs": {about: "Lists jobs, or searches them, without taking them.",
		right:   "without it NOT_FOUND for a tube, and without a tube its jobs are left out",
		answers: "OK <bytes>, NOT_FOUND", page: "protocol", options: protocol.Describe(listOptions)},
	"move-jobs": {about: "Moves jobs that nobody holds to another tube.",
		right:   "also put, on the tube that they go to",
		answers: "MOVED <moved> <stayed> [<cursor>], NOT_FOUND, INTERNAL_ERROR", page: "moves",
		options: protocol.Describe(moveOptions)},
	"change-jobs": {about: "Gives jobs that nobody holds another priority, delay or TTR.",
		answers: "CHANGED <changed> <not changed> [<cursor>], NOT_FOUND, INTERNAL_ERROR", page: "moves",
		options: protocol.Describe(changeOptions)},
	"schedules": {about: "Lists the schedules, and how far each has come.",
		right: "only schedules of such tubes are listed", answers: "OK <bytes>", page: "cron"},
	"policies": {about: "Shows all policies of tubes.", answers: "OK <bytes>", page: "runtime"},
	"policy": {about: "Shows the policy that applies to a tube.", answers: "OK <bytes>, NOT_FOUND",
		page: "runtime"},
	"set-policies": {about: "Replaces the policies and schedules that were set at run time by the text that is its " +
		"body.", answers: "OK <bytes>, REFUSED <bytes>, JOB_TOO_BIG, EXPECTED_CRLF, OUT_OF_MEMORY", page: "runtime"},
}

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
	c, t := &commands[v], docs[name]
	var out strings.Builder
	fmt.Fprintf(&out, "The command %s of the protocol\n\n    %s\\r\\n\n", name, c.line())
	if c.begin != nil {
		out.WriteString("    <data>\\r\\n\n")
	}
	fmt.Fprintf(&out, "\n%s\n", t.about)
	section := func(title string, lines ...string) {
		for i, line := range lines {
			fmt.Fprintf(&out, "%s%-10s%s\n", [...]string{"\n", ""}[min(i, 1)], [...]string{title, ""}[min(i, 1)], line)
		}
	}
	section("Arguments", c.arguments()...)
	section("Options", c.optionLines()...)
	section("Right", c.rightText())
	section("Answers", c.answerLines()...)
	if t.page != "" {
		section("More", "beanfield help "+t.page)
	}
	return out.String(), true
}

// line is how the command is written.
func (c *command) line() string {
	text := c.name
	for _, a := range c.args {
		if name := a.Name(); name != "" {
			text += " <" + name + ">"
		}
	}
	if len(c.options()) > 0 {
		text += " [name=value ...]"
	}
	return text
}

func (c *command) arguments() (lines []string) {
	for _, a := range c.args {
		if name := a.Name(); name != "" {
			lines = append(lines, fmt.Sprintf("%-12s%s", "<"+name+">", a.Allowed()))
		}
	}
	return lines
}

func (c *command) options() []protocol.Told {
	if c.whole != nil {
		return protocol.Describe(c.whole.options)
	}
	return docs[c.name].options
}

func (c *command) optionLines() (lines []string) {
	for _, o := range c.options() {
		lines = append(lines, fmt.Sprintf("%-12s%s", o.Name, o.Allowed))
	}
	return lines
}

// rightText says which right the command needs, and what happens without it.
func (c *command) rightText() string {
	need, note := c.needs.String(), docs[c.name].right
	switch {
	case c.needs == anyRight:
		need = "any right"
	case c.needs == 0:
		need = "none"
	}
	text := need + [...]string{aboutTube: " on the tube", aboutUsed: " on the tube in use",
		aboutJob: " on the job's tube",
		aboutAll: " on some tube", aboutServer: " on every tube", aboutHeld: " on some tube, or a job in hand"}[c.about]
	if c.needs == 0 {
		text = need
	}
	if c.needs != 0 && c.refused != "" {
		text += "; without it " + word(c.refused)
	}
	if note != "" {
		text += "; " + note
	}
	return text
}

// meaning is what an answer means; "" if it goes without saying.
func (c *command) meaning(answer string) string {
	first, _, _ := strings.Cut(answer, " ")
	switch {
	case answer == "BAD_FORMAT" && c.refused == protocol.BadFormat:
		return "malformed or out of bounds, or without the right"
	case answer == "JOB_TOO_BIG" && c.whole != nil:
		return fmt.Sprintf("the body has more than %d bytes", c.whole.most)
	}
	return cmp.Or(meanings[c.name+" "+first], meanings[first])
}

// Rights is a line for each command: which right it needs.
func Rights() string {
	var out strings.Builder
	for _, v := range verbs {
		fmt.Fprintf(&out, "    %-21s%s\n", commands[v].name, commands[v].rightText())
	}
	return out.String()
}

// Added is a line for each page of the manual that explains commands which beanstalkd does not have.
func Added() string {
	var pages []string
	names := map[string][]string{}
	for _, v := range verbs {
		page := docs[commands[v].name].page
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

func word(w protocol.Word) string { return strings.TrimSpace(string(w)) }

// answerLines are the answers, with what they mean.
func (c *command) answerLines() (lines []string) {
	answers := strings.Split(docs[c.name].answers, ", ")
	if answers[0] == "" {
		return []string{"none"}
	}
	if c.args[0] != 0 || c.refused == protocol.BadFormat {
		answers = append(answers, "BAD_FORMAT")
	}
	if c.op != 0 || c.begin != nil {
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
