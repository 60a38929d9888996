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
	s := newServer(t, nightly)
	b := browse(t, s)
	fillUp(t, s)
	b.size(1280, 800)
	for _, step := range steps {
		t.Run(step.name, func(t *testing.T) {
			b.t = t
			b.play(step.script)
			if step.do != nil {
				step.do(b)
			}
			b.mustBeContent()
		})
	}
	b.t = t
	b.restart()
	if *shots {
		fillUp(t, s)
		traffic(t, s)
		pictures(b)
	}
}

func overview(b *browser) {
	b.show("")
	b.await("the busiest tubes",
		`document.querySelectorAll("tbody tr").length === 10 && document.querySelectorAll("path.line").length >= 6`)
	drawn := b.eval(`performance.now()`)
	size := b.eval(`Math.max(...performance.getEntriesByType("resource").filter((e) => ` +
		`e.name.includes("/api/")).map((e) => e.transferSize))`)
	b.t.Logf("drawn after %s ms; the largest answer has %s bytes", drawn, size)
	if n, err := strconv.ParseFloat(size, 64); err != nil || n == 0 || n > bytesMost {
		b.t.Errorf("the overview asks for %s bytes, want at most %d", size, bytesMost)
	}
	b.await("the number of tubes", `document.querySelector(".facts").textContent.startsWith("100,007 tubes")`)
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

func pictures(b *browser) {
	must.Do(b.t, os.MkdirAll("shots", 0o755))
	b.show("?pictures#/")
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

// phone makes sure that no page is wider than a phone, and nothing on it than the page.
func phone(b *browser) {
	b.size(390, 700)
	for _, page := range []string{"", "tubes", "tube/mail", "search", "samples", "connections", "policies", "server",
		"slow", "cluster", "tube/work"} {
		b.show("?phone" + page + "#/" + page)
		b.await("the page "+page, `document.querySelector("h1")`)
		if cut := b.eval(`[...document.querySelectorAll(".card, .scroll")].filter((e) => e.scrollWidth > ` +
			`e.clientWidth).map((e) => e.textContent.slice(0, 80)).join()`); cut != `""` {
			b.t.Errorf("page %q has what is wider than it: %s", page, cut)
		}
		if width := b.eval(`document.documentElement.scrollWidth`); width != "390" {
			b.t.Errorf("page %q is %s pixels wide", page, width)
		}
	}
	b.size(1280, 800)
}

// restart ends the server under a page, which says so, and goes on when it is there again.
func (b *browser) restart() {
	must.Do(b.t, b.server.Terminate(server.StopWithin))
	b.await("the loss", `document.body.classList.contains("lost") && document.getElementById("link").textContent `+
		`=== "the server does not answer"`)
	must.Do(b.t, b.server.Serve(b.t.Context()))
	b.await("the return", `!document.body.classList.contains("lost") && document.getElementById("link").textContent `+
		`=== "live"`)
	b.mustBeContent()
}
