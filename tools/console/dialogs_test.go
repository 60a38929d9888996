package console

import (
	"strings"
	"testing"

	"beanfield/tools/server"
)

// hold presses Enter as a key does that is held down.
func (b *browser) hold() {
	b.t.Helper()
	say := map[string]any{"type": "keyDown", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r",
		"autoRepeat": true}
	b.call("Input.dispatchKeyEvent", say, nil)
}

// open presses a button of the page, and waits for its dialog to have the focus.
func (b *browser) open(button string) {
	b.t.Helper()
	b.await("the button "+button, `[...document.querySelectorAll("main button")].find((e) => e.textContent === `+
		quoted(button)+` && e.checkVisibility() && !e.disabled)?.focus() || document.activeElement.textContent === `+
		quoted(button))
	b.press("Enter", "\r")
	b.await("the dialog of "+button, `document.querySelector("dialog[open]").contains(document.activeElement)`)
}

const noDialog = `!document.querySelector("dialog")`

// dialogs are answered with keys, tell how many jobs there are while they are open, and stay open
// if something is wrong.
func dialogs(t *testing.T, b *browser, base string, s *server.Launched) {
	c := dial(t, s)
	c.say(use("keys"), put(0, "1"), put(0, "2"), put(5000, "3"))
	b.show(base + "?dialogs#/tube/keys")
	b.state("keys", 2, 1, 0)
	b.open("Move jobs")
	b.await("all that the tube has, chosen",
		`[...document.querySelectorAll("dialog input[type=checkbox]")].map((e) => e.checked).join() === "true,true,false" &&
		document.querySelector("dialog .sum").textContent === "Move 3 jobs, and those that come meanwhile."`)
	for name, reason := range map[string]string{"-bad": "A tube's name has", "b d": "A tube's name has",
		"keys": "in this tube already"} {
		b.write("dialog input:not([type])", name)
		b.press("Enter", "\r")
		b.await("what is wrong with "+name,
			`document.querySelector("dialog[open] [role=alert]:not([hidden])").textContent.includes(`+quoted(reason)+
				`)`)
	}
	b.write("dialog input:not([type])", "keys.moved")
	b.await("no reason any more", `document.querySelector("dialog[open] [role=alert]").hidden`)
	b.hold()
	b.field("delayed", "")
	b.await("fewer jobs", `document.querySelector("dialog .sum").textContent.startsWith("Move 2 jobs")`)
	b.eval(`document.querySelector("dialog input:not([type])").focus()`)
	b.press("Enter", "\r")
	b.said("Move to keys.moved: 2 done")
	b.state("keys", 0, 1, 0)

	b.open("Purge")
	b.press("Escape", "")
	b.await("that nothing is done, and the focus where it was", noDialog+
		` && document.activeElement.textContent === "Purge"`)
	b.state("keys", 0, 1, 0)
	b.open("Purge")
	b.await("one job", `document.querySelector("dialog .sum").textContent.startsWith("Delete 1 job,")`)
	c.say(put(6000, "4"))
	b.await("another one", `document.querySelector("dialog .sum").textContent.startsWith("Delete 2 jobs,")`)
	b.press("Enter", "\r")
	b.said("Purge of keys: 2 done")

	b.open("Put a job")
	b.eval(`document.querySelectorAll("dialog input")[0].focus()`)
	b.press("Enter", "\r")
	b.press("Enter", "\r") // a second time, while the first is under way or just over
	b.said("is in keys")
	b.press("Escape", "")
	b.await("one job", noDialog+` && document.querySelector(".t-ready b").textContent === "1" && `+
		`document.querySelector(".t-total b").textContent === "5"`)
	b.open("Put a job")
	b.field("Data", strings.Repeat("x", 1<<17))
	b.click("dialog", "Put")
	b.await("why it is refused, beside what was typed",
		`document.querySelector("dialog[open] [role=alert]").textContent.includes("limits.max_job_size") && document.querySelector("dialog textarea").value.length === 131072`)
	b.click("dialog", "Cancel")
	b.await("the end of the dialog", noDialog)
}

// kicks say which jobs they take, and take no others.
func kicks(t *testing.T, b *browser, base string, s *server.Launched) {
	c := dial(t, s)
	c.say(use("kicked"), put(5000, "1"), put(5000, "2"), "watch kicked", "ignore default")
	b.show(base + "?kicks#/tube/kicked")
	b.state("kicked", 0, 2, 0)
	b.open("Kick all")
	b.await("what it would do", `document.querySelector("dialog p").textContent === "The 2 delayed jobs will be `+
		`ready. No job is buried."`)
	b.press("Escape", "")
	b.await("the end of the dialog", noDialog)
	b.click("article[data-state=delayed]", "Bury")
	b.state("kicked", 0, 1, 1)
	b.open("Kick N")
	b.await("the buried one", `document.querySelector("dialog p").textContent === "The 1 buried job will be ready."`)
	b.post(base, "kick", map[string]any{"tube": "kicked", "count": 1}) // by somebody else
	b.await("that it has gone", `document.querySelector("dialog p").textContent === "There are no buried jobs any `+
		`more." && document.querySelector("dialog .primary").disabled`)
	b.press("Enter", "\r")
	b.eval(`document.querySelector("dialog form").requestSubmit()`) // as a click that was faster than the page
	b.said("0 jobs are ready")
	b.state("kicked", 1, 1, 0)
}
