package console

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// rules let everything to whoever has the token, and little to the browser.
const rules = `
[[access]]
token = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"
may = ["admin"]
[[access]]
network = "127.0.0.1"
may = ["stats"]
tubes = ["figures", "own"]
[[access]]
network = "127.0.0.1"
may = ["peek", "put", "kick"]
tubes = ["own", "blind"]
`

// putWithToken puts a job through the interface of the console, or reports false if that is not
// open yet.
func putWithToken(t *testing.T, address, tube string) bool {
	t.Helper()
	body := `{"tube":"` + tube + `","data":"x"}`
	c := must.Get(net.Dial("tcp", address))
	defer c.Close()
	fmt.Fprintf(c, "POST /api/v1/put HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer secret\r\nContent-Type: "+
		"application/json\r\nContent-Length: %d\r\n\r\n%s", address, len(body), body)
	line, err := bufio.NewReader(c).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") && !strings.HasPrefix(line, "HTTP/1.1 503") {
		t.Fatalf("a put is answered %q, %v", line, err)
	}
	return strings.HasPrefix(line, "HTTP/1.1 200")
}

// TestLimitedRights looks at a server with rules: each page shows what the client may see and do,
// nothing that would be refused, and says what is missing.
func TestLimitedRights(t *testing.T) {
	s := newServer(t, rules)
	for _, tube := range []string{"figures", "own", "blind", "hidden"} {
		for beat := time.NewTicker(10 * time.Millisecond); !putWithToken(t, s.Queue, tube); {
			<-beat.C // the console is not open yet
		}
	}
	b := browse(t, s)
	b.size(1280, 800)
	seen := `[...document.querySelectorAll("main button, main .tile, main figure, main article, main form, nav a[data-page]")].filter((e) => e.checkVisibility() && !e.closest("thead") && !e.matches(".tab, .span, .pager *"))
		.map((e) => e.matches("figure") ? "chart " + e.querySelector("h2").textContent : e.matches("article") ? "job" : e.matches("form") ? "form" : e.matches(".tile") ? "tile " + e.querySelector("span").textContent : e.textContent.trim()).join("|")`
	const nav = "Overview|Tubes|Search|Samples|Slow|Policies|"
	tiles := "tile Ready|tile Reserved|tile Delayed|tile Buried|tile Waiting workers|tile Puts/s|tile Deletes/s|"
	ofTube := "tile Ready|tile Reserved|tile Delayed|tile Buried|tile Waiting|tile Watching|tile Using|tile " +
		"Puts/s|tile Deletes/s|tile Total|chart Jobs by state|chart Jobs a second"
	for _, e := range []struct{ page, missing, seen string }{
		{"", "You see the tubes on which you have the right stats.", nav + tiles +
			"chart Jobs by state|chart Jobs a second"},
		{"tubes", "You see the tubes on which", nav + "Put a job"},
		{"tube/own", "", nav + "Put a job|Kick 1|Kick N|Kick all|" + ofTube + "|job|Copy|Keep|form|Show"},
		{"tube/figures", "You see no jobs of this tube: they need the right peek.", nav + ofTube},
		{"tube/blind", "You see no figures of this tube: they need the right stats.", nav +
			"Put a job|Kick 1|job|Copy|Keep|form|Show"},
		{"tube/hidden", "You see no figures and no jobs of this tube", nav[:len(nav)-1]},
		{"search", "The search finds jobs of the tubes on which", nav + "form|Show"},
		{"connections", "needs the right admin on all tubes", nav[:len(nav)-1]},
		{"slow", "", nav[:len(nav)-1]},
		{"policies", "All policies need the right stats on all tubes.", nav[:len(nav)-1]},
		{"server", "need the right stats on all tubes", nav[:len(nav)-1]},
	} {
		b.show("?" + e.page + "#/" + e.page)
		b.await("what is missing on "+e.page,
			`(document.querySelector("main .missing")?.textContent ?? "").startsWith(`+quoted(e.missing)+
				`) || (document.querySelector("main .missing")?.textContent ?? "").endsWith(`+quoted(e.missing+".")+`)`)
		b.await("what there is on page "+e.page, seen+" === "+quoted(e.seen))
	}
	b.show("?count#/tubes")
	b.await("the two tubes with figures",
		`[...document.querySelectorAll("tbody th a")].map((e) => e.textContent).join() === "figures,own" && document.querySelector(".facts").textContent === "2 tubes"`)
	b.mustBeContent()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.refused) > 0 {
		t.Errorf("the pages have asked for what they may not: %q", b.refused)
	}
}
