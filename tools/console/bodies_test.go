package console

import (
	"strings"
	"testing"
)

// samples puts a batch of the sample that putJob has kept and of one made of a job, and deletes
// them.
func samples(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tube/elsewhere")
	b.click("article[data-state=ready]", "Keep")
	b.field("Name", "an order")
	b.click("dialog", "Keep")
	b.said("Kept as an order")
	b.show(base + "?s#/samples")
	b.await("both samples", `[...document.querySelectorAll("tbody th")].map((e) => e.textContent).join() === "my `+
		`sample,an order"`)
	b.eval(`document.querySelector("[aria-label='Select my sample']").click()`)
	b.field("Times", "30")
	b.click("main", "Put selected")
	b.said("Put a batch of 30 jobs: 30 done")
	b.eval(`document.querySelector("[aria-label='Select all samples']").click()`)
	b.eval(`document.querySelector("[aria-label='Select my sample']").click()`)
	b.click("main", "Delete selected")
	b.await("what is asked", `document.querySelector("dialog p").textContent.startsWith("an order:")`)
	b.click("dialog", "Delete")
	b.await("one sample", `document.querySelectorAll("tbody th").length === 1`)
	b.show(base + "?s2#/tube/new")
	b.await("the batch", `document.querySelector(".t-delayed b").textContent === "31" && `+
		`document.querySelector(".t-ready b").textContent === "1"`)
}

// listed moves and deletes the jobs of a list.
func listed(_ *testing.T, b *browser, base string) {
	for i := range 5 {
		b.post(base, "put", map[string]any{"tube": "listed", "data": []string{"even", "odd"}[i%2]})
	}
	b.show(base + "?listed#/search")
	b.field("Tube", "listed")
	b.field("Body contains", "even")
	b.click("main", "Show")
	b.await("three jobs", `document.querySelectorAll("article").length === 3`)
	b.click("article", "Move")
	b.field("To tube (new or existing)", "listed.one")
	b.click("dialog", "Move")
	b.await("what has become of it", `document.querySelector("article").textContent.includes("in listed.one")`)
	b.click("main", "Show")
	b.await("two jobs", `document.querySelectorAll("article").length === 2`)
	b.click("main", "Move these")
	b.field("To tube (new or existing)", "listed.two")
	b.field("Delay, seconds", "77")
	b.click("dialog", "Move")
	b.said("Move to listed.two: 2 done")
	b.await("none is left", `document.querySelector("section .facts").textContent.startsWith("No such job")`)
	b.field("Body contains", "")
	b.click("main", "Show")
	b.await("the others", `document.querySelectorAll("article").length === 2`)
	b.click("main", "Delete these")
	b.click("dialog", "Delete")
	b.said("Delete: 2 done")
	b.show(base + "?listed2#/tube/listed.two")
	b.state("listed.two", 0, 2, 0)
}

// purgeTubes deletes jobs of all tubes that a filter shows.
func purgeTubes(_ *testing.T, b *browser, base string) {
	b.show(base + "#/tubes")
	b.write("input[type=search]", "tenant-0010*.events")
	b.await("ten tubes", `document.querySelector(".facts").textContent.startsWith("10 of 100,0")`)
	b.click("main", "Purge these")
	b.await("how many", `document.querySelector("dialog .sum").textContent === "Delete 10 jobs, and those that come `+
		`meanwhile."`)
	b.click("dialog", "Delete them")
	b.said("Purge 10 tubes: 10 done")
	b.await("no tubes", `document.querySelector(".facts").textContent.startsWith("0 of ")`)
}

// What php's serialize makes of an object with a public, a protected and a private property,
// as Laravel and others put it into JSON; the same in base64; and what only begins like it.
const (
	phpObject = `O:4:"Mail":4:{s:2:"to";s:3:"a@b";s:4:"` + "\x00*\x00" + `n";i:3;s:7:"` + "\x00Mail\x00" +
		`z";N;s:4:"list";a:3:{i:0;i:1;i:1;d:2.5;i:2;b:1;}}`
	phpInJSON = `{"displayName":"Mail","data":{"command":"O:4:\"Mail\":4:{s:2:\"to\";s:3:\"a@b\";s:4:\"\u0000*\u0000n\";i:3;s:7:\"\u0000Mail\u0000z\";N;s:4:\"list\";a:3:{i:0;i:1;i:1;d:2.5;i:2;b:1;}}"}}`
	phpBase64 = `YToxOntzOjE6ImsiO3M6Mjoiw7wiO30=`
	notPHP    = `a:1:{s:1:"k";s:99:"too short";}`
	hostPHP   = `a:1:{s:8:"<b>k</b>";O:12:"<i>Class</i>":0:{}}`
)

// bodies looks at bodies with other forms below.
func bodies(t *testing.T, b *browser, base string) {
	for _, e := range []struct{ tube, body, tab, text string }{
		{"php", phpObject, "PHP", "Mail { 4 keys }\nto: \"a@b\"\nn (protected): 3\nz (private to Mail): " +
			"null\nlist:\n[ 3 elements ]\n1\n2.5\ntrue"},
		{"phpjson", phpInJSON, "JSON", "{ 2 keys }\ndisplayName: \"Mail\"\ndata:\n{ 1 key }\ncommand:\nPHP in a text"},
		{"phpbase64", phpBase64, "Base64 decoded, PHP", "{ 1 key }\nk: \"ü\""},
		{"jsonbase64", "eyJpbm5lciI6MX0=", "Base64 decoded, JSON", "{ 1 key }\ninner: 1"},
		{"textbase64", "aGVsbG8gd29ybGQ=", "Base64 decoded", "hello world"},
		{"notphp", notPHP, "Text", notPHP},
		{"word", "password", "Text", "password"},
		{"deep", strings.Repeat("[", 2000) + strings.Repeat("]", 2000), "JSON",
			"[ 1 element ]\n[ 1 element ]\n[ 1 element ]"},
		{"hostphp", hostPHP, "PHP", "{ 1 key }\n<b>k</b>: <i>Class</i>"},
	} {
		b.post(base, "put", map[string]any{"tube": "bodies." + e.tube, "data": e.body})
		b.show(base + "?" + e.tube + "#/tube/bodies." + e.tube)
		b.await("the body", `document.querySelector(".body") !== null`)
		if tab := b.eval(`[...document.querySelectorAll(".tab")].map((e) => e.textContent).join("|")`); e.tab == "Text" && tab != `"Text|Hex"` {
			t.Errorf("%s can be shown as %s", e.tube, tab)
		}
		b.click(".tabs", e.tab)
		if is := b.eval(`document.querySelector(".body").innerText.replace(/[ \u00a0]+/g, " ").replace(/\s*\n\s*/g, ` +
			`"\n").trim().replace(/▸|▾/g, "")`); unquoted(is) != e.text {
			t.Errorf("%s is shown as %s, want %q", e.tube, is, e.text)
		}
	}
	if n := b.eval(`document.querySelectorAll(".body b, .body i").length`); n != "0" {
		t.Errorf("a body has become %s elements", n)
	}
}
