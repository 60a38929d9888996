package protocol

import (
	"regexp"
	"strconv"
	"strings"
)

// Quoting says which strings are quoted in the replies of stats, stats-job and
// stats-tube. The names in lists are never quoted.
type Quoting uint8

const (
	// QuoteNeeded quotes what a reader of YAML 1.1 or 1.2 would not read as exactly
	// that text. Ordinary names are as 1.12 shows them, for tools that compare or
	// reuse what follows "name: ".
	QuoteNeeded Quoting = iota
	// QuoteAlways quotes all, and escapes nothing, as the newest beanstalkd does.
	QuoteAlways
	// QuoteNever quotes none, as beanstalkd 1.12 does.
	QuoteNever
)

// Text is a string as the server is set to write it. What is escaped where quotes are needed (quotes,
// backslashes, and all that is not printable ASCII) is escaped in ways that Go
// and YAML share; a byte that is not UTF-8 is read as the character of its number.
func (q Quoting) Text(s string) string {
	switch {
	case q == QuoteAlways:
		return `"` + s + `"`
	case q == QuoteNeeded && !Plain(s):
		return strconv.QuoteToASCII(s)
	}
	return s
}

// Plain says whether every reader reads a string after "key: " unchanged if it is not
// quoted. Readers differ: YAML 1.1 knows more words and forms of numbers than 1.2, and
// those in use (PyYAML, Ruby's psych, Go's yaml, js-yaml, Symfony's) go beyond both. A
// string that any of them reads as something other than itself is not plain.
func Plain(s string) bool {
	if !plainText(s) {
		return false
	}
	switch c := s[0]; {
	case c == '+' || c == '.' || '0' <= c && c <= '9':
		return !readAsNumber(s)
	case len(s) > longestWord:
		return true
	}
	return !notText[strings.ToLower(s)]
}

// indicators begin something other than text, at least for some readers.
const indicators = "-?:,[]{}#&*!|>'\"%@` "

// plainText says whether a string can be unquoted at all: it has no character that
// ends or begins something else.
func plainText(s string) bool {
	if s == "" || strings.IndexByte(indicators, s[0]) >= 0 {
		return false
	}
	before := byte(0)
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c > '~' || c == '#' && before == ' ' || c == ' ' && before == ':' {
			return false
		}
		before = c
	}
	return before != ' ' && before != ':'
}

// notText are words that some reader takes for something else, in whatever case:
// truth values, nothing, and the two special keys of YAML 1.1.
var notText = map[string]bool{
	"~": true, "null": true, "=": true, "<<": true,
	"y": true, "yes": true, "true": true, "on": true,
	"n": true, "no": true, "false": true, "off": true,
}

const longestWord = len("false")

// readAsNumber says whether a string that begins with a digit, a sign or a dot is
// a number or a time to some reader.
func readAsNumber(s string) bool {
	if strings.Trim(s, numberBytes) != "" {
		return false // spares most names the expressions below, which take a microsecond
	}
	return numberForm.MatchString(separators.Replace(s)) || oddForm.MatchString(s)
}

// numberBytes are all that numbers and times are made of.
const numberBytes = "0123456789+-._,: abcdefABCDEFxXoOinINtTZ"

// separators stand between digits: _ in YAML 1.1 and Go, and a comma in Ruby.
// Go's reader drops them anywhere.
var separators = strings.NewReplacer("_", "", ",", "")

// numberForm is a number whose radix is written as in YAML 1.1, in 1.2 or as Go has it:
// an integer, sexagesimal (1:30), a fraction (in YAML 1.1 as published with any
// number of dots), or infinite.
var numberForm = regexp.MustCompile(`^[-+]?(` +
	`0[xX][0-9a-fA-F]+|0[oO][-+]?[0-7]+|0[bB][-+]?[01]+|` +
	`[0-9]+(:[0-5]?[0-9])*(\.[0-9.]*)?([eE][-+]?[0-9]+)?|` +
	`\.[0-9.]*([eE][-+]?[0-9]+)?|` +
	`\.(?i:inf))$`)

// oddForm is the rest: not a number; a radix with nothing but separators behind
// it, which makes some readers fail; a date, even an impossible one, alone or with
// the time of day.
var oddForm = regexp.MustCompile(`^(` +
	`\.(?i:nan)|` +
	`\+?0[xXoObB][_,]+|` +
	`[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}(([Tt]| +)[0-9]+:.*)?)$`)
