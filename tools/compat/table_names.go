package main

import (
	"fmt"
	"strings"
)

// nameForms are tube names, good and bad.
func nameForms() []string {
	forms := []string{
		"a", "A", "0", "9", "+", "/", ";", ".", "$", "_", "(", ")", "a-", "a-b", "+a", "(a)", "$a", "_-", ".-", "/-/", "Z9+-/;.$_()",
		"-", "-a", "--", "", " ", "  a", " a", "a ", "a  ", "a b", "a\t", "\ta", "a\n", "\na", "a\vb", "\x7f", "\x01", "a\x80", "é", "日本",
		"a!", "!", "\"", "'", "#", "%", "&", "*", ",", ":", "<", "=", ">", "?", "@", "[", "\\", "]", "^", "`", "{", "|", "}", "~",
		"default", "Default", "default ", "défault",
	}
	for _, n := range []int{1, 2, 198, 199, 200, 201, 202, 203} {
		forms = append(forms, strings.Repeat("n", n), "-"+strings.Repeat("n", n-1), strings.Repeat("n", n-1)+"!", strings.Repeat("(", n))
	}
	return forms
}

// nameCases try every name in every place where a name stands.
func nameCases() []oddCase {
	var cases []oddCase
	for _, v := range []struct{ name, form, then string }{
		{"use", "use %s", "list-tube-used\r\nlist-tubes\r\n"},
		{"watch", "watch %s", "list-tubes-watched\r\nlist-tubes\r\n"},
		{"ignore", "ignore %s", "list-tubes-watched\r\nlist-tubes\r\n"},
		{"stats-tube", "stats-tube %s", after},
		{"pause-tube", "pause-tube %s 0", "stats\r\n"},
	} {
		var lines []line
		for _, n := range nameForms() {
			lines = append(lines, line{text: fmt.Sprintf(v.form, n) + "\r\n" + v.then})
		}
		cases = append(cases, oddCase{name: "names/" + v.name, lines: lines,
			before: "w: watch a-b\nw: watch " + strings.Repeat("n", 200)})
	}
	// Bytes that are no name, one by one, so that the set is known exactly.
	var every []line
	for b := range 256 {
		if b == '\r' { // a CR in a line is a case of its own
			continue
		}
		every = append(every, line{text: "use x" + string([]byte{byte(b)}) + "y\r\n" + after})
	}
	return append(cases, oddCase{name: "names/every-byte", lines: every})
}
