package history

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// A story is what clients have noted, told in steps, with moments in seconds:
//
//	conn NODE 1-2 ...     a further connection, and when it was answered
//	put ID TUBE 1-2       a further job, by connection 1
//	touch CONN 1-2        and other commands about that job; "as ID" names it otherwise
//	there STATE           it is found at the end, and taken out
//	found ID STATE        this is found, and not taken out; without a state it is taken out
//	gone                  nothing is found
//
// "1-" is a command without an answer; "refused" behind the moments is another answer.
type story struct {
	*testing.T
	*Ledger
}

func (s *story) tell(step string) {
	words := strings.Fields(step)
	switch words[0] {
	case "conn":
		c := &Conn{ID: len(s.conns) + 1, Node: words[1]}
		for _, w := range words[2:] {
			a := s.act(w)
			c.Answers = append(c.Answers, Span{Sent: a.Sent, Received: a.Received})
		}
		s.conns = append(s.conns, c)
		return
	case "put":
		j := &Job{Token: uint64(len(s.jobs) + 1), Tube: words[2], TTR: 10 * time.Second, Put: s.act(words[3:]...)}
		j.Put.Conn = 1
		s.scan(words[1], &j.Put.ID)
		s.jobs = append(s.jobs, j)
		return
	}
	j := s.jobs[len(s.jobs)-1]
	switch words[0] {
	case "there":
		for _, id := range j.names() {
			j.Found = append(j.Found, Found{id, words[1]}, Found{id, ""})
		}
	case "found":
		f := Found{State: strings.Join(words[2:], "")}
		s.scan(words[1], &f.ID)
		j.Found = append(j.Found, f)
	case "gone":
		j.Found = nil
	default:
		a := s.act(words[2:]...)
		a.Kind = Kind(slices.Index(kinds[:], words[0]))
		s.scan(words[1], &a.Conn)
		if a.ID == 0 {
			a.ID = j.names()[0]
		}
		j.Acts = append(j.Acts, a)
	}
}

func (s *story) scan(word string, into any) {
	if _, err := fmt.Sscan(word, into); err != nil {
		s.Fatalf("%s: %v", word, err)
	}
}

// act reads when a command was sent and answered, and how.
func (s *story) act(words ...string) Act {
	a := Act{Outcome: Done, Received: Never}
	for i, word := range words {
		switch {
		case i == 0:
			sent, received, _ := strings.Cut(word, "-")
			a.Sent = s.moment(sent)
			if a.Received = s.moment(received); a.Received == Never {
				a.Outcome = Unknown
			}
		case word == "refused":
			a.Outcome = Refused
		case word != "as":
			s.scan(word, &a.ID)
		}
	}
	return a
}

func (s *story) moment(word string) Moment {
	if word == "" {
		return Never
	}
	var seconds float64
	s.scan(word, &seconds)
	return Moment(seconds * float64(time.Second))
}

// telling is a story, and which rules it breaks.
type telling struct{ name, story, broken string }

func check(t *testing.T, all []telling) {
	for _, c := range all {
		s := &story{t, NewLedger()}
		for step := range strings.SplitSeq(c.story, "; ") {
			s.tell(step)
		}
		var rules []string
		for _, f := range s.Check() {
			rules = append(rules, f.Rule)
		}
		if got := strings.Join(slices.Compact(rules), " "); got != c.broken {
			t.Errorf("%s: broken is %q, want %q: %v", c.name, got, c.broken, s.Check())
		}
	}
}

// FR2, FR3, FR4 and FR8: stories with something wrong, and others where it only looks so.
func TestJobs(t *testing.T) {
	check(t, []telling{
		{"kept", "put 1 t 1-2; there ready", ""},
		{"lost", "put 1 t 1-2", "FR3"},
		{"there, and not taken out", "put 1 t 1-2; found 1 ready", "FR3"},
		{"a put without an answer", "put 0 t 1-", ""},
		{"deleted", "put 1 t 1-2; delete 1 3-4", ""},
		{"perhaps deleted", "put 1 t 1-2; delete 1 3-", ""},
		{"lost, its delete was refused", "put 1 t 1-2; delete 1 3-4 refused", "FR3"},
		{"deleted, and there", "put 1 t 1-2; delete 1 3-4; there ready", "FR4"},
		{"perhaps deleted, and there", "put 1 t 1-2; delete 1 3-; there ready", ""},
		{"deleted, and handed out later", "put 1 t 1-2; delete 1 3-4; reserve 1 5-6", "FR4"},
		{"deleted while a reserve was under way", "put 1 t 1-2; delete 1 3-4; reserve 2 3-6", ""},
		{"deleted twice", "put 1 t 1-2; delete 1 3-4; delete 1 3-5", "FR4"},
		{"an id given twice", "put 7 t 1-3; there ready; put 7 u 2-4; there ready", "FR2"},
		{"a put that made two jobs", "put 7 t 1-3; reserve 1 4-5 as 9; found 9 ready; found 9", "FR2"},
		{"a refused put that made a job", "put 0 t 1-3 refused; found 9 ready; found 9", "FR2"},
		{"ids that fall", "put 7 t 1-2; there ready; put 6 t 3-4; there ready", "FR2"},
		{"ids that fall while both puts are under way", "put 7 t 1-3; there ready; put 6 t 2-4; there ready", ""},
		{"ids that fall from tube to tube", "put 7 t 1-2; there ready; put 6 u 3-4; there ready", ""},
		{"buried, and handed out", "put 1 t 1-2; bury 1 3-4; reserve 2 5-6; there ready", "FR8"},
		{"buried, perhaps kicked, and handed out",
			"put 1 t 1-2; bury 1 3-4; kick-job 1 5-; reserve 2 5-6; there ready", ""},
		{"buried, and ready at the end", "put 1 t 1-2; bury 1 3-4; there ready", "FR8"},
		{"buried, and still so", "put 1 t 1-2; bury 1 3-4; there buried", ""},
	})
}

// FR5 and FR6. All stories begin with a job that connection 1 reserves between 3 and 4. The server of connection 2 is
// node a, too; both are answered often, or connection 1 is silent after that.
func TestHolders(t *testing.T) {
	const job = "; conn a 0-1 19-20; put 1 t 1-2; reserve 1 3-4; there ready"
	const held, silent = "conn a 0-1 19-19.5" + job, "conn a 0-1 3-3.5" + job
	check(t, []telling{
		{"one holder", held, ""},
		{"a second one", held + "; reserve 2 5-6", "FR5"},
		{"a second one when the TTR is over", held + "; reserve 2 5-14", ""},
		{"a second one, the first is silent", silent + "; reserve 2 5-6", ""},
		{"a second one, perhaps before the first", held + "; reserve 2 2-6", "FR5"},
		{"a second one after a release", held + "; release 1 5-7; reserve 2 5-6", ""},
		{"a second one after a release without an answer", held + "; reserve 2 5-6; release 1 5-", ""},
		{"a release proves a hold beyond the TTR", held + "; reserve 3 14-15; release 1 16-17", "FR5"},
		{"a touch proves a hold, and lengthens it", held + "; touch 1 9-10; reserve 2 14-15", "FR5"},
		{"a touch proves a hold beyond the TTR", held + "; reserve 2 14-15; touch 1 16-17", "FR5"},
		{"a release at the end of a hold", held + "; release 1 5-; reserve 2 6-7", ""},
		{"a delete by another", held + "; delete 2 5-6; gone", "FR5"},
		{"a refused delete by another", held + "; delete 2 5-6 refused", ""},
		{"its own release is refused", held + "; release 1 5-6 refused", "FR6"},
		{"it is refused after the TTR", held + "; release 1 5-13.5 refused", ""},
		{"it is refused the second time", held + "; release 1 5-6; release 1 7-8 refused", ""},
		{"it gets the job again after TTR", held + "; reserve 1 14-15", ""},
	})
}

// FR7.
func TestTerms(t *testing.T) {
	check(t, []telling{
		{"one after the other", "conn a 1-2 3-4; conn b 5-6 7-8", ""},
		{"one node, two connections", "conn a 1-2 5-6; conn a 3-4 7-8", ""},
		{"both at once", "conn a 1-2 5-6; conn b 3-4 7-8", "FR7"},
		{"an answer within the other's time", "conn a 1-2 5-6; conn b 3-4", "FR7"},
		{"both at once, each answer alone may be", "conn a 1-2 5-9; conn b 1.5-4.5 7-8", "FR7"},
		{"an answer that may have come after", "conn a 1-2 5-6; conn b 4-9", ""},
		{"an answer that may have come before", "conn a 3-4 7-8; conn b 1-5", ""},
		{"an answer that comes late", "conn a 1-2 3-9; conn b 4-5 7-8", ""},
		{"back and forth", "conn a 1-2 3-4; conn b 5-6; conn a 7-8 9-10", ""},
	})
}

// FR1, and that a ledger is written as clients do.
func TestLedger(t *testing.T) {
	b := NewLedger()
	c := b.Connect("a", 3)
	j := b.NewJob(c, "t", time.Minute)
	b.EndPut(j, Done, 5)
	sent := b.Now()
	if b.Reserved(c, sent, 5, j.Token) != j {
		t.Error("the job is not known")
	}
	b.End(j, c, Bury, sent, 5, Done, true)
	if id, got := b.TakeBuried(); id != 5 || got != j {
		t.Errorf("job %d is buried", id)
	}
	if _, got := b.TakeBuried(); got != nil {
		t.Error("it is given twice")
	}
	b.Answered(c, "", sent, 0)
	b.Found(5, 0, "buried")
	b.Found(5, j.Token, "")
	if found := b.Check(); len(found) > 0 || fmt.Sprint(b.IDs()) != "[5]" || b.Counts().Living != 1 {
		t.Error(found, b.IDs(), b.Counts())
	}
	b.End(j, c, Delete, sent, 5, Done, true)
	b.Reserved(c, b.Now()+1, 5, j.Token)
	if broken := b.Broken(); len(broken) != 1 || broken[0].Rule != "FR4" {
		t.Error("a deleted job that is handed out is not seen at once:", broken)
	}
	b = NewLedger()
	b.Reserved(c, sent, 6, 77)
	b.Found(8, 78, "ready")
	if found := b.Check(); len(found) != 2 || found[0].Rule != "FR1" || found[1].Rule != "FR1" {
		t.Error(found)
	}
}

// How long a client was without an answer: what it wanted to wait does not count, nor what was before the last look.
func TestSilence(t *testing.T) {
	const silence = time.Minute
	b := NewLedger()
	c := b.Connect("a", 3)
	later := func(d time.Duration) {
		b.begun = b.begun.Add(-d)
	}
	if len(b.Served()) > 0 {
		t.Error("it was never answered")
	}
	b.Answered(c, "", b.Now(), 0)
	later(silence)
	b.Well(silence / 2) // and then no majority is
	b.Answered(c, "", b.Now(), 0)
	later(time.Hour)
	b.Well(time.Hour)
	b.Answered(c, "", b.Now(), time.Hour)
	if s := b.Served()[3]; s.Answers != 3 || s.Silence.All < silence || s.Silence.All > time.Hour/2 ||
		s.Silence.Well != silence/2 {
		t.Errorf("%+v", s)
	}
	if gap := b.Gap(); gap.All < time.Hour+silence || gap.Well != time.Hour+silence/2 {
		t.Errorf("no put was acknowledged for %+v", gap)
	}
	if s := b.Served()[3]; s.Silence.All >= silence || s.Silence.Well != 0 {
		t.Errorf("it begins anew with %v", s.Silence)
	}
	later(time.Hour)
	if s := b.Served()[3]; s.Silence.All < time.Hour {
		t.Errorf("it goes on, and is only %v", s.Silence)
	}
}
