package console

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"beanfield/conn"
	"beanfield/conn/access"
	"beanfield/router/schedule"
)

// ruled is a bench whose policies a test sets.
func ruled(t *testing.T) *bench {
	one := conn.Policy{Match: "own*", From: conn.PolicyFromRunTime, Line: 1, Settings: []conn.Setting{
		{Key: "max_jobs", Value: json.RawMessage("5")}, {Key: "dead_letter", Value: json.RawMessage(`"other"`),
			Tube: "other"}}}
	version := "first"
	show := func() *conn.PolicyList {
		return &conn.PolicyList{Version: version, Kept: true, Bodies: true, Text: "text", Problems: []string{},
			Policies: []conn.Policy{one}}
	}
	return newBench(t, func(o *Options) {
		o.Policies = &conn.Policies{
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
		o.Schedules = func() []schedule.Info {
			list := make([]schedule.Info, 2)
			list[0].Name, list[0].Tube, list[0].Rule.Cron, list[0].Next = "daily", "own", "0 3 * * *",
				time.UnixMilli(5000)
			list[1].Name, list[1].Tube = "other", "other"
			return list
		}
	})
}

// Policies are shown to those who see all tubes, and a tube's to those who see the tube.
func TestPoliciesAreShown(t *testing.T) {
	b := ruled(t)
	b.post(200, "put", fields{"tube": "own", "data": "x"})
	b.post(200, "put", fields{"tube": "other", "data": "x"})
	for name, c := range map[string]struct {
		grants    string
		all       int
		schedules string
	}{
		"everybody":     {"", 200, "daily other"},
		"stats":         {"*: stats", 200, "daily other"},
		"stats of one":  {"own*: stats", 403, "daily"},
		"without stats": {"own*: put, peek", 403, ""},
	} {
		b.may(c.grants)
		text := string(b.get(c.all, "policies"))
		if shown := strings.Contains(text,
			`{"match":"own*","from":"run time","line":1,"settings":[{"key":"max_jobs","value":5},{"key":"dead_letter","value":"other"}]}`); shown != (c.all == 200) {
			t.Errorf("%s: policies %s", name, text)
		}
		if text, bodies := strings.Contains(text, `"text":"text"`), name == "everybody"; text != bodies {
			t.Errorf("%s: shown is the text: %v", name, text)
		}
		var names []string
		for _, s := range shown[schedulesAnswer](b, "schedules").Schedules {
			names = append(names, s.Name)
			if s.Name == "daily" && (s.Cron != "0 3 * * *" || s.Next != 5000 || s.Last != 0) {
				t.Errorf("%s: schedule %+v", name, s)
			}
		}
		if is := strings.Join(names, " "); is != c.schedules {
			t.Errorf("%s: schedules %q, want %q", name, is, c.schedules)
		}
		own := shown[tubeAnswer](b, "tube?name=own")
		if p := own.Policy; (p != nil) != (name != "without stats") || p != nil &&
			(p.Match != "own*" || (string(p.Settings[1].Value) == "null") != (name == "stats of one")) {
			t.Errorf("%s: the tube's policy is %+v", name, p)
		}
	}
	b.may("")
	if p := shown[tubeAnswer](b, "tube?name=other").Policy; p != nil {
		t.Errorf("a tube without a policy shows %+v", p)
	}
}

// To change policies takes admin on every tube, a text and the version that it was made from.
func TestSetPolicies(t *testing.T) {
	b := ruled(t)
	all := fields{"text": "all", "version": "first"}
	for _, grants := range []string{fmt.Sprint("*: ", access.All&^access.Admin), fmt.Sprint("own*: ", access.All)} {
		b.may(grants)
		if b.post(403, "set-policies", all); shown[overviewAnswer](b, "overview").May.Policies {
			t.Errorf("with %v a client may change policies", grants)
		}
	}
	b.may("*: admin")
	if !shown[overviewAnswer](b, "overview").May.Policies {
		t.Error("an administrator may not change policies")
	}
	b.post(400, "set-policies", fields{})
	b.post(400, "set-policies", fields{"text": "wrong"})
	b.told = nil
	if a := b.post(200, "set-policies", all); a.Version != "next" || a.Changes != "set own*" {
		t.Errorf("the answer is %+v", a)
	}
	if len(b.told) != 1 || b.told[0].What != "set-policies" || b.told[0].Changes != "set own*" {
		t.Errorf("told %+v", b.told)
	}
	b.post(409, "set-policies", all)
	b.rights.Act = false
	b.post(403, "set-policies", fields{"text": "all"})
}

// A job, and a list of jobs, tell where they have been, but not of tubes that do not exist for the client.
func TestJobsTellWhereTheyHaveBeen(t *testing.T) {
	b := ruled(t)
	id := b.post(200, "put", fields{"tube": "own", "data": "x"}).ID
	b.post(200, "move-job", fields{"id": id, "to": "other"})
	for _, sees := range []bool{true, false} {
		if !sees {
			b.may("oth*: peek")
		}
		lists := [][]been{shown[jobAnswer](b, fmt.Sprint("job?id=", id)).Been}
		for _, path := range []string{"jobs?tube=other&state=ready", "jobs?tube=other&state=all"} {
			lists = append(lists, shown[jobsAnswer](b, path).Jobs[0].Been)
		}
		for _, list := range lists {
			if (len(list) == 1) != sees || sees && (list[0].Tube != "own" || list[0].Why != "moved" ||
				list[0].When == 0) {
				t.Errorf("the client sees the tube: %v; it is shown %+v", sees, list)
			}
		}
	}
}
