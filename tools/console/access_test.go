package console

import (
	"fmt"
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
func accessibility(b *browser) {
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
		b.show("?heard" + p.page + "#/" + p.page)
		b.await("the page "+p.page, p.ready)
		roles := b.heard("page " + p.page)
		for role, n := range p.want {
			if roles[role] < n {
				b.t.Errorf("page %q has %d elements that are %ss, want %d", p.page, roles[role], role, n)
			}
		}
		for role, n := range map[string]int{"main": 1, "banner": 1, "navigation": 1, "status": 2} {
			if roles[role] != n {
				b.t.Errorf("page %q has %d elements that are %ss, want %d", p.page, roles[role], role, n)
			}
		}
		if n := b.eval(`document.querySelectorAll("h1").length + "," + document.querySelectorAll("nav ` +
			`[aria-current=page]").length`); n != `"1,1"` {
			b.t.Errorf("page %q has %s first headings and marks in the navigation", p.page, n)
		}
	}
}

// press presses a key: one with a name, or a letter.
func (b *browser) press(key string) {
	b.t.Helper()
	text := map[string]string{"Tab": "", "Enter": "\r", "Escape": ""}
	if _, named := text[key]; !named {
		text[key] = key
	}
	code := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27}[key]
	for _, kind := range []string{"keyDown", "keyUp"} {
		say := map[string]any{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if kind == "keyDown" && text[key] != "" {
			say["text"] = text[key]
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
		b.press("Tab")
	}
	b.t.Fatalf("Tab does not come to %s, %s", selector, label)
}
