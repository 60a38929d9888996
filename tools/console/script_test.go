package console

import (
	"encoding/json"
	"fmt"
	"strings"
)

// play does what a script says, line by line:
//
//	show PAGE               opens it
//	await WHAT | SCRIPT     waits until it is true; WHAT names it if it does not become so
//	is VALUE | SCRIPT       checks what it comes to
//	eval SCRIPT             runs it
//	click IN | LABEL        presses a button
//	open LABEL              presses a button that has a dialog, by the keyboard
//	write SELECTOR | TEXT   types a text
//	field LABEL | TEXT      fills in a field, or turns a box over; "\n" is a new line
//	press KEY, hold         presses a key; holds Enter down
//	tab SELECTOR | LABEL    presses Tab until the focus is there
//	said TEXT               waits for the result that the page tells
//	state TUBE 1 2 3        waits until so many jobs are shown as ready, delayed and buried
//	heard ROLE              checks that there is one such element for assistive technology
//	post ACTION | JSON      acts as a page of somebody else does
//	put TUBE DELAY BODY     puts a job by the protocol
func (b *browser) play(script string) {
	b.t.Helper()
	verbs := b.verbs()
	for line := range strings.Lines(strings.TrimSpace(script)) {
		verb, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		first, second, _ := strings.Cut(rest, " |")
		if do := verbs[verb]; do != nil {
			do(rest)
		} else if do := verbs2[verb]; do != nil {
			do(b, first, strings.TrimPrefix(second, " "))
		} else if verb != "" {
			b.t.Fatalf("no such line in a script: %s", line)
		}
	}
}

// verbs are those with one argument, or with words.
func (b *browser) verbs() map[string]func(rest string) {
	var c *client // of puts, until the script ends
	return map[string]func(string){
		"show": b.show, "open": b.open, "press": b.press, "said": b.said,
		"eval": func(script string) { b.eval(script) },
		"hold": func(string) { b.hold() },
		"state": func(rest string) {
			var tube string
			var ready, delayed, buried int
			fmt.Sscan(rest, &tube, &ready, &delayed, &buried)
			b.state(tube, ready, delayed, buried)
		},
		"heard": func(role string) {
			if roles := b.heard("the page"); roles[role] != 1 {
				b.t.Errorf("a %s is heard as %v", role, roles)
			}
		},
		"put": func(rest string) {
			if c == nil {
				c = dial(b.t, b.server)
			}
			var tube, body string
			var delay int
			fmt.Sscan(rest, &tube, &delay, &body)
			c.say(use(tube), put(delay, body))
		},
	}
}

// verbs2 are those with two.
var verbs2 = map[string]func(b *browser, first, second string){
	"await": (*browser).await, "click": (*browser).click, "write": (*browser).write, "tab": (*browser).tabTo,
	"field": func(b *browser, label, text string) { b.field(label, strings.ReplaceAll(text, `\n`, "\n")) },
	"post":  func(b *browser, action, say string) { b.post(action, json.RawMessage(say)) },
	"is": func(b *browser, want, script string) {
		if is := b.eval(script); is != want {
			b.t.Errorf("%s is %s, want %s", script, is, want)
		}
	},
}
