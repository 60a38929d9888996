package command

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"beanfield/storage/must"
)

// twoSlow is what a server says of two slow commands.
const twoSlow = `{"at":9,"bound":0.1,"count":7,"commands":[
{"at":2000,"verb":"put","tube":"mail","count":128,"client":"10.0.0.7:5","who":"app","took":0.35,"turn":0.05,"ran":0.1,"disk":0.2},
{"at":1000,"verb":"delete","tube":"","id":77,"count":1,"took":0.2,"ran":0.2}]}`

// slowServer is a console that wants a token.
func slowServer(t *testing.T, answer string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/slow" || r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		w.Write([]byte(answer))
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func runSlow(p Program, args ...string) (out, complaint string, code int) {
	var stdout, stderr bytes.Buffer
	p.Stdout, p.Stderr = &stdout, &stderr
	code = p.Run(Find("slow"), args)
	return stdout.String(), stderr.String(), code
}

func TestSlow(t *testing.T) {
	at := slowServer(t, twoSlow)
	p := Program{Console: func(file string) (Console, error) { return Console{Address: at, Token: "secret"}, nil }}
	token := filepath.Join(t.TempDir(), "token")
	must.Do(t, os.WriteFile(token, []byte("secret\n"), 0o600))
	for _, args := range [][]string{{"-config", "x.toml"}, {"-http", at, "-token-file", token}, {"-http", "http://" + at + "/", "-token-file", token}} {
		out, complaint, code := runSlow(p, args...)
		lines := strings.Split(out, "\n")
		if code != codeDone || complaint != "" || len(lines) != 4 {
			t.Fatalf("%v: code %d, %s%s", args, code, complaint, out)
		}
		if got := strings.Join(strings.Fields(lines[1])[2:], " "); got != "350ms 50ms 100ms 200ms put x 128 mail 10.0.0.7:5 app" {
			t.Errorf("the first line is %q", got)
		}
		if got := strings.Join(strings.Fields(lines[2])[2:], " "); got != "200ms 0s 200ms 0s delete 77" {
			t.Errorf("the second line is %q", got)
		}
	}
	out, _, code := runSlow(p, "-config", "x.toml", "-json")
	if lines := strings.Split(out, "\n"); code != codeDone || len(lines) != 3 || !strings.HasPrefix(lines[0], `{"at":2000,"verb":"put"`) {
		t.Errorf("as JSON: code %d, %s", code, out)
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
		if out, complaint, code := runSlow(Program{}, k.args...); code != k.code || !strings.Contains(complaint, k.says) || out != "" {
			t.Errorf("%v: code %d, %q", k.args, code, complaint)
		}
	}
	for answer, says := range map[string]string{
		`{"bound":0,"commands":[]}`: "log.slow is 0", `{"bound":0.1,"commands":[]}`: "no command that took longer than 100ms",
	} {
		at := slowServer(t, answer)
		p := Program{Console: func(string) (Console, error) { return Console{Address: at, Token: "secret"}, nil }}
		if _, complaint, code := runSlow(p, "-config", "x"); code != codeMissing || !strings.Contains(complaint, says) {
			t.Errorf("%s: code %d, %q", answer, code, complaint)
		}
	}
}
