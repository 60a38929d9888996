package console

import "strings"

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
func bodies(b *browser) {
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
		b.post("put", map[string]any{"tube": "bodies." + e.tube, "data": e.body})
		b.show("?" + e.tube + "#/tube/bodies." + e.tube)
		b.await("the body", `document.querySelector(".body") !== null`)
		if tab := b.eval(`[...document.querySelectorAll(".tab")].map((e) => e.textContent).join("|")`); e.tab == "Text" && tab != `"Text|Hex"` {
			b.t.Errorf("%s can be shown as %s", e.tube, tab)
		}
		b.click(".tabs", e.tab)
		if is := b.eval(`document.querySelector(".body").innerText.replace(/[ \u00a0]+/g, " ").replace(/\s*\n\s*/g, ` +
			`"\n").trim().replace(/▸|▾/g, "")`); unquoted(is) != e.text {
			b.t.Errorf("%s is shown as %s, want %q", e.tube, is, e.text)
		}
	}
	if n := b.eval(`document.querySelectorAll(".body b, .body i").length`); n != "0" {
		b.t.Errorf("a body has become %s elements", n)
	}
}
