package command

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// twoSlow is what a server says of two slow commands.
const twoSlow = `{"at":9,"bound":0.1,"count":7,"commands":[
{"at":2000,"verb":"put","tube":"mail","count":128,"client":"10.0.0.7:5","who":"app","took":0.35,"turn":0.05,"ran":0.1,"disk":0.2},
{"at":1000,"verb":"delete","tube":"","id":77,"count":1,"took":0.2,"ran":0.2}]}`

// slowServer is a console that wants a token.
func slowServer(t *testing.T, answer string) string { return told(t, "slow", answer) }

// told is a console that answers a question.
func told(t *testing.T, question, answer string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/"+question || r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

// slowAt runs slow, where a configuration names the console.
func slowAt(at string, args ...string) outcome { return asked("slow", at, args...) }

func asked(command, at string, args ...string) outcome {
	return with("", func(p *Program) int {
		p.Place = func(string) (Place, error) { return Place{Console: Console{Address: at, Token: "secret"}}, nil }
		return p.Run(Find(command), args)
	})
}

func TestSlow(t *testing.T) {
	at := slowServer(t, twoSlow)
	token := filepath.Join(t.TempDir(), "token")
	writeFile(t, token, "secret\n")
	for _, args := range [][]string{{"-config", "x.toml"}, {"-http", at, "-token-file", token},
		{"-http", "http://" + at + "/", "-token-file", token}} {
		o := slowAt(at, args...)
		lines := strings.Split(o.stdout, "\n")
		if o.code != codeDone || o.stderr != "" || len(lines) != 4 {
			t.Fatalf("%v: %+v", args, o)
		}
		if got := strings.Join(strings.Fields(lines[1])[2:], " "); got != "350ms 50ms 100ms 200ms put x 128 mail "+
			"10.0.0.7:5 app" {
			t.Errorf("the first line is %q", got)
		}
		if got := strings.Join(strings.Fields(lines[2])[2:], " "); got != "200ms 0s 200ms 0s delete 77" {
			t.Errorf("the second line is %q", got)
		}
	}
	o := slowAt(at, "-config", "x.toml", "-json")
	if lines := strings.Split(o.stdout, "\n"); o.code != codeDone || len(lines) != 3 ||
		!strings.HasPrefix(lines[0], `{"at":2000,"verb":"put"`) {
		t.Errorf("as JSON: %+v", o)
	}
}

func TestRefused(t *testing.T) {
	for answer, want := range map[string]outcome{
		`{"at":9,"commands":[{"at":2000,"client":"10.0.0.7:5","who":"app","reason":"wrong option","line":"put-with 1 k\u0000"}]}`: {code: codeDone,
			stdout: `wrong option 10.0.0.7:5 app "put-with 1 k\x00"`},
		`{"at":9,"hidden":true,"commands":[]}`: {code: codeFailed, stderr: "the right admin on every tube"},
		`{"at":9,"commands":[]}`:               {code: codeMissing, stderr: "no command that was refused"},
	} {
		o := asked("refused", told(t, "refused", answer), "-config", "x.toml")
		if o.code != want.code || !strings.Contains(o.stderr, want.stderr) ||
			!strings.Contains(strings.Join(strings.Fields(o.stdout), " "), want.stdout) {
			t.Errorf("%s: %+v", answer, o)
		}
	}
}

func TestSlowWithoutAnswer(t *testing.T) {
	at := slowServer(t, twoSlow)
	for _, k := range []struct {
		args []string
		code int
		says string
	}{
		{nil, codeUsage, "-http"},
		{[]string{"-http", at, "-config", "x"}, codeUsage, "-http"},
		{[]string{"-http", at}, codeFailed, "401 Unauthorized: no token"},
		{[]string{"-http", "127.0.0.1:1"}, codeFailed, "refused"},
		{[]string{"-http", "unix:/nowhere/s"}, codeFailed, "no such file"},
	} {
		slowAt("", k.args...).want(t, k.code, "", k.says)
	}
	for answer, says := range map[string]string{
		`{"bound":0,"commands":[]}`: "log.slow is 0", `{"bound":0.1,"commands":[]}`: "no command that took longer " +
			"than 100ms",
	} {
		slowAt(slowServer(t, answer), "-config", "x").want(t, codeMissing, "", says)
	}
}
