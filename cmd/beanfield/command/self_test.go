package command

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/manual"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
)

func TestSelf(t *testing.T) {
	ran(t, "version").want(t, 0, "beanfield 1.2.3\n", "")
	ran(t, "version", "x").want(t, 2, "", `unknown argument "x"`)
	ran(t, "version", "-x").want(t, 2, "", "not defined: -x")
	ran(t, "check-config", "a.toml").want(t, serveCode, "-check-config -config a.toml", "")
	ran(t, "check-config", "-p", "1").want(t, serveCode, "-check-config -p 1", "")
	ran(t, "check-config").want(t, serveCode, "-check-config", "")
	ran(t, "help", "a", "b").want(t, 2, "", "one topic")
	ran(t, "help", "nonsense").want(t, 3, "", "migration")
	ran(t, "completion").want(t, 2, "", "one shell")
	ran(t, "completion", "tcsh").want(t, 2, "", "tcsh")
}

// The line for the configuration has the hash of the token, and no two tokens are equal.
func TestMakeToken(t *testing.T) {
	first, again := ran(t, "token"), ran(t, "token")
	made, _, _ := strings.Cut(first.stdout, "\n")
	if len(made) != 43 || first.stdout == again.stdout {
		t.Errorf("made %q twice", first.stdout)
	}
	first.want(t, 0, made+"\n\n# For a rule, [[access]], in the configuration:\ntoken = \""+
		access.HashOf(made).String()+"\"\n", "")
	var v struct{ Token, Hash string }
	o := ran(t, "token", "-json")
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || o.code != 0 ||
		access.HashOf(v.Token).String() != v.Hash {
		t.Errorf("%+v: %v", o, err)
	}
	ran(t, "version", "-json").want(t, 0, `{"version":"1.2.3"}`+"\n", "")
	ran(t, "token", "x").want(t, 2, "", `unknown argument "x"`)
}

// Every command explains itself, in the same words by -h and by help.
func TestHelp(t *testing.T) {
	all := ran(t, "help").stdout
	for _, c := range All() {
		text := ran(t, "help", c.Name)
		if h := ran(t, c.Name, "-h"); h.code != 0 || h.stdout == "" || !strings.HasPrefix(text.stdout, h.stdout) {
			t.Errorf("%s -h: %+v", c.Name, h)
		}
		if !strings.HasPrefix(text.stdout, "Use: beanfield "+c.Name) || text.code != 0 {
			t.Errorf("%s: %+v", c.Name, text)
		}
		if c.Summary == "" || strings.HasSuffix(c.Summary, ".") {
			t.Errorf("%s: summary %q", c.Name, c.Summary)
		}
		for line := range strings.Lines(text.stdout) {
			if len(line) > 160 {
				t.Errorf("%s: the line is too long: %s", c.Name, line)
			}
		}
		if !strings.Contains(List(), "  "+c.Name+" ") {
			t.Errorf("the list lacks %s", c.Name)
		}
	}
	for _, topic := range manual.Topics {
		text := ran(t, "help", topic.Name)
		if text.code != 0 || !strings.HasPrefix(text.stdout, "# ") || !strings.Contains(all, "  "+topic.Name+" ") {
			t.Errorf("%s: %+v", topic.Name, text)
		}
	}
}

// Every verb of the protocol is explained, behind a command or a page of its name, and leads to pages that there are.
func TestHelpOfVerbs(t *testing.T) {
	more := regexp.MustCompile(`\nMore      beanfield help ([a-z]+)\n$`)
	for _, verb := range beanstalk.Verbs() {
		text := ran(t, "help", verb)
		text.has(t, 0, "\nAnswers  ")
		if page := more.FindStringSubmatch(text.stdout); page != nil {
			ran(t, "help", page[1]).has(t, 0, verb)
		}
	}
	ran(t, "help", "put").has(t, 0, "\n\nThe command put of the protocol\n")
	ran(t, "help", "rights").has(t, 0, "\n    pause-tube           pause on the tube; without it NOT_FOUND\n")
	ran(t, "help", "protocol").has(t, 0, "\n    put-with                                                            "+
		"       beanfield help puts\n")
}

// Every example, and every command line of the manual, is one that its command reads.
func TestExamples(t *testing.T) {
	var lines []string
	for _, c := range All() {
		lines = append(lines, c.Examples...)
	}
	for _, topic := range manual.Topics {
		text, _ := manual.Page(topic.Name)
		for line := range strings.Lines(text) {
			if example, ok := strings.CutPrefix(line, "    beanfield "); ok {
				lines = append(lines, "beanfield "+strings.TrimSpace(example))
			}
		}
	}
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " > ")
		for _, part := range strings.Split(line, " | ") {
			words := strings.Fields(part)
			if words[0] != "beanfield" || len(words) == 1 || strings.HasPrefix(words[1], "-") {
				continue // the shell's, or the server's, which its own tests read
			}
			c := Find(words[1])
			if c == nil {
				t.Errorf("%q: no such command", line)
				continue
			}
			if c.action == nil {
				continue
			}
			_, f := c.flagSet(new(call))
			if _, err := parse(f, words[2:]); err != nil {
				t.Errorf("%q: %v", line, err)
			}
		}
	}
}

// The shells read their scripts. bash also completes with its own.
func TestCompletion(t *testing.T) {
	for shell, flags := range map[string][]string{"bash": {"-n"}, "zsh": {"-n"}, "fish": {"--no-execute"}} {
		script := ran(t, "completion", shell)
		for _, c := range All() {
			if !strings.Contains(script.stdout, c.Name) {
				t.Errorf("%s: no %s", shell, c.Name)
			}
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			t.Logf("%s is not installed", shell)
			continue
		}
		cmd := exec.Command(path, flags...)
		cmd.Stdin = strings.NewReader(script.stdout)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("%s does not read it: %v\n%s", shell, err, out)
		}
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("no bash")
	}
	for line, want := range map[string]string{
		"beanfield comp":            "completion",
		"beanfield dump -su":        "-summary",
		"beanfield help mig":        "migration",
		"beanfield completion zs":   "zsh",
		"beanfield -che":            "-check-config",
		"beanfield -p 1 -check":     "-check-config",
		"beanfield import -dry -sh": "-shards",
	} {
		words := strings.Fields(line)
		script := ran(t, "completion", "bash").stdout + "COMP_WORDS=(" + line +
			")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_beanfield\necho ${COMPREPLY[@]}\n"
		out, err := exec.Command("bash", "-c", script).CombinedOutput()
		if strings.TrimSpace(string(out)) != want || err != nil {
			t.Errorf("%q (%d words) is completed with %q, %v; want %q", line, len(words), out, err, want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct{ args, words, salvage string }{
		{"a b", "a b", ""},
		{"a -salvage n b", "a b", "n"},
		{"-salvage n -- -salvage x", "-salvage x", "n"},
		{"a -- -b", "a -b", ""},
		{"--salvage=n -", "-", "n"},
	} {
		a, f := Find("dump").flagSet(new(call))
		words, err := parse(f, strings.Fields(c.args))
		if d := a.(*dumping); strings.Join(words, " ") != c.words || d.Salvage != c.salvage || err != nil {
			t.Errorf("%q: %q, salvage %q, %v", c.args, words, d.Salvage, err)
		}
	}
}

// Codes of the commands that need no server.
func TestOffline(t *testing.T) {
	nowhere := filepath.Join(t.TempDir(), "nowhere")
	ran(t, "dump").want(t, 2, "", "name one directory")
	ran(t, "dump", nowhere).want(t, 1, "", "no such file")
	ran(t, "dump", nowhere, "-summary", "-salvage", "x").want(t, 2, "", "other flags")
	ran(t, "import").want(t, 2, "", "-from is missing")
	ran(t, "import", "-from", nowhere, "-dry-run").want(t, 1, "", "no such file")
}
