package console

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/storage/must"
	"beanfield/tools/server"
)

var (
	browsing = flag.Bool("browser", false, "drive the console with a browser")
	shots    = flag.Bool("shots", false, "renew the pictures for the README")
)

// bytesMost is how much the overview may ask for in a refresh.
const bytesMost = 200_000

// nightly is a schedule, for the page that shows it.
const nightly = "[[schedule]]\nname = \"nightly\"\ncron = \"0 3 * * *\"\ntube = \"reports\"\nbody = \"x\"\n"

// The steps are those of one user, in the order in which they stand here.
func TestConsole(t *testing.T) {
	if !*browsing {
		t.Skip("without -browser")
	}
	b := browse(t)
	s := newServer(t, nightly)
	fillUp(t, s)
	base := "http://" + s.Queue + "/"
	b.size(1280, 800)
	for _, step := range []struct {
		name string
		do   func(*testing.T, *browser, string)
	}{
		{"overview", overview}, {"tubes", tubes}, {"hostile", hostileBody}, {"put", putJob}, {"one job", oneJob},
		{"kick and pause", kickAndPause},
		{"search", search}, {"search all", searchAll}, {"move and purge", moveAndPurge}, {"keys", keys},
		{"samples", samples}, {"listed", listed}, {"bodies", bodies}, {"purge of tubes", purgeTubes},
		{"policies", policies}, {"slow server", slowServer}, {"one machine", oneMachine}, {"machine", machine},
		{"service", func(t *testing.T, b *browser, base string) { service(t, b, base, s) }},
		{"phone", phone}, {"accessibility", accessibility}, {"keyboard", keyboard},
		{"dialogs", func(t *testing.T, b *browser, base string) { dialogs(t, b, base, s) }},
		{"kicks", func(t *testing.T, b *browser, base string) { kicks(t, b, base, s) }},
		{"past", past}, {"latency", func(t *testing.T, b *browser, base string) { latency(t, b, base, s) }},
		{"connections", func(t *testing.T, b *browser, base string) { connections(t, b, base, s) }}, {"drain", drain},
	} {
		t.Run(step.name, func(t *testing.T) {
			b.t = t
			step.do(t, b, base)
			b.mustBeContent()
		})
	}
	b.t = t
	restart(t, b, s)
	if *shots {
		fillUp(t, s)
		traffic(t, s)
		pictures(t, b, base)
	}
}

func overview(t *testing.T, b *browser, base string) {
	b.show(base)
	b.await("the busiest tubes",
		`document.querySelectorAll("tbody tr").length === 10 && document.querySelectorAll("path.line").length >= 6`)
	drawn := b.eval(`performance.now()`)
	size := b.eval(`Math.max(...performance.getEntriesByType("resource").filter((e) => ` +
		`e.name.includes("/api/")).map((e) => e.transferSize))`)
	t.Logf("drawn after %s ms; the largest answer has %s bytes", drawn, size)
	if n, err := strconv.ParseFloat(size, 64); err != nil || n == 0 || n > bytesMost {
		t.Errorf("the overview asks for %s bytes, want at most %d", size, bytesMost)
	}
	b.await("the number of tubes", `document.querySelector(".facts").textContent.startsWith("100,007 tubes")`)
}

func tubes(t *testing.T, b *browser, base string) {
	b.show(base + "#/tubes")
	b.await("a page of tubes", `document.querySelectorAll("tbody tr").length === 50`)
	b.click("thead", "Buried")
	b.await("mail first", `document.querySelector("tbody th").textContent === "mail" && `+
		`document.querySelector("tbody td.c-buried").textContent === "7"`)
	b.click("main", "Next")
	b.await("the second page", `document.querySelector(".pager").textContent.includes("51 to 100 of 100,007")`)
	b.write("input[type=search]", "*99.events")
	b.await("what the filter shows", `document.querySelector(".facts").textContent === "1,000 of 100,007 tubes" && `+
		`document.querySelector("tbody th").textContent === "tenant-00099.events"`)
	b.write("input[type=search]", "THUMB")
	b.await("a paused tube", `document.querySelectorAll("tbody tr").length === 1 && document.querySelector(".mark").textContent.startsWith("paused, 59 minutes")`)
}

func hostileBody(t *testing.T, b *browser, base string) {
	b.show(base + "#/tube/odd")
	b.await("the body", `document.querySelector(".body pre").textContent.includes("<script>document.title='lost'</script>\\u0001\\u001b[31m")`)
	if n := b.eval(`document.querySelectorAll("main img, main script").length`); n != "0" {
		t.Errorf("a body has become %s elements", n)
	}
	b.click(".tabs", "Hex")
	b.await("bytes", `document.querySelector(".body pre").textContent.startsWith("00000000  3c 69 6d 67")`)
	if b.eval(`document.title === "odd · beanfield"`) != "true" {
		t.Errorf("the title is %s", b.eval(`document.title`))
	}
}

func putJob(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tube/new")
	b.await("no tube", `document.querySelector(".facts").textContent.startsWith("There is no such tube")`)
	b.click("main", "Put a job")
	b.field("Data", `{"a":[1,{"b":null}],"c":"<b>"}`)
	b.field("Delay, seconds", "500")
	b.field("Keep in this browser as a sample named", "my sample")
	b.click("dialog", "Put")
	b.said("is in new")
	b.await("the job", `document.querySelector(".t-delayed b").textContent === "1" && `+
		`document.querySelector("article .j-key").textContent === "a"`)
	b.click("main", "Put a job")
	b.eval(`(() => { const s = document.querySelector("dialog select"); s.value = "0"; s.dispatchEvent(new ` +
		`Event("change")) })()`)
	b.field("Delay, seconds", "0")
	b.click("dialog", "Put")
	b.await("both jobs", `document.querySelector(".t-ready b").textContent === "1" && `+
		`document.querySelector(".t-delayed b").textContent === "1"`)
}

func oneJob(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tube/new")
	b.click("article[data-state=delayed]", "Make ready")
	b.state("new", 2, 0, 0)
	b.click("article[data-state=ready]", "Bury")
	b.state("new", 1, 0, 1)
	b.click("article[data-state=ready]", "Release")
	b.field("Delay, seconds", "700")
	b.click("dialog", "Release")
	b.state("new", 0, 1, 1)
	b.click("article[data-state=buried]", "Delete")
	b.click("dialog", "Cancel")
	b.click("article[data-state=buried]", "Delete")
	b.click("dialog", "Delete")
	b.state("new", 0, 1, 0)
	b.click("article[data-state=delayed]", "Copy")
	b.click("dialog", "Put")
	b.state("new", 1, 1, 0)
}

func kickAndPause(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tube/mail")
	b.state("mail", 57, 16, 7)
	b.click("main", "Kick 1")
	b.state("mail", 58, 16, 6)
	b.click("main", "Kick N")
	b.field("How many", "2")
	b.click("dialog", "Kick")
	b.said("2 jobs are ready")
	b.state("mail", 60, 16, 4)
	b.click("main", "Kick all")
	b.await("what it does", `document.querySelector("dialog p").textContent === "The 4 buried jobs will be ready."`)
	b.click("dialog", "Kick all of them")
	b.said("Kick all in mail: 4 done")
	b.state("mail", 64, 16, 0)
	b.click("main", "Pause")
	b.field("Seconds", "100")
	b.click("dialog", "Pause")
	b.await("the pause", `document.querySelector("h1 .mark").textContent.startsWith("paused, 1 minute")`)
	b.click("main", "Unpause")
	b.await("the end of the pause", `document.querySelector("h1 .mark").hidden`)
}

func search(_ *testing.T, b *browser, base string) {
	b.show(base + "#/search")
	b.field("Tube", "orders")
	b.field("State", "all")
	b.field("Body contains", `bean-01`)
	b.click("main", "Show")
	b.await("what is found", `document.querySelectorAll("article").length === 10 && document.querySelector("section `+
		`.facts").textContent.startsWith("10 found, 60 looked at")`)
	b.eval(`(() => { window.saved = []; URL.createObjectURL = (blob) => { saved.push(blob); return "#/search" } })()`)
	b.click("main", "Save as CSV")
	b.await("a file", `saved.length === 1`)
	b.eval(`(async () => { const text = await saved[0].text(); if (text.split("\r\n").length !== 12 || ` +
		`!text.includes('""order"":1010')) throw new Error(text) })()`)
}

// searchAll looks through the jobs of all tubes, and of those that a pattern fits.
func searchAll(_ *testing.T, b *browser, base string) {
	b.show(base + "?all#/search")
	b.field("Body contains", "onerror")
	b.click("main", "Show")
	b.await("how far it is", `!document.querySelector("progress").hidden || document.querySelector("article")`)
	b.await("the one body of all tubes",
		`document.querySelectorAll("article").length === 1 && document.querySelector("article h3 a").hash === "#/tube/odd" && document.querySelector("progress").hidden`)
	b.field("Tube", "*.events")
	b.click("main", "Show")
	b.await("that there is none in these", `/^No such job among 100,[0-9]{3}$/.test(document.querySelector("section `+
		`.facts").textContent)`)
	b.field("Body contains", "x")
	b.click("main", "Show")
	b.await("the first of many", `document.querySelectorAll("article").length === 20`)
	b.click("main", "More")
	b.await("more of them", `document.querySelectorAll("article").length === 40`)
	b.field("Body contains", "nowhere")
	b.click("main", "Show")
	b.click("main", "Stop")
	b.await("the stop", `document.querySelector("section .facts").textContent.endsWith(" looked at, stopped") || `+
		`document.querySelector("section .facts").textContent.startsWith("No such job among")`)
}

func moveAndPurge(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tube/orders")
	b.state("orders", 48, 12, 0)
	b.click("main", "Move jobs")
	b.field("delayed", "") // all that the tube has is chosen in the beginning
	b.field("To tube (new or existing)", "elsewhere")
	b.click("dialog", "Move them")
	b.said("48 done")
	b.state("orders", 0, 12, 0)
	b.click("main", "Purge")
	b.await("how many", `document.querySelector("dialog .sum").textContent === "Delete 12 jobs, and those that come `+
		`meanwhile."`)
	b.click("dialog", "Delete them")
	b.said("12 done")
	b.show(base + "?2#/tube/elsewhere")
	b.state("elsewhere", 48, 0, 0)
	b.await("where a job has been", `document.querySelector("article .been").textContent.includes("left orders, `+
		`moved by somebody")`)
}

func keys(_ *testing.T, b *browser, base string) {
	b.show(base)
	for _, key := range []string{"g", "t", "/"} {
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyDown", "key": key, "text": key}, nil)
		b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
	}
	b.await("the filter", `location.hash === "#/tubes" && document.activeElement.type === "search" && `+
		`document.activeElement.value === ""`)
}

// traffic lets jobs come and go until the test ends.
func traffic(t *testing.T, s *server.Launched) {
	for k, name := range []string{"billing", "exports", "search.index"} {
		c := dial(t, s)
		c.say(use(name), "watch "+name, "ignore default")
		beat := time.NewTicker(time.Duration(15+10*k) * time.Millisecond)
		var over atomic.Bool
		var ended sync.WaitGroup
		ended.Go(func() {
			for i := 0; !over.Load(); i++ {
				<-beat.C
				for range 1 + i/200%3 {
					c.say(put(0, order(i)))
				}
				if i%7 != 0 {
					c.say(fmt.Sprintf("delete %d", c.say("reserve-with-timeout 0").Number))
				}
			}
		})
		t.Cleanup(func() {
			over.Store(true)
			ended.Wait()
			beat.Stop()
		})
	}
}

func pictures(t *testing.T, b *browser, base string) {
	must.Do(t, os.MkdirAll("shots", 0o755))
	b.show(base + "?pictures#/")
	for _, p := range []struct {
		name, theme, hash string
		width, height     int
	}{
		{"overview-light", "light", "#/", 1100, 700}, {"tube-dark", "dark", "#/tube/billing", 1100, 760},
		{"phone", "light", "#/", 390, 700},
	} {
		b.size(p.width, p.height)
		b.eval(fmt.Sprintf(`(() => { const e = document.getElementById("theme"); e.value = %q; e.dispatchEvent(new `+
			`Event("change")); location.hash = %q })()`, p.theme, p.hash))
		for length := 10; length <= 120; length += 10 {
			b.await("a line", fmt.Sprintf(`document.querySelector("path.line").getBBox().width > %d`, length))
		}
		b.shot(filepath.Join("shots", p.name+".png"))
	}
	b.size(1280, 800)
}

// slowServer looks at pages whose answers take long: they say that they wait, and go on.
func slowServer(_ *testing.T, b *browser, base string) {
	b.show(base)
	b.eval(`window.held = window.fetch; window.fetch = () => new Promise(() => {}); location.hash = "#/tubes"`)
	b.await("that the page waits",
		`document.querySelector("h1").textContent === "Tubes" && document.getElementById("wait").checkVisibility() && document.getElementById("wait").textContent === "Loading…"`)
	b.eval(`window.fetch = () => Promise.reject(new TypeError("Failed to fetch")); dispatchEvent(new Event("again"))`)
	b.await("why", `document.getElementById("wait").textContent.startsWith("the server does not answer")`)
	b.eval(`window.fetch = window.held; dispatchEvent(new Event("again"))`)
	b.await("the tubes", `document.querySelectorAll("tbody tr").length === 50 && document.getElementById("wait").hidden`)
}

// oneMachine opens the page of a cluster that is none.
func oneMachine(_ *testing.T, b *browser, base string) {
	b.show(base + "?one#/cluster")
	b.await("what it is", `document.querySelector(".missing").textContent.includes("no node of a cluster") && `+
		`document.getElementById("link").textContent === "live"`)
	b.show(base + "?one#/tube/50%")
	b.await("a name that is half an escape", `document.querySelector("h1").textContent.includes("50%")`)
}

// machine looks at the process on the page of the server.
func machine(_ *testing.T, b *browser, base string) {
	b.show(base + "?machine#/server")
	facts := `Object.fromEntries([...document.querySelectorAll("dl.jobfacts div")].map((e) => ` +
		`[e.firstChild.textContent, e.lastChild.textContent]))`
	b.await("memory, processor and descriptors", `(() => { const f = `+facts+
		`; return /^[0-9.]+ MB$/.test(f.Memory) && / % of /.test(f.Processor) && /^[0-9,]+ of [0-9,]+$/.test(f.Descriptors) && f["Last backup"].startsWith("none") })()`)
	b.await("the listeners", `document.querySelectorAll("table[aria-label=Listeners] tbody tr").length === 3`)
}

// phone makes sure that no page is wider than a phone, and nothing on it than the page.
func phone(t *testing.T, b *browser, base string) {
	b.size(390, 700)
	for _, page := range []string{"", "tubes", "tube/mail", "search", "samples", "connections", "policies", "server",
		"slow", "cluster", "tube/work"} {
		b.show(base + "?phone" + page + "#/" + page)
		b.await("the page "+page, `document.querySelector("h1")`)
		if cut := b.eval(`[...document.querySelectorAll(".card, .scroll")].filter((e) => e.scrollWidth > ` +
			`e.clientWidth).map((e) => e.textContent.slice(0, 80)).join()`); cut != `""` {
			t.Errorf("page %q has what is wider than it: %s", page, cut)
		}
		if width := b.eval(`document.documentElement.scrollWidth`); width != "390" {
			t.Errorf("page %q is %s pixels wide", page, width)
		}
	}
	b.size(1280, 800)
}

func drain(_ *testing.T, b *browser, base string) {
	b.show(base + "?3#/server")
	b.await("the shards", `document.querySelectorAll("tbody tr").length > 0`)
	b.click("main", "Drain the server")
	b.click("dialog", "Drain")
	b.await("the server drains", `document.getElementById("link").textContent === "draining"`)
}

// restart ends the server under a page, which says so, and goes on when it is there again.
func restart(t *testing.T, b *browser, s *server.Launched) {
	must.Do(t, s.Terminate(server.StopWithin))
	b.await("the loss", `document.body.classList.contains("lost") && document.getElementById("link").textContent `+
		`=== "the server does not answer"`)
	must.Do(t, s.Serve(t.Context()))
	b.await("the return", `!document.body.classList.contains("lost") && document.getElementById("link").textContent `+
		`=== "live"`)
	b.mustBeContent()
}
