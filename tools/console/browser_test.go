package console

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

// patience bounds every wait. It is far beyond what any step needs.
const patience = 5 * time.Minute

// quiet are flags under which Chromium does nothing of its own.
var quiet = []string{
	"--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
	"--disable-component-update",
	"--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars", "--remote-debugging-pipe",
}

// browser is Chromium with one page.
type browser struct {
	t       *testing.T
	server  *server.Launched
	base    string // the address of its console
	out     *os.File
	session string
	mu      sync.Mutex
	asked   int
	answers map[int]chan message
	wrong   []string // what the page has reported
	refused []string // what it was answered 403
}

type message struct {
	ID        int             `json:"id,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
	Error     *struct {
		Message string `json:"message"`
	} `json:"error,omitempty"`
}

// chromium finds the browser, or skips the test.
func chromium(t *testing.T) string {
	t.Helper()
	for _, name := range []string{os.Getenv("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); name != "" && err == nil {
			return path
		}
	}
	if os.Getenv("CI") != "" {
		t.Fatal("there is no Chromium")
	}
	t.Skip("there is no Chromium: apt-get install chromium")
	return ""
}

// browse starts a browser with an empty page, for the console of a server. It ends with the test.
func browse(t *testing.T, s *server.Launched) *browser {
	t.Helper()
	commands, out, err := os.Pipe()
	must.Do(t, err)
	in, replies, err := os.Pipe()
	must.Do(t, err)
	cmd := exec.Command(chromium(t), append(quiet, "--user-data-dir="+t.TempDir(), "about:blank")...)
	cmd.ExtraFiles = []*os.File{commands, replies}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a browser is many processes
	must.Do(t, cmd.Start())
	commands.Close()
	replies.Close()
	b := &browser{t: t, server: s, base: "http://" + s.Queue + "/", out: out, answers: map[int]chan message{}}
	go b.read(in)
	t.Cleanup(func() {
		syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		cmd.Wait()
		out.Close()
	})
	var made struct{ TargetID, SessionID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &made)
	b.call("Target.attachToTarget", map[string]any{"targetId": made.TargetID, "flatten": true}, &made)
	b.session = made.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// read takes what the browser says, until it ends.
func (b *browser) read(in *os.File) {
	defer in.Close()
	for r := bufio.NewReaderSize(in, 1<<20); ; {
		text, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(text[:len(text)-1], &m) != nil {
			continue
		}
		b.mu.Lock()
		if c := b.answers[m.ID]; c != nil {
			c <- m
			delete(b.answers, m.ID)
		} else {
			b.event(m)
		}
		b.mu.Unlock()
	}
}

// event notes what the page reports.
func (b *browser) event(m message) {
	var p struct {
		Entry            struct{ Level, Text, Source, URL string }
		ExceptionDetails json.RawMessage
	}
	json.Unmarshal(m.Params, &p)
	switch m.Method {
	case "Runtime.exceptionThrown":
		b.wrong = append(b.wrong, string(p.ExceptionDetails))
	case "Log.entryAdded":
		if strings.Contains(p.Entry.Text, " 403 ") {
			b.refused = append(b.refused, p.Entry.URL)
		}
		if p.Entry.Level == "error" && p.Entry.Source != "network" { // a server that is down is told by the page
			b.wrong = append(b.wrong, p.Entry.Text)
		}
	}
}

// call sends a command and waits for its answer.
func (b *browser) call(method string, params, answer any) {
	b.t.Helper()
	if params == nil {
		params = struct{}{}
	}
	text := must.Get(json.Marshal(params))
	b.mu.Lock()
	b.asked++
	m := message{ID: b.asked, Method: method, Params: text, SessionID: b.session}
	answered := make(chan message, 1)
	b.answers[m.ID] = answered
	b.mu.Unlock()
	must.Get(b.out.Write(append(must.Get(json.Marshal(m)), 0)))
	select {
	case m = <-answered:
	case <-time.After(patience):
		b.t.Fatalf("%s is not answered", method)
	}
	if m.Error != nil {
		b.t.Fatalf("%s: %s", method, m.Error.Message)
	}
	if answer != nil {
		must.Do(b.t, json.Unmarshal(m.Result, answer))
	}
}

// eval runs JavaScript in the page and returns what it comes to, as JSON.
func (b *browser) eval(script string) string {
	b.t.Helper()
	var a struct {
		Result struct {
			Value json.RawMessage
		}
		ExceptionDetails *struct {
			Exception struct{ Description string }
		}
	}
	b.call("Runtime.evaluate", map[string]any{"expression": script, "awaitPromise": true, "returnByValue": true}, &a)
	if a.ExceptionDetails != nil {
		b.t.Fatalf("%s: %s", script, a.ExceptionDetails.Exception.Description)
	}
	return string(a.Result.Value)
}

// await waits until an expression is true. The page looks at each of its changes.
func (b *browser) await(what, expression string) {
	b.t.Helper()
	ok := b.eval(fmt.Sprintf(`new Promise((done) => {
		const test = () => { try { return %s } catch { return false } };
		if (test()) return done(true);
		const end = (v) => { watch.disconnect(); clearTimeout(late); done(v) };
		const watch = new MutationObserver(() => test() && end(true));
		watch.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
		const late = setTimeout(() => end(false), %d);
	})`, expression, (patience / 2).Milliseconds()))
	if ok != "true" {
		b.t.Fatalf("%s: %s does not become true; the page shows:\n%s", what, expression,
			b.eval("document.body.innerText"))
	}
}

// show opens a page of the console.
func (b *browser) show(page string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": b.base + page}, nil)
	b.await("the page", "document.readyState === 'complete' && !document.body.classList.contains('lost') && "+
		"document.getElementById('link')?.classList.contains('good')")
}

// size makes the window so large. What is narrow is a phone.
func (b *browser) size(width, height int) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height,
		"deviceScaleFactor": 1, "mobile": width < 600}, nil)
}

// shot takes a picture.
func (b *browser) shot(path string) {
	b.t.Helper()
	var a struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png", "optimizeForSpeed": false}, &a)
	must.Do(b.t, os.WriteFile(path, must.Get(base64.StdEncoding.DecodeString(a.Data)), 0o644))
}

// mustBeContent fails the test if the page has reported an error.
func (b *browser) mustBeContent() {
	b.t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, w := range b.wrong {
		b.t.Error("the page reports: " + w)
	}
	b.wrong = nil
}

// quoted is a text in JavaScript.
func quoted(text string) string { return strconv.QuoteToASCII(strings.ToValidUTF8(text, "?")) }
