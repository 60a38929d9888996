package command

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/beanstalk/client"
	"beanfield/storage/must"
)

const ofOther, ofMail = "other: no such tube, or this token may not ", "mail: no such tube, or this token may not "

// lacking are commands of clients that have few rights, and what they are told.
var lacking = []struct {
	who, args, says string
	code            int
}{
	{"sees", "purge mail", ofMail + "delete there; see beanfield help rights", 1}, {"mail", "purge other", ofOther +
		"delete there", 1},
	{"sees", "purge none", "there is no tube none", 3}, {"all", "purge none", "there is no tube none", 3},
	{"sees", "purge mail -n 2", ofMail + "peek there", 1}, {"peeks", "purge mail -n 2", ofMail + "delete there", 1},
	{"peeks", "purge mail -state buried -n 1", ofMail + "delete there", 1},
	{"sees", "kick mail", ofMail + "kick there", 1}, {"sees", "kick other", ofOther + "kick there", 1},
	{"mail", "kick other", ofOther + "see stats there", 1},
	{"sees", "kick -jobs 3", "3: no such job, or this token may not kick it", 1}, {"all", "kick -jobs 1",
		"not found: 1", 3},
	{"sees", "pause mail 5", ofMail + "pause there", 1}, {"mail", "pause other 5", ofOther + "pause there", 1},
	{"all", "pause none 5", "there is no tube none", 3},
	{"sees", "move mail to", ofMail + "delete there, or put into to", 1}, {"mail", "move other to", ofOther +
		"see stats there", 1},
	{"mail", "stats other", ofOther + "see stats there", 1},
	{"puts", "stats", "this token needs the right stats on a tube", 1},
	{"mail", "stats 4", "there is no job 4; -tube 4 asks for a tube with that name, or this token may not see stats " +
		"there", 3},
	{"sees", "put -tube mail x", ofMail + "put there", 1}, {"mail", "put -tube other x", ofOther + "put there", 1},
	{"mail", "load", ofMail + "put there", 1},
	{"mail", "put -tube mail -tag a=b x", ofMail + "put there", 1}, {"mail", "reserve -tube mail", ofMail +
		"reserve there", 1},
	{"mail", "reserve", "default: no such tube, or this token may not reserve there", 1},
	{"mail", "list -tube mail", ofMail + "peek there", 1},
	{"sees", "list", "no job was found, or this token may not peek at them", 1},
	{"peeks", "list -state delayed", "no job was found", 3}, {"mail", "list -tube other", ofOther + "peek there", 1},
	{"sees", "peek -tube mail", ofMail + "peek there", 1}, {"mail", "peek -tube other", ofOther + "peek there", 1},
	{"peeks", "peek -tube mail -state delayed", "there is no delayed job", 3},
	{"sees", "peek 1", "1: no such job, or this token may not peek it", 1},
	{"mail", "delete 4", "4: no such job, or this token may not delete it", 3},
	{"sees", "delete 1", "1: no such job, or this token may not delete it", 1}, {"all", "delete 9", "not found: 9", 3},
	{"sees", "bury 1", "1: no such job, or this token may not reserve it", 1},
	{"puts", "tubes", ofMail + "see stats there", 1},
	{"nobody", "tubes", "no tube matches *, or this client may do nothing there", 1},
	{"sees", "tubes x*", "no tube matches x*", 3},
	{"probes", "export mail", ofMail + "peek there", 1}, {"mail", "export other", ofOther + "see stats there", 1},
	{"mail", "export mail", "beanfield.probe: no such tube, or this token may not put there", 1},
	{"mail", "tail", "beanfield.probe: no such tube, or this token may not put there", 1},
	{"mail", "policy list", "this token needs the right stats on every tube", 1}, {"sees", "policy set x max_jobs=1",
		"this token needs the right admin on every tube", 1},
	{"mail", "policy list other", ofOther + "see stats there", 1}, {"all", "policy list none", "no policy matches none",
		3}, {"puts", "schedules", "needs the right stats on a tube", 1},
}

// A command without the right for it fails, and names the right. Who may see all tubes is told which are not there.
func TestLackingRights(t *testing.T) {
	dir := t.TempDir()
	config := fmt.Sprintf("listen = [{ address = 'unix:DIR/s', login = true }]\naudit.file = '%s/audit'\n", dir)
	for name, rule := range map[string]string{
		"all": "may = 'admin'", "sees": "may = 'stats'", "mail": "may = 'stats'\ntubes = 'mail'",
		"puts":   "may = 'put'\ntubes = 'mail'",
		"peeks":  "may = ['stats', 'peek']\ntubes = 'mail'",
		"probes": "may = ['stats', 'put', 'delete']\ntubes = ['mail', 'beanfield.*']",
	} {
		token := access.NewToken()
		writeFile(t, filepath.Join(dir, name), token)
		config += fmt.Sprintf("[[access]]\ntoken = '%s'\n%s\n", access.HashOf(token), rule)
	}
	writeFile(t, filepath.Join(dir, "config"), config)
	s := startServer(t, "-config", filepath.Join(dir, "config"))
	as := func(who string, args ...string) outcome {
		t.Helper()
		return s.typed(`{"tube":"mail","body":"x"}`, append(args, "-token-file", filepath.Join(dir, who))...)
	}
	talk(t, func(args ...string) outcome { return as("all", args...) },
		"$ put -tube mail 1 2 3\n1\n2\n3\n$ put -tube other 4\n4\n$ bury 3")
	for _, k := range lacking {
		var o outcome
		if k.who == "nobody" {
			o = s.run(strings.Fields(k.args)...)
		} else {
			o = as(k.who, strings.Fields(k.args)...)
		}
		if o.code != k.code || o.stdout != "" || !strings.Contains(o.stderr, k.says) || k.code == 3 &&
			strings.Contains(o.stderr, "rights") != strings.Contains(k.says, "or this token") {
			t.Errorf("%s, %s: %+v", k.who, k.args, o)
		}
	}
	probes := s.dial(client.Options{TokenFile: filepath.Join(dir, "probes")})
	tr := follower{tail: &tail{}, s: probes, out: bufio.NewWriter(io.Discard), pattern: "mail"}
	must.Do(t, tr.begin())
	as("all", "put", "-tube", "mail", "unseen").has(t, 0, "")
	if err := tr.look(); err == nil {
		t.Error("a tail that may not peek says nothing")
	}
	s.kill()
	if n := strings.Count(string(must.Get(os.ReadFile(filepath.Join(dir, "audit")))), "\n"); n > 80 {
		t.Errorf("the audit log has %d lines", n)
	}
}
