package main

import (
	"context"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/manual"
	"beanfield/storage/must"
)

// block is the first piece of a page of the manual in a language.
func block(t *testing.T, page, language string) string {
	t.Helper()
	text, _ := manual.Page(page)
	_, code, _ := strings.Cut(text, "```"+language+"\n")
	code, _, found := strings.Cut(code, "```")
	if !found {
		t.Fatalf("the page %s has no %s", page, language)
	}
	return code
}

// commandsIn splits a piece of shell into commands: a line each, or more with a here-document.
func commandsIn(code string) (all []string) {
	inside := false
	for line := range strings.Lines(code) {
		if inside {
			all[len(all)-1] += line
			inside = line != "END\n"
			continue
		}
		all, inside = append(all, line), strings.Contains(line, "<<'END'")
	}
	return all
}

// tourPrints is what the commands of the queue service's tour print, in their order.
var tourPrints = []struct{ command, prints string }{
	{"cat > queue.toml", `^$`}, {"./beanfield", `^$`}, {"Q=", `^$`}, {"ask()", `^$`}, {"ANN=", `^$`},
	{"-d 'hello'", `^1\n$`},
	{"_auto_delete_=false", `^hello\n$`},
	{"_timeout_=5s", `^hello\n$`},
	{"-d 'urgent'", `^2\n$`},
	{"MANY=", `^$`},
	{"_batch_=true", `^\[3,4\]\n$`},
	{"-d 'x'", `^5\n6\nqueue too long\n$`},
	{"_attrs_=true", `(?s)"stream.approxMaxLength":"5"\n.*"stream.length":"5"\n`},
	{"_watch_=true", `(?s)u   r   g   e   n.*a.*377`},
	{"_indexes_=2,3,5", `^OK\n$`},
	{"_negative_=true", `^OK\n$`},
	{"_watch_=true", `(?s)  y.*377`},
	{"_negative_=true", `^OK\n$`},
	{`"$REAR"`, `^0000000 377  \\0`},
	{"DELETE", `^OK\n$`},
	{"kill %1", `^$`},
}

// The tour of the queue service, typed from top to bottom: each line does what it says.
func TestTour(t *testing.T) {
	for _, tool := range []string{"bash", "curl", "od"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	t.Parallel()
	const mark = "@@@@\n"
	commands := commandsIn(block(t, "tour", "bash"))
	if len(commands) != len(tourPrints) {
		t.Fatalf("%d commands, and it is known of %d what they print", len(commands), len(tourPrints))
	}
	dir := t.TempDir()
	must.Do(t, os.Symlink(binary(), dir+"/beanfield"))
	here := strings.NewReplacer("127.0.0.1:11380", freeAddress(t), "-config queue.toml &",
		"-config queue.toml -l unix:s 2>/dev/null &")
	var script strings.Builder
	for _, c := range commands {
		script.WriteString(here.Replace(c) + "printf '" + strings.TrimSpace(mark) + "\\n'\n")
		if strings.HasPrefix(c, "ask()") { // a reader types it once the server is there
			script.WriteString("until curl -s -o /dev/null \"$Q?_attrs_=true\"; do :; done\n")
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	bash := exec.CommandContext(ctx, "bash")
	bash.Dir, bash.Stdin, bash.WaitDelay = dir, strings.NewReader(script.String()), patience
	out, err := bash.CombinedOutput()
	if err != nil {
		t.Errorf("%v", err)
	}
	printed := strings.Split(string(out), mark)
	for i, want := range tourPrints {
		if i >= len(printed) {
			t.Fatalf("nothing after %q", commands[i-1])
		}
		if !strings.Contains(commands[i], want.command) || !regexp.MustCompile(want.prints).MatchString(printed[i]) {
			t.Errorf("%sprints\n%s\nwant %q: %s", commands[i], printed[i], want.command, want.prints)
		}
	}
}

// stage is a browser's window as far as the example page uses it: a socket that gets these
// messages, and a page whose text is printed with what the socket is sent.
const stage = `
const document = { getElementById: () => ({ append: (text) => process.stdout.write(text) }) }
class WebSocket {
  constructor(url, protocol) { process.stdout.write(protocol + ' ' + new URL(url).search + '\n'); setImmediate(() => this.play()) }
  send(text) { if (text.includes('"commit":[9]')) throw new Error('no more'); process.stdout.write('sent ' + text + '\n') }
  play() {
    for (const item of [{ index: 7, data: 'hello' }, { index: 8, data64: '/wA=' }, { index: 9, data: 'x' }, { ended: true }]) this.onmessage({ data: JSON.stringify(item) })
    this.onerror({})
    this.onclose({ code: 4000, reason: 'restart' })
  }
}
`

// The example page commits what it has done, refuses what it could not do, reads bodies that
// are not text, and shows all errors.
func TestExamplePage(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip(err)
	}
	_, script, _ := strings.Cut(block(t, "browsers", "html"), "<script>")
	script, _, _ = strings.Cut(script, "</script>")
	out, err := exec.Command(node, "-e", stage+script).CombinedOutput()
	const want = "beanfield.json ?_watch_=true&_window_=5&_uid_=page\n7: hello\nsent {\"commit\":[7]}\n8: " +
		"\u00ff\x00\nsent {\"commit\":[8]}\n" +
		"9: x\n9 failed: Error: no more\nsent {\"negative\":[9],\"code\":\"Failed\",\"reason\":\"Error: no more\"}\n" +
		"the queue has ended\n" +
		"error: the server cannot be reached, or does not let this page in\nclosed: 4000 restart\n"
	if err != nil || string(out) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, out, want)
	}
}
