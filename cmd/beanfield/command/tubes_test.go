package command

import (
	"encoding/json"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// U1: as all tests on each server, also with beanstalkd.
func TestTubes(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "mail/a", "1", "2").want(t, 0, "1\n2\n", "")
		s.run("put", "-tube", "123", "-delay", "9", "x").want(t, 0, "3\n", "")
		s.run("pause", "123", "1m40s").want(t, 0, "", "")
		s.run("pause", "nowhere", "5").want(t, 3, "", "there is no tube nowhere")
		s.run("tubes", "-names").want(t, 0, "123\ndefault\nmail/a\n", "")
		s.run("tubes", "-names", "m*a").want(t, 0, "mail/a\n", "")
		s.run("tubes", "x*").want(t, 3, "", "no tube matches x*")
		s.run("tubes").want(t, 0, `  ready  reserved  delayed  buried  waiting  paused  tube
      0         0        1       0        0     99s  123
      0         0        0       0        0       -  default
      2         0        0       0        0       -  mail/a
`, "")
		var d map[string]any
		if err := json.Unmarshal([]byte(s.run("tubes", "-json", "123").stdout), &d); err != nil || d["name"] != "123" ||
			d["current-jobs-delayed"] != 1.0 || d["pause"] != 100.0 {
			t.Errorf("%v, %v", d, err)
		}
		if err := json.Unmarshal([]byte(s.run("stats", "-json").stdout), &d); err != nil || d["cmd-put"] != 3.0 ||
			d["draining"] != false {
			t.Errorf("%v, %v", d, err)
		}
		if _, text := d["version"].(string); !text {
			t.Errorf("version is %v", d["version"])
		}
		s.run("pause", "123", "0").want(t, 0, "", "")
		s.wantCount("123", "pause", "0")
	})
}

func TestKickAndBury(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		s.run("put", "-tube", "a", "1", "2", "3", "-pri", "7").want(t, 0, "1\n2\n3\n", "")
		s.run("put", "-tube", "a", "-delay", "100", "4").want(t, 0, "4\n", "")
		s.run("bury", "3", "9", "1", "4").want(t, 3, "", "not found: 9")
		s.run("bury", "3").want(t, 0, "", "")
		s.run("stats", "-job", "3", "-json").has(t, 0, `"state":"buried","pri":7`)
		s.run("stats", "-job", "3", "-json").has(t, 0, `"buries":1`)
		s.run("kick", "a", "1").want(t, 0, "kicked 1\n", "")
		s.run("stats", "-job", "3").has(t, 0, "state: ready")
		s.run("kick", "-jobs", "1", "2").want(t, 3, "", "not found: 2")
		s.run("put", "-tube", "a", "-delay", "100", "5").want(t, 0, "5\n", "")
		s.run("kick", "a").want(t, 0, "kicked 1\n", "")
		s.wantCount("a", "current-jobs-delayed", "1")
		s.run("kick", "a", "-json").want(t, 0, "{\"kicked\":1}\n", "")
		s.run("kick", "nowhere").want(t, 3, "", "there is no tube nowhere")
	})
}

// mixed fills a tube with jobs of each state.
func mixed(t *testing.T, s *daemon) {
	t.Helper()
	s.run("put", "-tube", "from", "-pri", "3", "-ttr", "33", "r1", "r2").want(t, 0, "1\n2\n", "")
	s.run("put", "-tube", "from", "-delay", "500", "d1").want(t, 0, "3\n", "")
	s.run("put", "-tube", "from", "b1", "b2").want(t, 0, "4\n5\n", "")
	s.run("bury", "5", "4").want(t, 0, "", "")
}

func TestMove(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(t, s)
		s.run("move", "from", "to").want(t, 0, "moved 5\n", "")
		s.vanishes("from")
		var got []string
		ids, want := []string{"6", "7", "8", "9", "10"}, "ready r1, ready r2, delayed d1, buried b2, buried b1"
		if s.moves() {
			ids, want = []string{"1", "2", "3", "4", "5"}, "ready r1, ready r2, delayed d1, buried b1, buried b2"
		}
		for line := range strings.Lines(s.run(append([]string{"peek", "-json"}, ids...)...).stdout) {
			var j job
			must.Do(t, json.Unmarshal([]byte(line), &j))
			if j.State == delayed && (j.Delay < 490 || j.Delay > 500) || j.Tube != "to" {
				t.Errorf("%+v", j)
			}
			got = append(got, j.State+" "+string(j.body()))
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("%q, want %s", got, want)
		}
		s.run("peek", ids[0], "-json").has(t, 0, `"pri":3,"delay":0,"ttr":33,"state":"ready"`)
		s.run("peek", "-tube", "to", "-state", "buried").want(t, 0, "b2\n", "")
		s.run("move", "from", "to").want(t, 3, "", "there is no tube from")
		s.run("move", "to", "back", "-state", "buried,ready", "-n", "3").want(t, 0, "moved 3\n", "")
		if n := s.count("back", "current-jobs-buried") + s.count("back", "current-jobs-ready"); n != "21" {
			t.Errorf("buried and ready: %s", n)
		}
	})
}

// A job that cannot be put stays as it was: a buried one does not go to a worker.
func TestMoveRefused(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(t, s)
		s.drains()
		if s.moves() { // what moves is no new job; so something else has to refuse it
			s.run("move", "from", "to").want(t, 0, "moved 5\n", "")
			s.run("peek", "-tube", "to", "-state", "buried").want(t, 0, "b2\n", "")
			return
		}
		for _, state := range []string{"buried", "delayed", "ready"} {
			s.run("move", "from", "to", "-state", state).want(t, 1, "moved 0\n", "DRAINING")
		}
		for key, want := range map[string]string{"ready": "2", "delayed": "1", "buried": "2", "reserved": "0"} {
			s.wantCount("from", "current-jobs-"+key, want)
		}
	})
}

// What a full tube does not take stays as it was.
func TestMoveIntoAFullTube(t *testing.T) {
	s := startServer(t, beanfield(t))
	mixed(t, s)
	s.run("policy", "set", "to", "max_jobs=2").has(t, 0, "")
	o := s.run("move", "from", "to")
	if o.code != 1 || o.stdout != "moved 2\n" ||
		!strings.Contains(o.stderr, "stay where they are: the other tube is full") {
		t.Errorf("%+v", o)
	}
	s.wantCount("to", "current-jobs-ready", "2")
	s.wantCount("from", "current-jobs-delayed", "1")
	s.wantCount("from", "current-jobs-buried", "2")
}

func TestPurge(t *testing.T) {
	onEach(t, func(t *testing.T, s *daemon) {
		mixed(t, s)
		s.run("purge", "from", "-state", "buried", "-n", "1").want(t, 0, "purged 1\n", "")
		s.run("purge", "from", "-state", "delayed", "-json").want(t, 0, "{\"purged\":1}\n", "")
		s.run("purge", "from").want(t, 0, "purged 3\n", "")
		s.vanishes("from")
		s.run("purge", "from").want(t, 3, "", "there is no tube from")
		s.run("purge", "default").want(t, 0, "purged 0\n", "")
	})
}
