package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/slow"
	"beanfield/router/schedule"
	"beanfield/shard/queue"
	"beanfield/shard/queue/policy"
	"beanfield/storage/must"
	"beanfield/storage/tally"
)

// What can be asked, by whom, and what is answered: testdata/conversations.txt.
func TestConversations(t *testing.T) {
	for part := range strings.SplitSeq("\n"+string(must.Get(os.ReadFile("testdata/conversations.txt"))), "\n=== ") {
		name, lines, is := strings.Cut(part, "\n")
		if strings.HasPrefix(part, "\n#") || !is {
			continue // how they are written
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStage(t)
			for line := range strings.Lines(lines) {
				s.line(line)
			}
		})
	}
}

// stage is the server of a conversation: it has everything that there is to see.
type stage struct {
	*bench
	known  atomic.Bool // the token
	worker *client
}

func newStage(t *testing.T) *stage {
	s := &stage{}
	log, clients := slowLog(), crowd(1000)
	s.bench = newBench(t, func(o *Options) {
		o.Exposes = func(body []byte) bool { return s.known.Load() && strings.HasPrefix(string(body), "oauth") }
		o.Policies, o.Schedules = somePolicies(), someSchedules
		o.FrontEnds, o.Slow, o.Cluster = []FrontEnd{clients}, log, told
		o.Latency = someLatency
	})
	s.router.SetPolicies(func(tube string) *policy.Policy {
		return map[string]*policy.Policy{"few": {Most: policy.Amount{1}, Full: policy.FullOldest}}[tube]
	})
	s.worker = newClient(s.router)
	s.worker.Finish(s.worker.Open())
	t.Cleanup(func() { s.worker.Finish(s.worker.Close()) })
	return s
}

// line plays a line.
func (s *stage) line(line string) {
	s.t.Helper()
	ask, want, _ := strings.Cut(strings.TrimSpace(line), " -> ")
	word, rest, _ := strings.Cut(ask, " ")
	switch word {
	case "", "#":
	case "may":
		s.may(rest)
		s.rights.Act = true
	case "look":
		s.rights.Act = false
	case "known":
		s.known.Store(true)
	case "hold":
		must.Get(s.worker.one(queue.Op{Kind: queue.ReserveJob, ID: must.Get(strconv.ParseUint(rest, 10, 64))}, true))
	case "told":
		var events []string
		for _, e := range s.told {
			events = append(events, fmt.Sprintf("[%s %s]", e.What, e.Changes))
		}
		if is := strings.Join(events, " "); is != want {
			s.t.Errorf("told is %s, want %s", is, want)
		}
	default:
		s.exchange(word, strings.Fields(rest), strings.Fields(want))
	}
}

// exchange sends a request, and looks at the answer.
func (s *stage) exchange(name string, ask, want []string) {
	s.t.Helper()
	method, say := "GET", fields{}
	if actors[name] != nil {
		method = "POST"
	}
	for _, word := range ask {
		key, value, _ := strings.Cut(word, "=")
		n, err := strconv.Atoi(value)
		switch {
		case key == "states":
			say[key] = strings.Split(value, ",")
		case err == nil:
			say[key] = n
		default:
			say[key] = value
		}
	}
	status, text, _ := s.ask(method, apiPath+name, string(must.Get(json.Marshal(say))), "Content-Type",
		"application/json")
	var answer any
	if err := json.Unmarshal(text, &answer); err != nil || fmt.Sprint(status) != want[0] {
		s.t.Errorf("%s %v: %d %s, want %s", name, ask, status, text, want)
	}
	for _, w := range want[1:] {
		at := strings.IndexAny(w, "=>")
		is := found(answer, strings.Split(w[:at], "."))
		ok := strings.ReplaceAll(is, " ", "_") == w[at+1:]
		if w[at] == '>' {
			n, err := strconv.ParseFloat(is, 64)
			ok = err == nil && n > must.Get(strconv.ParseFloat(w[at+1:], 64))
		}
		if !ok {
			s.t.Errorf("%s %v: %s is %s; %s", name, ask, w, is, text)
		}
	}
}

// found is what a path leads to in an answer.
func found(in any, path []string) string {
	if len(path) > 0 {
		switch in := in.(type) {
		case map[string]any:
			return found(in[path[0]], path[1:])
		case []any:
			var all []string
			for i, one := range in {
				if path[0] == "*" || path[0] == fmt.Sprint(i) {
					all = append(all, found(one, path[1:]))
				}
			}
			if path[0] == "#" {
				return fmt.Sprint(len(in))
			}
			return strings.Join(all, ",")
		}
	}
	switch in := in.(type) {
	case nil:
		return "-"
	case string:
		return in
	}
	return string(must.Get(json.Marshal(in)))
}

// somePolicies are one for own*, which can be replaced.
func somePolicies() *conn.Policies {
	one := conn.Policy{Match: "own*", From: conn.PolicyFromRunTime, Line: 1, Settings: []conn.Setting{
		{Key: "max_jobs", Value: json.RawMessage("5")}, {Key: "dead_letter", Value: json.RawMessage(`"other"`),
			Tube: "other"}}}
	version := "first"
	show := func() *conn.PolicyList {
		return &conn.PolicyList{Version: version, Kept: true, Bodies: true, Text: "text", Problems: []string{},
			Policies: []conn.Policy{one}}
	}
	return &conn.Policies{
		Show: show,
		For:  func(tube string) (conn.Policy, bool) { return one, strings.HasPrefix(tube, "own") },
		Set: func(text, of string) (conn.PolicyChange, error) {
			switch {
			case of != "" && of != version:
				return conn.PolicyChange{}, conn.ErrPoliciesChanged
			case text == "wrong":
				return conn.PolicyChange{}, errors.New("line 1: wrong")
			}
			version = "next"
			return conn.PolicyChange{List: show(), Changes: "set own*"}, nil
		},
	}
}

func someSchedules() []schedule.Info {
	list := make([]schedule.Info, 2)
	list[0].Name, list[0].Tube, list[0].Rule.Cron, list[0].Next = "daily", "own", "0 3 * * *", time.UnixMilli(5000)
	list[1].Name, list[1].Tube = "other", "other"
	return list
}

// slowLog has three commands that took long, and one that was refused.
func slowLog() *slow.Log {
	log := slow.New(time.Second)
	for i, tube := range []string{"own", "other", ""} {
		log.Tell(slow.Command{
			At: time.UnixMilli(1000), Verb: "put", Tube: tube, Count: i + 1, Client: "10.0.0.1:5", Who: "somebody",
			Turn: time.Second, Ran: 2 * time.Second, Disk: 3 * time.Second,
		})
	}
	log.Refuse(slow.Refusal{At: time.UnixMilli(1000), Line: "x", Reason: slow.Unknown})
	return log
}

// someLatency is that of some puts, and of no kick.
func someLatency() map[string]*tally.Reading {
	var puts tally.Spread
	puts.Add(tally.Time(500), 3)  // bucket 0: up to a microsecond
	puts.Add(tally.Time(1900), 2) // just below 2^-19 s: bucket 4
	puts.Add(tally.Time(20e9), 1) // beyond the last bound
	var r tally.Reading
	puts.ReadTo(&r)
	return map[string]*tally.Reading{"put": &r, "kick": {}}
}

// Where nothing is kept there is nothing to see.
func TestNothingToSee(t *testing.T) {
	b := newBench(t)
	b.get(http.StatusNotFound, "cluster")
	if a := shown[slowAnswer](b, "slow"); a.Bound != 0 || a.Count != 0 || len(a.Commands) > 0 {
		t.Errorf("the answer is %+v", a)
	}
}

// told is what a node says of its cluster.
func told() any { return map[string]string{"owner": "b"} }
