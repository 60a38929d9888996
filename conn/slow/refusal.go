package slow

import (
	"regexp"
	"strings"
	"time"
)

// Refusal is a command that was refused because of what the client sent, or may not do.
type Refusal struct {
	At     time.Time
	Client string // where it has come from
	Who    string // by the rules; "" without rules
	Line   string // as it came, or as much as is still known of it
	Reason Reason
}

// Reason is why a command was refused.
type Reason uint8

// The reasons.
const (
	Unknown   Reason = iota // no such command
	Malformed               // an argument of the line
	LongLine
	Option // a name or value behind the arguments, or arguments that do not go together
	Body   // of a command whose body says what it is to do
	NoCRLF // behind a body
	TooBig
	Right    // it is missing
	Token    // nobody knows it
	Exposed  // the body of a put shows a token that a rule knows
	Together // jobs that are to be put together are in several shards, or have the same key
	Reasons
)

var reasonWords = [Reasons]string{
	"unknown command", "malformed line", "line too long", "wrong option", "malformed body", "no CRLF behind the body",
	"body too big",
	"right missing", "unknown token", "body shows a token", "jobs cannot be put together",
}

func (r Reason) String() string { return reasonWords[r] }

// commandWord is what a command may begin with. Tokens that are issued are longer.
var commandWord = regexp.MustCompile(`^[ \t]*([A-Za-z0-9_-]{1,31})(?:[^A-Za-z0-9_-]|$)`)

// Refuse remembers a refusal, but no token that its line has. A line that is no command may have one anywhere, so no
// more than its first word is kept.
func (l *Log) Refuse(r Refusal) {
	if l == nil {
		return
	}
	word := ""
	if m := commandWord.FindStringSubmatch(r.Line); m != nil {
		word = m[1]
	}
	login := strings.EqualFold(word, "auth") || strings.EqualFold(word, "oauth")
	if (login || r.Reason == Unknown || r.Reason == LongLine) && r.Line != word {
		r.Line = strings.TrimSpace(word + " ...")
	}
	l.reasons[r.Reason].Add(1)
	l.refusals.add(r)
}

// Refused are the refusals that are remembered, the latest first.
func (l *Log) Refused() []Refusal { return l.refusals.list() }

// ByReason is how often commands were refused, by reason.
func (l *Log) ByReason() map[string]uint64 {
	m := map[string]uint64{}
	for r := range Reasons {
		m[r.String()] = l.reasons[r].Load()
	}
	return m
}
