package console

import (
	"io"
)

// connections looks at those who hold jobs, wait, and at all of them by the address.
func connections(b *browser) {
	worker, waiter := dial(b.t, b.server), dial(b.t, b.server)
	worker.say(use("visitors"), put(0, "one"), put(0, "two"), "watch visitors", "ignore default", "reserve")
	waiter.say("watch nothing.here", "ignore default")
	waiter.Write([]byte("reserve\r\n"))
	b.show("#/connections")
	b.await("who holds a job", `document.querySelector("tbody tr .c-held").textContent === "1" && `+
		`document.querySelector("tbody th").textContent === `+quoted(worker.LocalAddr().String()))
	b.await("what it does with tubes", `[".c-used", ".c-watching"].every((c) => document.querySelector("tbody " + c `+
		`+ " a").hash === "#/tube/visitors")`)
	b.await("none of the console's own connections", `![...document.querySelectorAll("tbody .c-face")].some((e) => `+
		`e.textContent === "http")`)
	b.write("input[type=search]", "nothing.here")
	b.await("who waits", `document.querySelectorAll("tbody tr").length === 1 && document.querySelector(".c-doing").textContent === "waiting" && document.querySelector(".facts").textContent.includes("· 1 waiting")`)
	b.write("input[type=search]", "127.0.0.1:*")
	b.click("thead", "Connected for")
	b.await("the oldest first",
		`document.querySelector("th[aria-sort=descending]").textContent.startsWith("Connected for") && document.querySelectorAll("tbody tr").length >= 2`)
	b.write("input[type=search]", "visitors")
	b.await("the worker alone",
		`document.querySelectorAll("tbody tr").length === 1 && document.querySelector("tbody th").textContent === `+
			quoted(worker.LocalAddr().String()))
	b.click("tbody", "Disconnect")
	b.click("dialog", "Disconnect")
	b.said(worker.LocalAddr().String() + " is disconnected")
	b.await("that it has gone", `document.querySelector("tbody").textContent === "No connections"`)
	if _, err := worker.Read(make([]byte, 1)); err != io.EOF {
		b.t.Errorf("a client that is disconnected reads %v", err)
	}
	waiter.Close()
}

// latency looks at how long puts take, while there are some.
func latency(b *browser) {
	c := dial(b.t, b.server)
	b.show("")
	const figure = `document.querySelector("figcaption select").closest("figure")`
	b.await("a chart of the latency", figure)
	for range 500 { // only one run of commands in 61 is measured
		c.say(put(0, "x"))
	}
	b.await("puts among what is measured", `[...document.querySelectorAll("figcaption option")].some((o) => o.value `+
		`=== "put")`)
	b.eval(`(() => { const e = document.querySelector("figcaption select"); e.value = "put"; e.dispatchEvent(new ` +
		`Event("change")) })()`)
	b.await("how long puts take", `[...`+figure+`.querySelectorAll(".legend b")].every((e) => /^[0-9.,]+ `+
		`(µs|ms|s)$/.test(e.textContent))`)
	c.say(use("default"))
	c.Close()
}
