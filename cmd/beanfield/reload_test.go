package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"beanfield/cmd/beanfield/exit"
	"beanfield/conn/secure/securetest"
	"beanfield/storage/must"
)

// reads sends SIGHUP, and returns when the process has told systemd that it is ready again:
// what it has said meanwhile.
func (p *process) reads() string {
	p.t.Helper()
	before := len(p.said())
	p.signal(syscall.SIGHUP)
	b := make([]byte, 100)
	n, err := p.heard.Read(b)
	if !regexp.MustCompile(`^RELOADING=1\nMONOTONIC_USEC=[1-9][0-9]{3,}$`).Match(b[:n]) {
		p.t.Fatalf("heard %q, %v", b[:n], err)
	}
	p.hears("READY=1")
	return p.said()[before:]
}

// configured is a process with a file that a test can replace.
func configured(t *testing.T, text string, args ...string) (p *process, write func(text string)) {
	t.Helper()
	p = prepare(t, append(args, "-config", "DIR/c.toml")...)
	write = func(text string) {
		t.Helper()
		must.Do(t, os.WriteFile(filepath.Join(p.dir, "c.toml"), []byte(strings.ReplaceAll(text, "DIR", p.dir)), 0o600))
	}
	write(text)
	return p.start(), write
}

// has checks which words are in what a process says.
func has(t testing.TB, said string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q:\n%s", w, said)
		}
	}
}

// What can change does, for connections that are open too. What cannot is logged by its key,
// each time. Flags win. A wrong file changes nothing, and the log says what check-config says.
func TestProcessReloads(t *testing.T) {
	const usual = "listen = [{ address = 'unix:DIR/s' }]\n"
	p, write := configured(t, usual+"shards = 2\nlimits.max_job_size = 100\n", "-V")
	c := p.client()
	c.expect("put 0 0 1 11\r\n01234567890", "INSERTED 1")
	write(usual + "shards = 3\nloops = 3\nlimits.max_job_size = 10\nlog.level = 'error'\nstats.quote_strings = true\n")
	said := p.reads()
	has(t, said, `level=WARN msg="shards: 2 now, 3 in the file: needs a restart" from=`+p.dir+"/c.toml:2",
		`level=WARN msg="loops: 0 now, 3 in the file: needs a restart"`,
		`level=NOTICE msg="limits.max_job_size: 100 before, 10 now" from=`, "changed=2 need-a-restart=2")
	if strings.Contains(said, "log.level") {
		t.Errorf("the flag -V has lost:\n%s", said)
	}
	c.expect("put 0 0 1 11\r\n01234567890", "JOB_TOO_BIG")
	if got := c.document("stats-tube default")["name"]; got != `"default"` {
		t.Errorf("the name is %s", got)
	}
	write("shards = 5\n")
	has(t, p.reads(), `shards: 2 now, 5 in the file`, `listen: [\"unix:`, "limits.max_job_size: 10 before, 65535 now")

	write(usual + "limits.max_job_size = 7\n\nloops = 'x'\nqueue.max_tag = 1\n")
	said = p.reads()
	has(t, said, `/c.toml:4: loops = \"x\": this is text; allowed: 0 to 1024`,
		"/c.toml:5: queue.max_tag = 1: unknown key")
	if got := c.document("stats")["max-job-size"]; got != "65535" {
		t.Errorf("a wrong file has made it %s", got)
	}
	var stdout, stderr bytes.Buffer
	if code := run([]string{"check-config", p.dir + "/c.toml"}, &stdout, &stderr); code != exit.Usage {
		t.Errorf("check-config: %d", code)
	}
	for line := range strings.Lines(stderr.String()) {
		line = strings.ReplaceAll(strings.TrimSpace(strings.TrimPrefix(line, "beanfield: ")), `"`, `\"`)
		has(t, said, line)
	}
	must.Do(t, os.Remove(p.dir+"/c.toml"))
	has(t, p.reads(), "cannot read the configuration: no such file")
	p.stop()
}

// The level of the log changes, unless a flag has set it.
func TestProcessReloadsItsLog(t *testing.T) {
	p, write := configured(t, "", "-l", "unix:DIR/s")
	write("log.level = 'error'\nlimits.max_job_size = 5")
	if said := p.reads(); said != "" {
		t.Errorf("at level error it says %s", said)
	}
	write("log.level = 'debug'\n")
	has(t, p.reads(), `log.level: \"error\" before, \"debug\" now`)
}

// The queue service and the HTTP side take over what can change.
func TestProcessReloadsItsFrontEnds(t *testing.T) {
	const usual = "queue.listen = ['unix:DIR/q']\nhttp.listen = ['unix:DIR/h']\n"
	p, write := configured(t, usual, "-l", "unix:DIR/s")
	h := p.dir + "/h"
	post := func(socket, path, token, body string) int {
		status, _ := request(t, "unix", socket, "POST", path, token, body)
		return status
	}
	put := func(token, body string) int { return post(p.dir+"/q", "/api/predict/mail", token, body) }
	drain := func() int { return post(h, "/api/v1/pause", "", `{"tube":"mail","seconds":1}`) }
	expect := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d, want %d", what, got, want)
		}
	}
	status := func(path, token string) int { s, _ := page(t, "unix", h, path, token); return s }
	expect("put", put("", "hello"), 200)
	expect("profiles", status("/debug/pprof/", ""), 404)
	expect("pause", drain(), 200)
	write(usual + "[queue]\ntokens = ['secret']\nmax_payload = 4\n[[queue.for]]\nmatch = 'm*'\nmax_length = 2\n" +
		"[http]\ntokens = ['other']\npprof = true\nread_only = true\n[metrics]\ntubes = ['none']\naliases = ['beanstalkd_exporter']\n")
	said := p.reads()
	has(t, said, "queue.for: changed", "http.tokens:", "queue.max_payload: ", "http.read_only: false before, true now")
	if strings.Contains(said, "secret") || strings.Contains(said, "other") {
		t.Errorf("the log has a token:\n%s", said)
	}
	expect("put without a token", put("", "x"), 401)
	expect("large put", put("secret", "hello"), 413)
	expect("put", put("secret", "x"), 200)
	expect("put into a full queue", put("secret", "x"), 429)
	expect("metrics without a token", status("/metrics", ""), 401)
	expect("profiles", status("/debug/pprof/", "other"), 200)
	if _, text := page(t, "unix", h, "/metrics", "other"); strings.Contains(text, `tube="mail"`) ||
		!strings.Contains(text, "\nbeanstalkd_current_jobs_ready") && !strings.Contains(text, "\ncurrent_jobs_ready") {
		t.Error("the metrics have not changed")
	}
	write(usual + "http.read_only = true\n")
	p.reads()
	expect("pause of a reader", drain(), 403)
	expect("put", put("", "hello"), 200)
	expect("profiles", status("/debug/pprof/", ""), 404)
}

// Another file for a certificate is taken over, with all else that TLS has. Turning TLS off
// needs a restart, and a listener that had it keeps it. With a certificate that has expired, nothing changes.
func TestProcessReloadsTLS(t *testing.T) {
	a := securetest.NewAuthority(t, "authority")
	p, dir, addrs := secureProcess(t, a, a.Usual("one"))
	file := p.Args[2]
	text := must.Get(os.ReadFile(file))
	two := a.Usual("two")
	securetest.Write(t, dir, "c2", two.Cert)
	securetest.Write(t, dir, "k2", two.Key)
	write := func(old, new string) {
		t.Helper()
		must.Do(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), old, new)), 0o600))
	}
	early := shows(t, addrs[0], a.Trust(), "one")
	write("/k'", "/k2'")
	has(t, p.reads(), "does not match")
	write("/c'\n", "/c2'\n")
	has(t, p.reads(), "does not match")
	shows(t, addrs[0], a.Trust(), "one") // while the pair is wrong
	old := a.Issue("old", time.Now().Add(-time.Hour))
	securetest.Write(t, dir, "c3", old.Cert)
	securetest.Write(t, dir, "k3", old.Key)
	expired := strings.NewReplacer("/c'", "/c3'", "/k'", "/k3'").Replace(string(text))
	must.Do(t, os.WriteFile(file, []byte("limits.max_job_size = 7\n"+expired), 0o600))
	has(t, p.reads(), `beanfield.toml:2: listen.cert = `, "it has expired")
	c := shows(t, addrs[0], a.Trust(), "one")
	fmt.Fprint(c, "put 0 0 1 9\r\n012345678\r\n")
	if line, err := bufio.NewReader(c).ReadString('\n'); line != "INSERTED 1\r\n" {
		t.Errorf("the limit has changed: %q, %v", line, err)
	}
	text = []byte(strings.ReplaceAll(string(text), "/c'\n", "/c2'\n"))
	write("/k'", "/k2'")
	has(t, p.reads(), "listen.cert of "+addrs[0])
	shows(t, addrs[0], a.Trust(), "two")
	text = []byte("[[listen]]\naddress = '" + addrs[0] + "'\n")
	write("", "")
	has(t, p.reads(), "listen.cert of "+addrs[0], "needs a restart", "http.listen: ")
	shows(t, addrs[0], a.Trust(), "two")
	speak(t, early)
}
