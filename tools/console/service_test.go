package console

import (
	"bufio"
	"fmt"
	"net"
	"strings"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

// watch makes a consumer over plain HTTP, which stays until the connection is closed.
func watch(t *testing.T, s *server.Launched, queue, group, user, parameters string) net.Conn {
	t.Helper()
	c := must.Get(net.Dial("tcp", s.TLS))
	t.Cleanup(func() { c.Close() })
	fmt.Fprintf(c, "GET /api/predict/%s?_watch_=true&%s HTTP/1.1\r\nHost: localhost\r\nX-EAS-QueueService-Uid: "+
		"%s\r\nX-EAS-QueueService-Gid: %s\r\n\r\n", queue, parameters, user, group)
	if line, err := bufio.NewReader(c).ReadString('\n'); err != nil || !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Fatalf("a watch is answered %q, %v", line, err)
	}
	return c
}

// service looks at what the queue service knows of a tube, and at its consumers' connections.
func service(b *browser) {
	c := dial(b.t, b.server)
	c.say(use("work"), put(0, "1"), put(0, "2"), put(0, "3"), put(0, "4"))
	first := watch(b.t, b.server, "work", "eas", "u1", "_window_=3")
	watch(b.t, b.server, "work", "eas", "u2", "_window_=2")
	watch(b.t, b.server, "work", "audit", "a1", "_auto_commit_=true")
	b.show("#/tube/work")
	rows := func(table string, cells int) string {
		return fmt.Sprintf(`[...document.querySelectorAll("table.%s tbody tr")].map((r) => [...r.children].slice(0, `+
			`%d).map((e) => e.textContent).join(" ")).join("|")`, table, cells)
	}
	b.await("consumers with status, pending, window and free slots",
		rows("consumers", 5)+` === "eas.u1 Running 3 3 0|eas.u2 Running 1 2 1|audit.a1 Running 0 auto-commit "`)
	b.await("groups with consumers and pending items", rows("groups", 3)+` === "eas 2 4|audit 1 0"`)
	facts := `Object.fromEntries([...document.querySelectorAll("dl.jobfacts div")].map((e) => ` +
		`[e.firstChild.textContent, e.lastChild.textContent]))`
	b.await("the queue's state and policies", `(() => { const f = `+facts+
		`; return f.Items === "4" && f.State === "open" && f["Dead letters"] === "rear" && f.Deliveries !== undefined })()`)
	b.show("?service#/connections")
	b.write("input[type=search]", "work eas.u1")
	b.await("the consumer's connection",
		`document.querySelectorAll("tbody tr").length === 1 && document.querySelector(".c-doing").textContent === "consuming" &&
		document.querySelector(".c-held").textContent === "3" && document.querySelector(".c-face").textContent === "queue service"`)
	first.Close()
	b.show("?service2#/tube/work")
	b.await("that a consumer has left", `!`+rows("consumers", 1)+`.includes("eas.u1") || `+rows("consumers", 2)+
		`.includes("eas.u1 ") && !`+rows("consumers", 2)+`.includes("eas.u1 Running")`)
	c.Close()
}

// TestReadOnly looks at a server whose console only shows: nothing that acts is there, and the
// server would refuse it.
func TestReadOnly(t *testing.T) {
	s := newServer(t, "[http]\nread_only = true\n")
	c := dial(t, s)
	c.say(use("a"), put(0, "x"), put(1000, "y"))
	b := browse(t, s)
	for _, page := range []string{"", "tubes", "tube/a", "search", "samples", "connections", "server"} {
		b.show("?" + page + "#/" + page)
		b.await("what the page is about",
			`document.querySelector("h1") && document.getElementById("link").textContent === "read only"`)
		if page == "tube/a" {
			b.await("the jobs", `document.querySelectorAll("article").length === 2`)
		}
		acts := `[...document.querySelectorAll("button:not(th *)")].filter((e) => e.checkVisibility() && ` +
			`/^(Put|Kick|Pause|Unpause|Move|Purge|Bury|Release|Delete|Copy|Make ready|Drain)/.test(e.textContent) && e.textContent !== "Delete selected").map((e) => e.textContent).join()`
		if is := b.eval(acts); is != `""` {
			t.Errorf("page %q has the buttons %s", page, is)
		}
	}
	if is := b.eval(`fetch("/api/v1/delete", { method: "POST", headers: { "Content-Type": "application/json" }, ` +
		`body: '{"id":1}' }).then((r) => r.status)`); is != "403" {
		t.Errorf("a page that deletes is answered %s", is)
	}
	b.mustBeContent()
}
