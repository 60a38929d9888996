package history

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A story is what clients have noted, in seconds.
type story struct{ *Ledger }

func tell() *story { return &story{NewLedger()} }

func at(s float64) Moment {
	if s < 0 {
		return Never
	}
	return Moment(s * float64(time.Second))
}

// conn is a connection to a node that was answered between these pairs of moments.
func (s *story) conn(node string, answers ...float64) int {
	c := &Conn{ID: len(s.conns) + 1, Node: node}
	for i := 0; i+1 < len(answers); i += 2 {
		c.Answers = append(c.Answers, Span{at(answers[i]), at(answers[i+1])})
	}
	s.conns = append(s.conns, c)
	return c.ID
}

func (s *story) put(tube string, o Outcome, id uint64, sent, received float64) *Job {
	j := &Job{Token: uint64(len(s.jobs) + 1), Tube: tube, TTR: 10 * time.Second}
	j.Put = Act{Conn: 1, Kind: Put, Outcome: o, ID: id, Sent: at(sent), Received: at(received)}
	s.jobs = append(s.jobs, j)
	return j
}

func (j *Job) act(k Kind, o Outcome, conn int, sent, received float64) {
	id := uint64(0)
	for _, n := range j.names() {
		id = n
	}
	j.Acts = append(j.Acts, Act{Conn: conn, Kind: k, Outcome: o, ID: id, Sent: at(sent), Received: at(received)})
}

func (j *Job) there(state string) {
	for _, id := range j.names() {
		j.Found = append(j.Found, Found{id, state}, Found{id, ""})
	}
}

// broken is which rules a story breaks.
func (s *story) broken() string {
	var rules []string
	for _, f := range s.Check() {
		if len(rules) == 0 || rules[len(rules)-1] != f.Rule {
			rules = append(rules, f.Rule)
		}
	}
	return strings.Join(rules, " ")
}

func expect(t *testing.T, name, want string, tale func(s *story)) {
	t.Helper()
	s := tell()
	tale(s)
	if got := s.broken(); got != want {
		t.Errorf("%s: broken is %q, want %q: %v", name, got, want, s.Check())
	}
}

// A telling is a story, and which rules it breaks.
type telling struct {
	broken string
	tale   func(s *story)
}

// ofJobs are stories with something wrong, and others where it only looks so.
var ofJobs = map[string]telling{
	"kept": {"", func(s *story) { s.put("t", Done, 1, 1, 2).there("ready") }},
	"lost": {"FR3", func(s *story) { s.put("t", Done, 1, 1, 2) }},
	"there, and not taken out": {"FR3", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.Found = []Found{{1, "ready"}}
	}},
	"a put without an answer":      {"", func(s *story) { s.put("t", Unknown, 0, 1, -1) }},
	"deleted":                      {"", func(s *story) { s.put("t", Done, 1, 1, 2).act(Delete, Done, 1, 3, 4) }},
	"perhaps deleted":              {"", func(s *story) { s.put("t", Done, 1, 1, 2).act(Delete, Unknown, 1, 3, -1) }},
	"lost, its delete was refused": {"FR3", func(s *story) { s.put("t", Done, 1, 1, 2).act(Delete, Refused, 1, 3, 4) }},
	"deleted, and there": {"FR4", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Delete, Done, 1, 3, 4)
		j.there("ready")
	}},
	"perhaps deleted, and there": {"", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Delete, Unknown, 1, 3, -1)
		j.there("ready")
	}},
	"deleted, and handed out later": {"FR4", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Delete, Done, 1, 3, 4)
		j.act(Reserve, Done, 1, 5, 6)
	}},
	"deleted while a reserve was under way": {"", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Delete, Done, 1, 3, 4)
		j.act(Reserve, Done, 2, 3, 6)
	}},
	"deleted twice": {"FR4", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Delete, Done, 1, 3, 4)
		j.act(Delete, Done, 1, 3, 5)
	}},
	"an id given twice": {"FR2", func(s *story) {
		s.put("t", Done, 7, 1, 3).there("ready")
		s.put("u", Done, 7, 2, 4).there("ready")
	}},
	"a put that made two jobs": {"FR2", func(s *story) {
		j := s.put("t", Done, 7, 1, 3)
		j.Acts = append(j.Acts, Act{Conn: 1, Kind: Reserve, Outcome: Done, ID: 9, Sent: at(4), Received: at(5)})
		j.Found = []Found{{9, "ready"}, {9, ""}}
	}},
	"a refused put that made a job": {"FR2", func(s *story) {
		j := s.put("t", Refused, 0, 1, 3)
		j.Found = []Found{{9, "ready"}, {9, ""}}
	}},
	"ids that fall": {"FR2", func(s *story) {
		s.put("t", Done, 7, 1, 2).there("ready")
		s.put("t", Done, 6, 3, 4).there("ready")
	}},
	"ids that fall while both puts are under way": {"", func(s *story) {
		s.put("t", Done, 7, 1, 3).there("ready")
		s.put("t", Done, 6, 2, 4).there("ready")
	}},
	"ids that fall from tube to tube": {"", func(s *story) {
		s.put("t", Done, 7, 1, 2).there("ready")
		s.put("u", Done, 6, 3, 4).there("ready")
	}},
	"buried, and handed out": {"FR8", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Bury, Done, 1, 3, 4)
		j.act(Reserve, Done, 2, 5, 6)
		j.there("ready")
	}},
	"buried, perhaps kicked, and handed out": {"", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Bury, Done, 1, 3, 4)
		j.act(Kick, Unknown, 1, 5, -1)
		j.act(Reserve, Done, 2, 5, 6)
		j.there("ready")
	}},
	"buried, and ready at the end": {"FR8", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Bury, Done, 1, 3, 4)
		j.there("ready")
	}},
	"buried, and still so": {"", func(s *story) {
		j := s.put("t", Done, 1, 1, 2)
		j.act(Bury, Done, 1, 3, 4)
		j.there("buried")
	}},
}

// FR2, FR3, FR4 and FR8.
func TestJobs(t *testing.T) {
	for name, c := range ofJobs {
		expect(t, name, c.broken, c.tale)
	}
}

// FR5 and FR6.
func TestHolders(t *testing.T) {
	// All stories begin with a job that connection 1 reserves between 3 and 4. The server of
	// connection 2 is node a, too; both are answered often.
	begin := func(s *story, until float64) *Job {
		s.conn("a", 0, 1, until, until+0.5)
		s.conn("a", 0, 1, 19, 20)
		j := s.put("t", Done, 1, 1, 2)
		j.act(Reserve, Done, 1, 3, 4)
		j.there("ready")
		return j
	}
	for name, c := range map[string]struct {
		broken string
		until  float64 // when connection 1 sent what was answered last
		tale   func(j *Job)
	}{
		"one holder":                             {"", 19, func(*Job) {}},
		"a second one":                           {"FR5", 19, func(j *Job) { j.act(Reserve, Done, 2, 5, 6) }},
		"a second one when the TTR is over":      {"", 19, func(j *Job) { j.act(Reserve, Done, 2, 5, 14) }},
		"a second one, the first is silent":      {"", 3, func(j *Job) { j.act(Reserve, Done, 2, 5, 6) }},
		"a second one, perhaps before the first": {"FR5", 19, func(j *Job) { j.act(Reserve, Done, 2, 2, 6) }},
		"a second one after a release": {"", 19, func(j *Job) {
			j.act(Release, Done, 1, 5, 7)
			j.act(Reserve, Done, 2, 5, 6)
		}},
		"a second one after a release without an answer": {"", 19, func(j *Job) {
			j.act(Reserve, Done, 2, 5, 6)
			j.act(Release, Unknown, 1, 5, -1)
		}},
		"a release proves a hold beyond the TTR": {"FR5", 19, func(j *Job) {
			j.act(Reserve, Done, 3, 14, 15) // and is silent then
			j.act(Release, Done, 1, 16, 17)
		}},
		"a touch proves a hold, and lengthens it": {"FR5", 19, func(j *Job) {
			j.act(Touch, Done, 1, 9, 10)
			j.act(Reserve, Done, 2, 14, 15)
		}},
		"a touch proves a hold beyond the TTR": {"FR5", 19, func(j *Job) {
			j.act(Reserve, Done, 2, 14, 15)
			j.act(Touch, Done, 1, 16, 17)
		}},
		"a release at the end of a hold": {"", 19, func(j *Job) {
			j.act(Release, Unknown, 1, 5, -1)
			j.act(Reserve, Done, 2, 6, 7)
		}},
		"a delete by another":         {"FR5", 19, func(j *Job) { j.act(Delete, Done, 2, 5, 6); j.Found = nil }},
		"a refused delete by another": {"", 19, func(j *Job) { j.act(Delete, Refused, 2, 5, 6) }},
		"its own release is refused":  {"FR6", 19, func(j *Job) { j.act(Release, Refused, 1, 5, 6) }},
		"it is refused after the TTR": {"", 19, func(j *Job) { j.act(Release, Refused, 1, 5, 13.5) }},
		"it is refused the second time": {"", 19, func(j *Job) {
			j.act(Release, Done, 1, 5, 6)
			j.act(Release, Refused, 1, 7, 8)
		}},
		"it gets the job again after TTR": {"", 19, func(j *Job) { j.act(Reserve, Done, 1, 14, 15) }},
	} {
		expect(t, name, c.broken, func(s *story) { c.tale(begin(s, c.until)) })
	}
}

// FR7.
func TestTerms(t *testing.T) {
	for name, c := range map[string]telling{
		"one after the other": {"", func(s *story) {
			s.conn("a", 1, 2, 3, 4)
			s.conn("b", 5, 6, 7, 8)
		}},
		"one node, two connections": {"", func(s *story) {
			s.conn("a", 1, 2, 5, 6)
			s.conn("a", 3, 4, 7, 8)
		}},
		"both at once": {"FR7", func(s *story) {
			s.conn("a", 1, 2, 5, 6)
			s.conn("b", 3, 4, 7, 8)
		}},
		"an answer within the other's time": {"FR7", func(s *story) {
			s.conn("a", 1, 2, 5, 6)
			s.conn("b", 3, 4)
		}},
		"both at once, each answer alone may be": {"FR7", func(s *story) {
			s.conn("a", 1, 2, 5, 9)
			s.conn("b", 1.5, 4.5, 7, 8)
		}},
		"an answer that may have come after":  {"", func(s *story) { s.conn("a", 1, 2, 5, 6); s.conn("b", 4, 9) }},
		"an answer that may have come before": {"", func(s *story) { s.conn("a", 3, 4, 7, 8); s.conn("b", 1, 5) }},
		"an answer that comes late": {"", func(s *story) {
			s.conn("a", 1, 2, 3, 9)
			s.conn("b", 4, 5, 7, 8)
		}},
		"back and forth": {"", func(s *story) { s.conn("a", 1, 2, 3, 4); s.conn("b", 5, 6); s.conn("a", 7, 8, 9, 10) }},
	} {
		expect(t, name, c.broken, c.tale)
	}
}

// FR1, and that a ledger is written as clients do.
func TestLedger(t *testing.T) {
	b := NewLedger()
	c := b.Connect("a")
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
	b.Answered(c, sent)
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
