package main

import (
	"errors"
	"log/slog"
	"os"
	"strconv"
	"strings"
	"testing"

	"beanfield/cmd/beanfield/config"
	"beanfield/cmd/beanfield/node"
	"beanfield/conn/access"
	"beanfield/storage/must"
)

// Both front ends serve the same tubes, and the queue service has the settings of the file.
func TestProcessQueueService(t *testing.T) {
	p, _ := configured(t, "queue.listen = ['unix:DIR/q']\nqueue.tokens = ['secret']\nqueue.max_payload = 5\n"+
		"queue.default_service = 'mail'\nqueue.for = [{ match = 'short', max_length = 1 }]\n", "-l", "unix:DIR/s")
	for _, c := range []struct {
		method, path, token, body string
		status                    int
		answer                    string
	}{
		{"POST", "/", "", "hello", 401, ""},
		{"POST", "/", "secret", "hello", 200, "1"},
		{"POST", "/", "secret", "hello!", 413, ""},
		{"POST", "/api/predict/short", "secret", "a", 200, "2"},
		{"POST", "/api/predict/short", "secret", "a", 429, ""},
		{"GET", "/api/predict/short", "secret", "", 200, "a"},
	} {
		status, answer := request(t, "unix", p.dir+"/q", c.method, c.path, c.token, c.body)
		if status != c.status || status == 200 && answer != c.answer {
			t.Errorf("%s %s %q: %d %q; want %d %q", c.method, c.path, c.body, status, answer, c.status, c.answer)
		}
	}
	client := p.client()
	client.expect("watch mail", "WATCHING 2")
	client.expect("reserve", "RESERVED 1 5")
}

// If a front end cannot be made, the others end and the log is closed: it can be opened again.
func TestFrontEndThatCannotBeMade(t *testing.T) {
	dir := t.TempDir()
	for _, set := range []func(*config.Config){
		func(c *config.Config) { c.Limits.MaxJobSize = -1 },
		func(c *config.Config) { c.Queue.DeadAfter = -1 },
		func(*config.Config) {},
	} {
		c := configOf(t, "-b "+dir+" -http 127.0.0.1:0 -queue 127.0.0.1:0", "")
		set(c)
		log := slog.New(slog.DiscardHandler)
		f := must.Get(newFronts(c, c.Keeper(log), log))
		r := must.Get(openRouter(t.Context(), c, node.Endless{}, nil, log))
		err := f.open(c, r, log)
		if broken := c.Limits.MaxJobSize < 0 || c.Queue.DeadAfter < 0; broken != (err != nil) {
			t.Errorf("broken: %v; open answers %v", broken, err)
		}
		if err == nil {
			if err := errors.Join(f.Shutdown(t.Context()), r.Close()); err != nil {
				t.Error(err)
			}
		}
	}
}

// A server that takes only empty jobs has a console.
func TestProcessWithEmptyJobs(t *testing.T) {
	p := prepare(t, "-l", "unix:DIR/s", "-http", "unix:DIR/h", "-z", "0")
	p.start()
	if status, body := page(t, "unix", p.dir+"/h", "/", ""); status != 200 {
		t.Errorf("%d %q", status, body)
	}
}

// The rules of the file hold for the front ends over HTTP, from the start and after a reload, and
// take the place of the lists of tokens.
func TestProcessRulesOverHTTP(t *testing.T) {
	const usual = "queue.listen = ['unix:DIR/q']\nqueue.tokens = ['old']\nhttp.listen = ['unix:DIR/h']\nhttp.tokens " +
		"= ['old']\n"
	rule := func(token, may string) string {
		return "[[access]]\ntoken = '" + access.HashOf(token).String() + "'\nmay = ['" + may + "']\n"
	}
	p, write := configured(t, usual+rule("worker", "reserve")+rule("monitor", "stats"), "-l", "unix:DIR/s")
	ask := func(socket, path, token string, want int) {
		t.Helper()
		if status, body := page(t, "unix", p.dir+"/"+socket, path, token); status != want {
			t.Errorf("%s %s with %q: %d %q, want %d", socket, path, token, status, body, want)
		}
	}
	ask("h", "/metrics", "monitor", 200)
	ask("h", "/metrics", "worker", 403)
	ask("h", "/metrics", "old", 401)
	ask("h", "/metrics", "", 401)
	ask("h", "/", "worker", 200)
	ask("h", "/api/v1/tube?name=default", "worker", 200) // what it may do there, and no figures
	ask("h", "/api/v1/tube?name=default", "monitor", 200)
	write(usual + "[[access]]\nuid = " + strconv.Itoa(os.Getuid()) + "\nmay = ['admin']\n")
	p.reads()
	ask("h", "/metrics", "", 200)
	ask("q", "/api/predict/s?_attrs_=true", "", 200)
	write(usual + "access = []\n")
	p.reads()
	ask("h", "/metrics", "", 401)
	ask("h", "/metrics", "old", 200)
	ask("q", "/api/predict/s?_attrs_=true", "", 401)
}

// The audit log has what was refused and what changes things for others, on each front end, never
// a token, and goes on in a new file after SIGHUP.
func TestProcessAudit(t *testing.T) {
	p, _ := configured(t, "audit.file = 'DIR/audit'\nqueue.listen = ['unix:DIR/q']\nhttp.listen = ['unix:DIR/h']\n"+
		"[[access]]\nname = 'here'\nuid = "+strconv.Itoa(os.Getuid())+"\nmay = ['put', 'pause', 'kick', 'stats']\n"+
		"[[access]]\nname = 'boss'\ntoken = '"+access.HashOf("the secret").String()+"'\nmay = ['admin']\n", "-l",
		"unix:DIR/s")
	client := p.client()
	client.expect("pause-tube default 0", "PAUSED")
	client.expect("put 0 100 10 1\r\nx", "INSERTED 1")
	client.expect("kick 1", "KICKED 1")
	client.expect("delete 7", "NOT_FOUND")
	client.expect("peek-ready", "NOT_FOUND")
	client.document("stats-tube default")
	page(t, "unix", p.dir+"/h", "/debug/pprof/cmdline", "")
	page(t, "unix", p.dir+"/h", "/metrics", "wrong secret")
	page(t, "unix", p.dir+"/q", "/api/predict/mail", "")
	must.Do(t, os.Rename(p.dir+"/audit", p.dir+"/old"))
	p.reads()
	page(t, "unix", p.dir+"/q", "/api/predict/after", "")
	p.stop()
	old := must.Get(os.ReadFile(p.dir + "/old"))
	fresh := must.Get(os.ReadFile(p.dir + "/audit"))
	const after = `"what":"get","tube":"after","refused":true}`
	if !strings.Contains(string(fresh), after) {
		t.Errorf("the new file has no %s:\n%s", after, fresh)
	}
	all := string(old) + string(fresh)
	for _, want := range []string{
		`"who":"here","from":"unix, uid`, `"face":"beanstalk","what":"pause-tube","tube":"default"}`,
		`"what":"kick","tube":"default"}`,
		`"what":"peek-ready","tube":"default","refused":true}`,
		`"face":"http","what":"GET","detail":"/debug/pprof/cmdline","refused":true}`,
		`"detail":"/metrics","refused":true}`, `"face":"queue service","what":"get","tube":"mail","refused":true}`,
		`"what":"reload"}`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("the log has no %s:\n%s", want, all)
		}
	}
	if strings.Contains(all, "secret") || strings.Contains(all, "stats-tube") {
		t.Errorf("the log has what it should not have:\n%s", all)
	}
}

// A server does not start without the audit log that it should have.
func TestProcessAuditFails(t *testing.T) {
	c := configOf(t, "", "audit.file = '/dev/null/x'")
	log := slog.New(slog.DiscardHandler)
	if _, err := newFronts(c, c.Keeper(log), log); err == nil || !strings.Contains(err.Error(), "audit.file: ") {
		t.Errorf("%v", err)
	}
}
