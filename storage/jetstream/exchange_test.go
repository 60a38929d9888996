package jetstream

import (
	"fmt"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"beanfield/storage/lanes"
)

// told writes down what a handler is told.
type told []string

func (h *told) Appended(id, seq uint64) { *h = append(*h, fmt.Sprint("appended ", id, " at ", seq)) }
func (h *told) Refused(id, end uint64)  { *h = append(*h, fmt.Sprint("refused ", id, " at ", end)) }
func (h *told) Failed(id uint64, _ error) {
	*h = append(*h, fmt.Sprint("failed ", id))
}

func (h *told) Read(id, first uint64, records [][]byte, more, sure bool) {
	text := make([]string, len(records))
	for i, b := range records {
		text[i] = string(b)
	}
	by := ""
	if sure {
		by = ", says the leader"
	}
	*h = append(*h, fmt.Sprintf("read %d: from %d %q more %v%s", id, first, strings.Join(text, ","), more, by))
}

// What is asked: an append, a read, one that the lane's leader has the last word on, and has been asked for.
var (
	adds  = pending{Request: lanes.Request{ID: 1, Data: []byte("x")}}
	reads = pending{Request: lanes.Request{ID: 1, Place: 3}}
	sure  = pending{Request: reads.Request, sure: true}
	asks  = pending{Request: reads.Request, asked: true}
)

// waitsFor is an exchange with one request under way.
func waitsFor(p pending, h *told) *Exchange {
	x := &Exchange{shard: &Shard{streams: [2]string{"s0", "s1"}}, handler: h, inbox: "in."}
	x.pending = map[uint64]*pending{1: &p}
	return x
}

// message is one that comes: a place and a record, a status and how many are left, or a body.
func message(text string) *nats.Msg {
	code, rest, two := strings.Cut(text, " ")
	switch {
	case !two || strings.HasPrefix(text, "{"):
		return &nats.Msg{Data: []byte(text)}
	case len(code) == 1:
		return &nats.Msg{Header: nats.Header{"Nats-Sequence": {code}}, Data: []byte(rest)}
	}
	return &nats.Msg{Header: nats.Header{"Status": {code}, "Nats-Num-Pending": {strings.Trim(rest, "-")}}}
}

// answers are what comes for a request, and what a handler is told of it.
var answers = []struct {
	what          string
	pending       pending
	answers, want string
}{
	{"it landed", adds, `{"stream":"s0","seq":7}`, "appended 1 at 7"},
	{"twice", adds, `{"stream":"s0","seq":7} | {"stream":"s0","seq":7}`, "appended 1 at 7"},
	{"wrong place", adds, `{"stream":"s0","seq":0,"error":{"code":400,"err_code":10071,"description":` +
		`"wrong last sequence: 5"}}`, "refused 1 at 5"},
	{"wrong place, it tells not where", adds, `{"error":{"code":400,"err_code":10071}}`,
		"refused 1 at 18446744073709551615"},
	{"another error", adds, `{"error":{"code":503,"err_code":10077}}`, "failed 1"},
	{"another stream", adds, `{"stream":"s1","seq":7}`, "failed 1"},
	{"nobody listens", adds, "503 -", "failed 1"},
	{"no place", adds, `{"stream":"s0"}`, "failed 1"},
	{"nothing there", reads, "404 -", `read 1: from 0 "" more false`},
	{"two, and no more", reads, "4 a | 5 b | 204 0", `read 1: from 0 "a,b" more false`},
	{"two, and more", reads, "4 a | 5 b | 204 2", `read 1: from 0 "a,b" more true`},
	{"two, and the leader may have more", sure, "4 a | 5 b | 204 0", `read 1: from 0 "a,b" more true`},
	{"a later beginning", reads, "8 a | 9 b | 204 0", `read 1: from 8 "a,b" more false`},
	{"a gap", reads, "4 a | 6 c | 7 d | 204 0", `read 1: from 0 "a" more true`},
	{"a record twice", reads, "4 a | 4 a | 5 b | 204 0", `read 1: from 0 "a" more true`},
	{"no end", reads, "4 a", ""},
	{"a read that nobody serves", reads, "503 -", "failed 1"},
	{"the leader has one", asks, `{"message":{"seq":4,"data":"YQ=="}}`,
		`read 1: from 0 "a" more true, says the leader`},
	{"the leader begins later", asks, `{"message":{"seq":9,"data":"YQ=="}}`,
		`read 1: from 9 "a" more true, says the leader`},
	{"the leader has none", asks, `{"error":{"code":404,"err_code":10037}}`,
		`read 1: from 0 "" more false, says the leader`},
	{"the leader may not answer", asks, `{"error":{"code":503,"err_code":10008}}`, `read 1: from 0 "" more false`},
	{"the leader has an error", asks, `{"error":{"code":500,"err_code":10000}}`, "failed 1"},
	{"no leader", asks, "503 -", "failed 1"},
}

// TestRepeatedReads: of the answers to a read that was repeated, one counts, as a whole (E6).
func TestRepeatedReads(t *testing.T) {
	for _, c := range []struct {
		what     string
		subjects []string
		want     string
	}{
		{"the first answers late", []string{"in.1", "in.1"}, `read 1: from 0 "a" more false`},
		{"the second answers", []string{"in.1-1", "in.1-1"}, `read 1: from 0 "a" more false`},
		{"the first begins, the second ends", []string{"in.1", "in.1-1"}, ""},
	} {
		var h told
		x := waitsFor(reads, &h)
		x.pending[1].tries = 1
		for i, text := range []string{"4 a", "204 0"} {
			m := message(text)
			m.Subject = c.subjects[i]
			x.answer(m)
		}
		if got := strings.Join(h, "; "); got != c.want {
			t.Errorf("%s: %s; want %s", c.what, got, c.want)
		}
	}
	// A leader that was asked is waited for, whatever another try has to say.
	var h told
	x := waitsFor(asks, &h)
	x.pending[1].begun = true
	late := message("404 -")
	late.Subject = "in.1-2"
	if x.answer(late); len(h) > 0 || x.pending[1] == nil {
		t.Error(h)
	}
}

// TestAnswers holds E4, E5 and E6.
func TestAnswers(t *testing.T) {
	for _, c := range answers {
		var h told
		x := waitsFor(c.pending, &h)
		for text := range strings.SplitSeq(c.answers, " | ") {
			m := message(text)
			if m.Subject = "in.1"; c.pending.asked {
				m.Subject += "-leader"
			}
			x.answer(m)
		}
		if got := strings.Join(h, "; "); got != c.want {
			t.Errorf("%s: %s; want %s", c.what, got, c.want)
		}
	}
}
