package console

import (
	"fmt"
	"time"
)

// past looks at charts of a page that has just been opened: they begin with what the server
// remembers, over the span that its user has chosen.
func past(b *browser) {
	older(b, "#/")
	older(b, "#/tube/mail")
	for _, span := range []string{"1 hour", "1 day", "5 min"} {
		b.click("main", span)
		b.await("the span "+span, `document.querySelector("[aria-pressed=true].span").textContent === `+quoted(span)+
			` &&
			/^[0-9][0-9]:[0-9][0-9]$/.test(document.querySelectorAll(".chart text")[3].textContent) === `+
			map[bool]string{true: "true", false: "false"}[span != "5 min"]+
			` && (document.querySelector("path.line").getAttribute("d") !== "")`)
		if span == "1 hour" {
			b.show("?past3#/")
			b.await("the same span on another page",
				`document.querySelector("[aria-pressed=true].span").textContent === "1 hour" && document.querySelector("path.line").getAttribute("d") !== ""`)
		}
	}
	// What is between two points is drawn only if nothing is missing there.
	gaps := b.eval(`(async () => {
		const { Chart } = await import("/chart.js"), c = new Chart("x", [{ key: "k", label: "k" }]);
		c.show([[0, 1], [10, 2], [20, null], [30, 4], [90, 5], [100, 6]].map(([at, k]) => ({ at, k })), 100, { ms: 100, gap: 25 });
		const path = c.element.querySelector("path").getAttribute("d");
		return [path.match(/M/g).length, path.match(/L/g).length, c.element.querySelectorAll("circle").length].join();
	})()`)
	if gaps != `"3,2,2"` {
		b.t.Errorf("a line with gaps has %s beginnings, steps and dots", gaps)
	}
}

// older opens a page until its line begins clearly before the page does. What it shows may be only seconds old
// at first, and a page that stays grows as old as its line.
func older(b *browser, page string) {
	b.t.Helper()
	const line, begins = `document.querySelector("path.line")`,
		`(() => { const e = document.querySelector("path.line"), width = e.getBBox().width / (e.ownerSVGElement.clientWidth - 48);
		return width * 300 > performance.now() / 1000 + 5 })()`
	for i, end := 0, time.Now().Add(patience/2); ; i++ {
		b.show(fmt.Sprintf("?past-%d%s", i, page))
		b.await("a line", line+` && `+line+`.getAttribute("d") !== ""`)
		if b.eval(begins) == "true" {
			return
		}
		if time.Now().After(end) {
			b.t.Fatalf("%s: the line does not begin before the page", page)
		}
	}
}
