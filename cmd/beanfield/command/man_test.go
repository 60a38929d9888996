package command

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/manual"
)

// The manual page has every flag of the server, every command with its flags, and every
// topic.
func TestManIsComplete(t *testing.T) {
	got := ran("help", "man").stdout
	wanted := []string{`-c, -n`, `-p PORT`, `-check-config`}
	for i := range table {
		wanted = append(wanted, table[i].line(), table[i].Summary)
		for _, f := range table[i].flags() {
			wanted = append(wanted, "-"+f.name)
		}
		wanted = append(wanted, table[i].Examples...)
	}
	for _, topic := range manual.Topics {
		wanted = append(wanted, "beanfield help "+topic.Name)
	}
	for _, want := range wanted {
		if !strings.Contains(got, roff(want)) {
			t.Errorf("the manual page lacks %q", want)
		}
	}
}

// No word of a text is taken for a request, and mandoc finds nothing to complain about.
func TestManIsRoff(t *testing.T) {
	page := ran("help", "man").stdout
	request := regexp.MustCompile(`^\.(TH|SH|SS|TP|PP|B|RI|I|br|nf|fi|RS|RE)\b`)
	for line := range strings.Lines(page) {
		if (line[0] == '.' || line[0] == '\'') && !request.MatchString(line) {
			t.Errorf("a request: %q", line)
		}
	}
	if got := roff(".B it's\n'a \\-b"); got != "\\&.B it's\n\\&'a \\e\\-b" {
		t.Errorf("%q", got)
	}
	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("no mandoc here")
	}
	lint := exec.Command(mandoc, "-T", "lint", "-W", "warning")
	lint.Stdin = strings.NewReader(page)
	out, _ := lint.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.Contains(line, "missing date") { // the version says enough
			t.Error(line)
		}
	}
}
