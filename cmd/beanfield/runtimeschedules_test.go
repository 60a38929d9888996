package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// eachSecond is the text of a schedule that ticks each second.
func eachSecond(name, tube, more string) string {
	return fmt.Sprintf("[[schedule]]\nname = '%s'\ncron = '* * * * * *'\ntube = '%s'\n%s", name, tube, more)
}

// ticking has a worker take jobs until one has this body, and returns that one's id.
func (c *client) ticking(body string) (id string) {
	c.t.Helper()
	for {
		got := c.ask("reserve")
		is := strings.TrimSuffix(must.Get(c.r.ReadString('\n')), "\r\n")
		if !strings.HasPrefix(got, "RESERVED ") {
			c.t.Fatalf("reserve is answered %q", got)
		}
		if is == body {
			return strings.Fields(got)[1]
		}
	}
}

// Schedules that were set at run time put jobs beside those of the file, are shown, outlive a kill without a tick
// twice, may change, and stop when they are removed.
func TestProcessKeepsSchedulesOfRunTime(t *testing.T) {
	data := dataDir(t)
	p, write := configured(t, eachSecond("filed", "file", ""), "-l", "unix:DIR/s", "-b", data, "-shards", "3")
	c := p.client()
	set := eachSecond("ours", "mail", "body = 'one'\nmissed = 'all'\n")
	word, text := c.told("set-policies", set)
	has(t, word+text, "OK", "kept: true", `changes: "set schedule ours"`)
	c.expect("watch mail", "WATCHING 2")
	first := c.ticking("one")
	if _, list := c.told("schedules", ""); strings.Count(list, "- name: ") != 2 {
		t.Errorf("schedules are %s", list)
	} else {
		has(t, list, `name: "ours"`, `from: "run time"`, `name: "filed"`, `from: "file"`)
	}
	p.kill()
	p = startProcess(t, p.Args[1:]...)
	c = p.dial(p.Args[2][len("unix:"):])
	c.expect("watch mail", "WATCHING 2")
	c.ticking("one")
	word, text = c.told("set-policies", strings.Replace(set, "one", "two", 1))
	has(t, word+text, "OK", `changes: "set schedule ours"`)
	c.ticking("two")
	write(eachSecond("filed", "file", "") + eachSecond("ours", "elsewhere", ""))
	has(t, p.reads(), "a schedule of the file is not put", "schedule=ours")
	c.ticking("two")
	word, text = c.told("set-policies", strings.Replace(set, "one", "three", 1)) // the file has the name only since
	has(t, word+text, "OK")
	c.ticking("three")
	tube := c.document("stats-tube mail")
	jobs := countIn(t, tube["current-jobs-ready"]) + countIn(t, tube["current-jobs-reserved"])
	if age := countIn(t, c.document("stats-job " + first)["age"]); jobs < age || jobs > age+2 {
		t.Errorf("%d jobs have been put in %d seconds", jobs, age)
	}
	word, text = c.told("set-policies", "")
	has(t, word+text, "OK", "removed schedule ours")
	c.expect("watch elsewhere", "WATCHING 3")
	c.expect("ignore mail", "WATCHING 2")
	c.ticking("") // that of the file has its turn
	if _, list := c.told("schedules", ""); strings.Contains(list, "run time") || strings.Count(list, "- name: ") != 2 {
		t.Errorf("schedules are %s", list)
	}
}

func countIn(t *testing.T, text string) (n int) {
	t.Helper()
	if _, err := fmt.Sscan(text, &n); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return n
}

// An administrator changes schedules from a shell, beside policies that stay as they are.
func TestScheduleCommands(t *testing.T) {
	p, _ := configured(t, "[[schedule]]\nname = 'filed'\ncron = '@daily'\ntube = 't'\n", "-l", "unix:DIR/s")
	p.client()
	tell := p.teller(t)
	tell(0, "set mail", "policy", "set", "mail", "max_jobs=3")
	tell(0, "set schedule n; without a data directory", "schedules", "set", "n", "cron=0 3 * * *", "tube=7",
		"body=a \"b\"\\\n[[c]]", "pri=5")
	const text = "[[tube]]\nmatch = \"mail\"\nmax_jobs = 3\n[[schedule]]\nname = \"n\"\ncron = \"0 3 * * *\"\ntube " +
		"= \"7\"\nbody = \"a \\\"b\\\"\\\\\\u000a[[c]]\"\npri = 5\n"
	tell(0, text, "policy", "text")
	tell(0, "set schedule n", "schedules", "set", "n", "body=", "missed=once")
	tell(0, "tube = \"7\"\npri = 5\nmissed = \"once\"\n", "policy", "text")
	tell(0, "run time  7     n\n", "schedules")
	tell(0, "file      t     filed\n", "schedules")
	tell(1, "schedule.name = \"filed\"", "schedules", "set", "filed", "cron=@daily", "tube=t")
	tell(3, "no schedule x", "schedules", "remove", "x")
	tell(2, "what is", "schedules", "sets")
	tell(2, "KEY=VALUE", "schedules", "set", "n")
	tell(0, "removed schedule n", "schedules", "remove", "n")
	tell(0, "[[tube]]\nmatch = \"mail\"\nmax_jobs = 3\n", "policy", "text")
	c := p.client()
	c.told("set-policies", "[[schedule]]\nname = 'n'\ncron = '@daily'\ntube = 't'\nbody = '''\n[[schedule]]\n'''\n")
	tell(1, "use beanfield policy edit", "schedules", "set", "n", "pri=1")
}

// A server that is killed again and again puts a job for each second that there was, and none twice. A schedule that
// is taken out of the file leaves nothing.
func TestProcessKeepsSchedules(t *testing.T) {
	data := dataDir(t)
	file := func(p *process) string { return filepath.Join(p.dir, "c.toml") }
	list := "[[schedule]]\nname = 'tick'\ncron = '* * * * * *'\ntube = 'mail'\nbody = 'hello'\nmissed = 'all'\n"
	var p *process
	var c *client
	for i := range 4 {
		if p != nil {
			p.kill()
		}
		p = prepare(t, "-l", "unix:DIR/s", "-b", data, "-shards", "3", "-config", "DIR/c.toml")
		must.Do(t, os.WriteFile(file(p), []byte(list), 0o600))
		p.start()
		c = p.client()
		c.expect("watch mail", "WATCHING 2")
		for range 2 + i { // more than there were
			if got := c.ask("reserve"); !strings.HasSuffix(got, " 5") {
				t.Fatalf("reserve is answered %q", got)
			}
			must.Get(c.r.ReadString('\n'))
		}
	}
	c.expect("use mail", "USING mail")
	if d := c.document("schedules"); d["- name"] != `"tick"` || d["  last-tick"] == `""` || d["  refused"] != "0" {
		t.Errorf("schedules are %v", d)
	}
	tube := c.document("stats-tube mail")
	jobs := must.Get(strconv.Atoi(tube["current-jobs-ready"])) + must.Get(strconv.Atoi(tube["current-jobs-reserved"]))
	age := must.Get(strconv.Atoi(c.document("stats-job 1")["age"]))
	if jobs < age || jobs > age+2 {
		t.Errorf("%d jobs have been put in %d seconds", jobs, age)
	}
	must.Do(t, os.WriteFile(file(p), nil, 0o600))
	has(t, p.reads(), "schedule: changed")
	p.stop()
	if out := string(must.Get(prepare(t, "dump", data).Output())); strings.Count(out, " mail ready ") < jobs {
		t.Errorf("of %d jobs are left\n%s", jobs, out)
	}
}
