package command

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
)

// twoSlow is what a server says of two slow commands.
const twoSlow = `{"at":9,"bound":0.1,"count":7,"commands":[
{"at":2000,"verb":"put","tube":"mail","count":128,"client":"10.0.0.7:5","who":"app",
"took":0.35,"turn":0.05,"ran":0.1,"disk":0.2},
{"at":1000,"verb":"delete","tube":"","id":77,"count":1,"took":0.2,"ran":0.2}]}`

// told is a console that answers a question, and wants a token.
func told(t *testing.T, question, answer string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/"+question || r.Header.Get("Authorization") != "Bearer secret" {
			http.Error(w, "no token", http.StatusUnauthorized)
			return
		}
		fmt.Fprint(w, answer)
	}))
	t.Cleanup(s.Close)
	return strings.TrimPrefix(s.URL, "http://")
}

func TestSlowAndRefused(t *testing.T) {
	token := writeFile(t, filepath.Join(t.TempDir(), "token"), "secret\n")
	const slowRows = "350ms 50ms 100ms 200ms put x 128 mail 10.0.0.7:5 app|200ms 0s 200ms 0s delete 77"
	for _, k := range []struct {
		args, answer string
		code         int
		rows, says   string
	}{
		{"slow -config x.toml", twoSlow, codeDone, slowRows, ""},
		{"slow -http AT -token-file " + token, twoSlow, codeDone, slowRows, ""},
		{"slow -http http://AT/ -token-file " + token, twoSlow, codeDone, slowRows, ""},
		{"slow -config x", `{"bound":0,"commands":[]}`, codeMissing, "", "log.slow is 0"},
		{"slow -config x", `{"bound":0.1,"commands":[]}`, codeMissing, "", "no command that took longer than 100ms"},
		{"slow -http AT -config x", "", codeUsage, "", "-http"},
		{"slow -http AT", "", codeFailed, "", "401 Unauthorized: no token"},
		{"slow -http 127.0.0.1:1", "", codeFailed, "", "refused"},
		{"slow -http unix:/nowhere/s", "", codeFailed, "", "no such file"},
		{"refused -config x", `{"commands":[{"at":2000,"client":"10.0.0.7:5","who":"app","reason":"wrong option",` +
			`"line":"put-with 1 k\u0000"}]}`, codeDone, `wrong option 10.0.0.7:5 app "put-with 1 k\x00"`, ""},
		{"refused -config x", `{"hidden":true,"commands":[]}`, codeFailed, "", "the right admin on every tube"},
		{"refused -config x", `{"commands":[]}`, codeMissing, "", "no command that was refused"},
	} {
		at := told(t, strings.Fields(k.args)[0], k.answer)
		place := Place{Console: Console{Address: at, Token: "secret"}}
		o := placed(place, "", words(strings.ReplaceAll(k.args, "AT", at))...)
		var rows []string
		for i, line := range strings.Split(strings.TrimSpace(o.stdout), "\n") {
			if fields := strings.Fields(line); i > 0 {
				rows = append(rows, strings.Join(fields[2:], " ")) // behind the date and the time
			}
		}
		if got := strings.Join(rows, "|"); o.code != k.code || got != k.rows || !strings.Contains(o.stderr, k.says) {
			t.Errorf("%s: %q, %+v", k.args, got, o)
		}
	}
	ran("slow").want(t, codeUsage, "", "-http")
	place := Place{Console: Console{Address: told(t, "slow", twoSlow), Token: "secret"}}
	o := placed(place, "", "slow", "-config", "x.toml", "-json")
	if lines := strings.Split(o.stdout, "\n"); o.code != codeDone || len(lines) != 3 ||
		!strings.HasPrefix(lines[0], `{"at":2000,"verb":"put"`) {
		t.Errorf("as JSON: %+v", o)
	}
}
