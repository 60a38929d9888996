package command

import (
	"fmt"
	"regexp"
	"strings"

	"beanfield/cmd/beanfield/manual"
)

// man is the manual page, in the language of troff: what help says, on one page. The
// packages have it.
func (p *Program) man() string {
	var m page1
	m.linef(`.TH BEANFIELD 1 "" "beanfield %s" "User Commands"`, quotedRoff(p.Version))
	m.section("NAME", "beanfield - work queue that every beanstalkd client can use")
	m.linef(".SH SYNOPSIS")
	m.linef(".B beanfield")
	m.linef(".RI [ OPTIONS ]")
	m.linef(".br")
	m.linef(".B beanfield")
	m.linef(".I COMMAND")
	m.linef(".RI [ ARGUMENTS ]")
	m.section("DESCRIPTION", `
beanfield is a work queue server. Clients and flags of beanstalkd work unchanged. It uses every
core of the machine, and keeps jobs in memory or on disk.

Without a command it runs the server. With one it works with a server, or with a data directory.
beanfield help TOPIC prints a page of the manual.`)
	m.server(p.Usage)
	m.linef(".SH COMMANDS")
	for i := range table {
		m.command(&table[i])
	}
	m.linef(".SH TOPICS")
	for _, t := range manual.Topics {
		m.item("beanfield help "+t.Name, t.Summary)
	}
	m.section("SIGNALS", `
SIGTERM and SIGINT stop the server cleanly. SIGUSR1 makes it refuse new jobs. SIGUSR2 makes a
backup. SIGHUP makes it read its configuration and its certificates again.`)
	m.section("EXIT STATUS", `
The server: 0 after a clean stop, 1 if it ended by itself, 5 for a wrong flag or a mistake in the
configuration, 10 if the data directory is missing, in use, or not beanfield's, 32 to 34 if it
cannot become its user, 111 if an address cannot be bound.

Commands: 0 if everything was done, 1 if something failed, 2 for wrong usage, 3 if something was
not there.`)
	m.linef(".SH FILES")
	m.item("/etc/beanfield/beanfield.toml", "the configuration of the packaged service")
	m.item("/usr/share/doc/beanfield/examples/config.example.toml", "every setting, with its default and its reason")
	m.section("SEE ALSO", "beanstalkd(1), systemctl(1)")
	return m.String()
}

// page1 is a page for section 1 of the manual.
type page1 struct{ strings.Builder }

func (m *page1) linef(format string, values ...any) { fmt.Fprintf(m, format+"\n", values...) }

// section is a heading and paragraphs.
func (m *page1) section(title, text string) {
	m.linef(".SH %s", title)
	m.paragraphs(text)
}

func (m *page1) paragraphs(text string) {
	for i, paragraph := range strings.Split(strings.TrimSpace(text), "\n\n") {
		if i > 0 {
			m.linef(".PP")
		}
		m.linef("%s", roff(paragraph))
	}
}

// item is a term, and what it means.
func (m *page1) item(term, text string) {
	m.linef(".TP\n.B %s\n%s", roff(term), roff(text))
}

// usageFlag is a flag in the server's usage: the flag with its value, and what it means.
var usageFlag = regexp.MustCompile(`^ (-[\w-]+(?:, -\w)?(?: [A-Z][A-Z:]*)?) +(\S.*)$`)

// server turns the usage text of the server, up to the list of commands, into options.
func (m *page1) server(usage string) {
	m.linef(".SH OPTIONS")
	var term, text string
	end := func() {
		if term != "" {
			m.item(term, text)
		}
		term, text = "", ""
	}
	flags, _, _ := strings.Cut(usage, "\nWithout a command ")
	for i, line := range strings.Split(flags, "\n") {
		found := usageFlag.FindStringSubmatch(line)
		switch {
		case i == 0:
		case found != nil:
			end()
			term, text = found[1], found[2]
		case strings.HasPrefix(line, "  ") && term != "":
			text += " " + strings.TrimSpace(line)
		case strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " "):
			end()
			m.linef(".SS %s", roff(strings.TrimSuffix(line, ":")))
		}
	}
	end()
}

// command is what beanfield help COMMAND says.
func (m *page1) command(c *Command) {
	m.linef(".SS %s", roff(c.line()))
	m.paragraphs(c.Summary + ".\n\n" + c.Help)
	for _, f := range c.flags() {
		m.item(f.call(), f.text)
	}
	if len(c.Examples) > 0 {
		m.linef(".PP\nExamples:\n.RS\n.nf\n%s\n.fi\n.RE", roff(strings.Join(c.Examples, "\n")))
	}
}

// roff is text in which nothing is a request: what begins a line with a dot or a quote, and
// hyphens, which troff would make typographic.
func roff(text string) string {
	lines := strings.Split(strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text), "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}

// quotedRoff is text inside an argument in quotation marks.
func quotedRoff(text string) string { return strings.ReplaceAll(roff(text), `"`, `\(dq`) }
