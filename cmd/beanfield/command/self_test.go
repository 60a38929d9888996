package command

import (
	"encoding/json"
	"os/exec"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/manual"
	"beanfield/conn/access"
	"beanfield/conn/beanstalk"
)

func TestSelf(t *testing.T) {
	built := [2]string{runtime.Version(), runtime.GOOS + "/" + runtime.GOARCH}
	talk(t, typed, `
$ version
beanfield 1.2.3
commit    abc
built     `+built[0]+", "+built[1]+`
formats
  jobs               6
  log                1
$ version -json
{"commit":"abc","formats":{"jobs":6,"log":1},"go":"`+built[0]+`","target":"`+built[1]+`","version":"1.2.3"}
$ version x [2 unknown argument "x"]
$ token x [2 unknown argument "x"]
$ version -x [2 not defined: -x]
$ check-config a.toml [42]
-check-config -config a.toml
$ check-config -p 1 [42]
-check-config -p 1
$ check-config [42]
-check-config
$ help a b [2 one topic]
$ help nonsense [3 migration]
$ put - - [2 only once]
$ put - -file - [2 not from both]
$ put [2 - for standard input]
$ load - - [2 only once]
$ check-config - [42]
-check-config -config /dev/stdin
$ completion [2 one shell]
$ completion tcsh [2 tcsh]
$ dump [2 name one directory]
$ dump /nowhere/x [1 no such file]
$ dump /nowhere/x -summary -salvage x [2 other flags]
$ import [2 -from is missing]
$ import -from /nowhere/x -dry-run [1 no such file]
$ staus [2 there is no command "staus"; did you mean stats?]
$ put -tub a x [2 not defined: -tub; did you mean -tube?]
$ put -nonsense x [2 Use: beanfield put [FLAGS] [BODY...]
$ help migratoin [3 "migratoin"; did you mean migration?]
$ help peeks [3 did you mean peek?]
$ size -memory -jobs 10 -body 1000 -tubes 1 -connections 1 -json
{"memory":25014050,"disk":0}
$ size -jobs 10 -body 100 -shards 1 -json
{"memory":107281800,"disk":335550320}
$ size -jobs -1 [2 negative]
$ size -body 1073741825 [2 negative, or too large]
$ bench -server unix:/nowhere [1 cannot reach]`)
	ran("stray").want(t, 2, "", "there is no command \"stray\"\nUse: beanfield COMMAND")
}

// The line for the configuration has the hash of the token, and no two tokens are equal.
func TestMakeToken(t *testing.T) {
	first, again := ran("token"), ran("token")
	made, _, _ := strings.Cut(first.stdout, "\n")
	if len(made) != 43 || first.stdout == again.stdout {
		t.Errorf("made %q twice", first.stdout)
	}
	first.want(t, 0, made+"\n\n# For a rule, [[access]], in the configuration:\ntoken = \""+
		access.HashOf(made).String()+"\"\n", "")
	var v struct{ Token, Hash string }
	o := ran("token", "-json")
	if err := json.Unmarshal([]byte(o.stdout), &v); err != nil || o.code != 0 ||
		access.HashOf(v.Token).String() != v.Hash {
		t.Errorf("%+v: %v", o, err)
	}
}

// Every command explains itself, in the same words by -h and by help.
func TestHelp(t *testing.T) {
	all := ran("help").stdout
	for _, c := range table {
		text := ran("help", c.Name)
		if h := ran(c.Name, "-h"); h.code != 0 || h.stdout == "" || !strings.HasPrefix(text.stdout, h.stdout) {
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
		text := ran("help", topic.Name)
		if text.code != 0 || !strings.HasPrefix(text.stdout, "# ") || !strings.Contains(all, "  "+topic.Name+" ") {
			t.Errorf("%s: %+v", topic.Name, text)
		}
	}
}

// Every verb of the protocol is explained, behind a command or a page of its name, and leads to pages that there are.
func TestHelpOfVerbs(t *testing.T) {
	more := regexp.MustCompile(`\nMore      beanfield help ([a-z]+)\n$`)
	for _, verb := range beanstalk.Verbs() {
		text := ran("help", verb)
		text.has(t, 0, "\nAnswers  ")
		if page := more.FindStringSubmatch(text.stdout); page != nil {
			ran("help", page[1]).has(t, 0, verb)
		}
	}
	ran("help", "put").has(t, 0, "\n\nThe command put of the protocol\n")
	ran("help", "rights").has(t, 0, "\n    pause-tube           pause on the tube; without it NOT_FOUND\n")
	ran("help", "protocol").has(t, 0, "\n    put-with                                                            "+
		"       beanfield help puts\n")
}

// Every example, and every command line of the manual, is one that its command reads.
func TestExamples(t *testing.T) {
	var lines []string
	for _, c := range table {
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
		script := ran("completion", shell)
		for _, c := range table {
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
		script := ran("completion", "bash").stdout + "COMP_WORDS=(" + line +
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
