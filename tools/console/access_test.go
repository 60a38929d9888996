package console

import (
	"fmt"
	"testing"
)

// axNode is what assistive technology is told of an element.
type axNode struct {
	Ignored    bool
	Role, Name struct{ Value any }
	Properties []struct {
		Name  string
		Value struct{ Value any }
	}
}

func (n *axNode) role() string { return fmt.Sprint(n.Role.Value) }
func (n *axNode) name() string { s, _ := n.Name.Value.(string); return s }

// mustBeNamed are roles of which nobody knows what they are for without a name.
var mustBeNamed = map[string]bool{
	"button": true, "link": true, "textbox": true, "searchbox": true, "combobox": true, "checkbox": true,
	"spinbutton": true, "dialog": true,
	"image": true, "img": true, "navigation": true, "table": true, "columnheader": true, "rowheader": true,
	"article": true, "progressbar": true, "meter": true,
	"heading": true, "region": true, "DisclosureTriangle": true,
}

// heard checks what assistive technology is told of the page, and returns how many elements of
// each role there are.
func (b *browser) heard(what string) map[string]int {
	b.t.Helper()
	var tree struct{ Nodes []axNode }
	b.call("Accessibility.getFullAXTree", nil, &tree)
	roles := map[string]int{}
	for _, n := range tree.Nodes {
		if n.Ignored {
			continue
		}
		roles[n.role()]++
		if mustBeNamed[n.role()] && n.name() == "" {
			b.t.Errorf("%s: a %s has no name: %v", what, n.role(), n.Properties)
		}
	}
	return roles
}

// accessibility goes through all pages as somebody does who hears them.
func accessibility(t *testing.T, b *browser, base string) {
	for _, p := range []struct {
		page, ready string
		want        map[string]int // at least
	}{
		{"", `document.querySelector("tbody th")`, map[string]int{"table": 1, "image": 3, "columnheader": 8,
			"rowheader": 10}},
		{"tubes", `document.querySelector("tbody th")`, map[string]int{"searchbox": 1, "table": 1, "columnheader": 9,
			"rowheader": 50}},
		{"tube/mail", `document.querySelector("article")`, map[string]int{"article": 1, "image": 1, "combobox": 3}},
		{"tube/work", `document.querySelector("table.groups")`, map[string]int{"table": 2, "rowheader": 3}},
		{"search", `document.querySelector("form")`, map[string]int{"textbox": 1, "searchbox": 1, "combobox": 4}},
		{"samples", `document.querySelector("tbody tr")`, map[string]int{"table": 1, "checkbox": 1, "spinbutton": 1}},
		{"connections", `document.querySelector("tbody th")`, map[string]int{"searchbox": 1, "table": 1,
			"columnheader": 11, "rowheader": 1}},
		{"policies", `document.querySelector("tbody th")`, map[string]int{"table": 2, "columnheader": 15,
			"rowheader": 3}},
		{"server", `document.querySelector("tbody th")`, map[string]int{"table": 1, "meter": 1}},
	} {
		b.show(base + "?heard" + p.page + "#/" + p.page)
		b.await("the page "+p.page, p.ready)
		roles := b.heard("page " + p.page)
		for role, n := range p.want {
			if roles[role] < n {
				t.Errorf("page %q has %d elements that are %ss, want %d", p.page, roles[role], role, n)
			}
		}
		for role, n := range map[string]int{"main": 1, "banner": 1, "navigation": 1, "status": 2} {
			if roles[role] != n {
				t.Errorf("page %q has %d elements that are %ss, want %d", p.page, roles[role], role, n)
			}
		}
		if n := b.eval(`document.querySelectorAll("h1").length + "," + document.querySelectorAll("nav ` +
			`[aria-current=page]").length`); n != `"1,1"` {
			t.Errorf("page %q has %s first headings and marks in the navigation", p.page, n)
		}
	}
}

// press presses a key.
func (b *browser) press(key, text string) {
	b.t.Helper()
	code := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27, " ": 32}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		say := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if kind == "keyDown" && text != "" {
			say["text"] = text
		}
		b.call("Input.dispatchKeyEvent", say, nil)
	}
}

// tabTo presses Tab until the focus is where a selector and a label say.
func (b *browser) tabTo(selector, label string) {
	b.t.Helper()
	here := fmt.Sprintf(`document.activeElement.matches(%s) && document.activeElement.textContent.trim() === %s`,
		quoted(selector), quoted(label))
	for range 200 {
		if b.eval(here) == "true" {
			return
		}
		b.press("Tab", "")
	}
	b.t.Fatalf("Tab does not come to %s, %s", selector, label)
}

// keyboard works on a tube without a mouse. The focus is never lost.
func keyboard(t *testing.T, b *browser, base string) {
	b.post(base, "put", map[string]any{"tube": "by.keys", "data": "first"})
	b.post(base, "put", map[string]any{"tube": "by.keys", "data": "second"})
	b.show(base + "?keyboard#/tube/by.keys")
	b.state("by.keys", 2, 0, 0)
	b.tabTo("main button", "Pause")
	b.press("Enter", "\r")
	b.await("a dialog with the focus", `document.querySelector("dialog[open]").contains(document.activeElement)`)
	if roles := b.heard("a dialog"); roles["dialog"] != 1 {
		t.Errorf("a dialog is heard as %v", roles)
	}
	b.press("Escape", "")
	b.await("the focus where it was", `!document.querySelector("dialog") && document.activeElement.textContent === `+
		`"Pause"`)
	b.tabTo("article button", "Delete")
	b.press("Enter", "\r")
	b.await("the question", `document.querySelector("dialog[open]")`)
	b.tabTo("dialog button", "Delete")
	b.press("Enter", "\r")
	b.said("is deleted")
	b.await("the focus beside the jobs", `document.activeElement.getAttribute("aria-label") === "Next jobs"`)
	b.await("the next job", `document.querySelector("article .body").textContent.includes("second")`)
	b.tabTo("nav a", "Tubes")
	b.press("Enter", "\r")
	b.await("the page of tubes, with the focus", `location.hash === "#/tubes" && document.activeElement.id === "main"`)
}
