package console

import (
	"encoding/json"
	"fmt"

	"beanfield/storage/must"
)

// What a user does with a page. Each step waits until the page is ready for it.

// click presses the button with this label inside of an element.
func (b *browser) click(in, label string) {
	b.t.Helper()
	button := fmt.Sprintf(`[...document.querySelectorAll(%s)].flatMap((e) => `+
		`[...e.querySelectorAll("button")]).find((e) => e.textContent.trim() === %s && !e.disabled && e.checkVisibility())`, quoted(in), quoted(label))
	b.await("the button "+label, button)
	b.eval(button + ".click()")
}

// write puts a text into a field, as if it were typed.
func (b *browser) write(selector, text string) {
	b.t.Helper()
	b.eval(fmt.Sprintf(`(() => { const e = document.querySelector(%s); e.value = %s; e.dispatchEvent(new `+
		`Event("input", { bubbles: true })) })()`, quoted(selector), quoted(text)))
}

// field fills in the field with this label, or turns its box over.
func (b *browser) field(label, text string) {
	b.t.Helper()
	field := fmt.Sprintf(`[...(document.querySelector("dialog[open]") || document).querySelectorAll("main label, `+
		`dialog label")].find((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data === %[1]s))`,
		quoted(label))
	b.await("the field "+label, field)
	b.eval(fmt.Sprintf(`(() => { const e = %s.querySelector("input, textarea, select"); if (e.type === "checkbox") `+
		`e.click(); else e.value = %s })()`, field, quoted(text)))
}

// said waits for the result that the page tells.
func (b *browser) said(text string) {
	b.t.Helper()
	b.await("the result", fmt.Sprintf(`document.getElementById("said").textContent.includes(%s)`, quoted(text)))
}

// state waits until the page of a tube shows so many jobs.
func (b *browser) state(tube string, ready, delayed, buried int) {
	b.t.Helper()
	b.await(tube, fmt.Sprintf(`["ready", "delayed", "buried"].map((s) => document.querySelector(".t-" + s + " `+
		`b").textContent).join() === "%d,%d,%d"`, ready, delayed, buried))
	b.await("the next jobs of "+tube,
		fmt.Sprintf(`["ready", "delayed", "buried"].filter((s) => document.querySelector("article[data-state=" + s `+
			`+ "]")).length === %d`,
			min(ready, 1)+min(delayed, 1)+min(buried, 1)))
}

// post asks the server for an action, as a page does.
func (b *browser) post(action string, say any) {
	b.t.Helper()
	body := must.Get(json.Marshal(say))
	if b.eval("location.origin + '/'") != quoted(b.base) {
		b.show("")
	}
	b.eval(fmt.Sprintf(`fetch("/api/v1/%s", { method: "POST", headers: { "Content-Type": "application/json" }, `+
		`body: %s }).then((r) => { if (!r.ok) throw new Error(r.status) })`, action, quoted(string(body))))
}

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
	b.press("Enter")
	b.await("the dialog of "+button, `document.querySelector("dialog[open]").contains(document.activeElement)`)
}

// unquoted is a text that eval has returned.
func unquoted(text string) (s string) {
	json.Unmarshal([]byte(text), &s)
	return s
}
