package ownership

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"beanfield/storage/must"
)

// future are a message's bytes, as a later program may write them: with fields in it that nobody knows yet.
func future(m *Message, version int) []byte {
	var fields map[string]any
	_ = json.Unmarshal(must.Get(json.Marshal(m)), &fields)
	fields["v"], fields["later"] = version, map[string]any{"a": 1}
	fields["report"].(map[string]any)["mood"] = []string{"good"}
	return must.Get(json.Marshal(fields))
}

// past are those of an earlier program, which had only the fields that are needed.
func past(m *Message) []byte {
	m.Report = Report{Role: m.Report.Role, Fit: m.Report.Fit, Places: m.Report.Places, Durable: m.Report.Durable}
	m.Counted, m.Over = nil, nil
	return must.Get(json.Marshal(m))
}

// A node hears programs of its major version, older and newer ones, and answers them. A kind that it does
// not know is a hello.
func TestMinorVersions(t *testing.T) {
	for name, data := range map[string][]byte{"a newer one": future(beatOf(3), Major),
		"an older one": past(beatOf(3))} {
		s, a := alone(known(3))
		s.Receive(s0+2*time.Second, Decode(data))
		if got := a.answers(); len(got) != 1 || got[0].Since[0] < 0 || s.Owner() != "a" || s.Strange("a") != "" {
			t.Errorf("%s: answered %+v, the owner is %q", name, got, s.Owner())
		}
	}
	s, a := alone(known(3))
	if s.Receive(s0+2*time.Second, Decode(future(from("a", "dance"), Major))); !s.alive("a") || len(a.answers()) != 0 {
		t.Error("of a kind that it does not know it makes something")
	}
}

// A node refuses messages of another major version, says why, and knows when most nodes have one. What else is
// in such a message may be anything.
func TestMajorVersions(t *testing.T) {
	for _, version := range []int{Major - 1, Major + 1} {
		var log must.Text
		s, a := alone(known(3))
		s.Logger = slog.New(slog.NewTextHandler(&log, nil))
		now := s0 + 2*time.Second
		for range 3 {
			s.Receive(now, Decode(future(beatOf(3), version)))
		}
		if len(a.answers()) != 0 || s.alive("a") || s.Owner() != "" || strings.Count(log.String(), "are refused") != 1 {
			t.Errorf("version %d: the owner is %q; logged: %s", version, s.Owner(), &log)
		}
		if why := s.Strange("a"); !strings.Contains(why, "this program () knows 2") || s.Alone() != "" {
			t.Errorf("version %d: %q, alone: %q", version, why, s.Alone())
		}
		s.Receive(now, Decode(fmt.Appendf(nil, `{"v":%d,"cluster":"test","from":"c","kind":7,"report":[]}`, version)))
		if why := s.Alone(); !strings.Contains(why, "its messages have version ") {
			t.Errorf("version %d: most nodes have it, and it is alone: %q", version, why)
		}
		if s.Receive(now, from("c", Hello)); s.Alone() != "" || s.Strange("c") != "" {
			t.Errorf("version %d: c has this version by now, and it is alone: %q", version, s.Alone())
		}
	}
	for _, data := range []string{"", "[]", `{"v":2,"kind":7,"from":"a","cluster":"test"}`} {
		s, _ := alone(known(3))
		if s.Receive(s0, Decode([]byte(data))); s.alive("a") || s.Strange("a")+s.Strange("") == "" {
			t.Errorf("%s is a message", data)
		}
	}
}
