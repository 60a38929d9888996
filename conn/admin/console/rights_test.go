package console

import (
	"encoding/base64"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"beanfield/conn/access"
	"beanfield/storage/must"
)

// subject is somebody with rights on the tubes that fit patterns, "a*: peek, put; b: stats"; nil: without rules.
func subject(t *testing.T, grants string) *access.Subject {
	t.Helper()
	if grants == "" {
		return nil
	}
	var rules []access.Rule
	for _, grant := range strings.Split(grants, "; ") {
		pattern, rights, _ := strings.Cut(grant, ": ")
		rule := access.Rule{Tokens: []string{access.HashOf("x").String()}, Tubes: []string{pattern}}
		for _, right := range strings.Split(rights, ", ") {
			rule.May |= must.Get(access.ParseRight(right))
		}
		rules = append(rules, rule)
	}
	return must.Get(access.New(rules)).Subject(access.Identity{}.WithToken("x"))
}

// Tubes that somebody may not see are not listed, counted, searched or fetched.
func TestHiddenTubes(t *testing.T) {
	b := newBench(t)
	for _, tube := range []string{"own-a", "own-b", "figures", "hidden"} {
		b.post(200, "put", fields{"tube": tube, "data": "needle in " + tube})
	}
	b.may("own-*: stats, peek; figures: stats")
	if a := shown[tubesAnswer](b, "tubes"); a.names() != "figures own-a own-b" || a.All != 3 || a.Found != 3 {
		t.Errorf("tubes %s, %d of %d", a.names(), a.Found, a.All)
	}
	if all := shown[overviewAnswer](b, "overview"); all.Tubes != 3 || all.Total.Ready != 3 || all.Total.Total != 3 ||
		len(all.Busiest) != 3 || len(all.Shards) != 0 || all.Act {
		t.Errorf("overview %+v", all)
	}
	found := shown[jobsAnswer](b, "jobs?state=all&find=needle")
	for _, j := range found.Jobs {
		if !strings.HasPrefix(j.Tube, "own-") {
			t.Errorf("a search finds a job of %s", j.Tube)
		}
	}
	if len(found.Jobs) != 2 {
		t.Errorf("a search finds %d jobs", len(found.Jobs))
	}
	if one := shown[tubeAnswer](b, "tube?name=own-a"); one.Next["ready"] == nil {
		t.Error("no next job in a tube whose jobs may be seen")
	}
	if one := shown[tubeAnswer](b, "tube?name=figures"); one.Tube.Ready != 1 || len(one.Next) != 0 {
		t.Errorf("a tube whose jobs may not be seen shows %+v", one)
	}
	for path, want := range map[string]int{
		"tube?name=hidden": 404, "tube?name=none": 404, "job?id=1": 200, "job?id=3": 404, "job?id=4": 404,
		"job?id=99":                    404,
		"jobs?tube=hidden&state=ready": 403, "jobs?tube=none&state=ready": 403, "jobs?tube=figures&state=all": 403,
		"jobs?tube=own-a&state=ready": 200, "connections": 403, "latency": 403, "server": 403,
	} {
		b.get(want, path)
	}
	if hidden, missing := b.get(404, "job?id=4"), b.get(404, "job?id=99"); string(hidden) != string(missing) {
		t.Errorf("a hidden job is answered %s, a missing one %s", hidden, missing)
	}
}

// Each action needs its right on the tube, of a job too, and is told of, done or refused.
func TestNeeds(t *testing.T) {
	b := newBench(t)
	for name, right := range needs {
		b.may("")
		b.post(200, "put", fields{"tube": "t", "data": "y"})
		id := shown[jobsAnswer](b, "jobs?tube=t&state=ready").Jobs[0].ID
		ask, ofTube := map[string]fields{
			"put": {"tube": "t", "data": "x"}, "kick": {"tube": "t", "count": 1}, "pause": {"tube": "t", "seconds": 1},
			"purge": {"tube": "t", "states": []string{"ready"}}, "move": {"tube": "t", "to": "u",
				"states": []string{"ready"}}, "drain": {}, "set-policies": {"text": ""}, "disconnect": {"id": 1},
		}[name]
		if !ofTube {
			ask = fields{"id": id, "to": map[bool]string{true: "u"}[name == "move-job"]}
		}
		for _, c := range []struct {
			grants string
			want   int
		}{
			{fmt.Sprint("*: ", access.All&^access.Admin&^right), 403},
			{fmt.Sprint("t: stats; u: ", access.All), 403},
			{fmt.Sprint("other: ", access.All), map[bool]int{true: 403, false: 404}[ofTube]},
		} {
			b.may(c.grants)
			b.post(c.want, name, ask)
			if len(b.told) != 1 || b.told[0].What != name || b.told[0].Refused != (c.want == 403) {
				t.Errorf("%s: told %+v", name, b.told)
			}
		}
		if ofServer(name) {
			continue // below
		}
		if name == "kick-job" {
			b.may("")
			b.post(200, "bury", ask)
		}
		b.may(fmt.Sprintf("t: %v; u: put", right))
		b.post(200, name, ask)
		if d := b.told[0]; len(b.told) != 1 || d.What != name || d.Refused || d.Tube == "" && d.ID == 0 {
			t.Errorf("%s: told %+v", name, b.told)
		}
	}
	b.may(fmt.Sprintf("t: %v; u: %v", access.All, access.All&^access.Put&^access.Admin))
	b.post(403, "move", fields{"tube": "t", "to": "u", "states": []string{"ready"}})
	b.post(403, "move-job", fields{"to": "u", "id": b.post(200, "put", fields{"tube": "t", "data": "x"}).ID})
	b.may("*: admin")
	b.post(200, "drain", fields{})
}

// Answers say what a client may do, and nothing about tubes of which it may see nothing.
func TestWhatCanBeDone(t *testing.T) {
	b := newBench(t)
	for _, tube := range []string{"own", "blind", "hidden"} {
		b.post(200, "put", fields{"tube": tube, "data": "x"})
	}
	b.may("own: stats, peek, kick; blind: put, delete; never: put")
	own, blind, never := shown[tubeAnswer](b, "tube?name=own"), shown[tubeAnswer](b, "tube?name=blind"),
		shown[tubeAnswer](b, "tube?name=never")
	if is := strings.Join(own.Can, " "); own.Tube == nil || is != "kick kick-job peek stats" ||
		strings.Join(own.Next["ready"].Can, " ") != is {
		t.Errorf("on its own tube a client can %s, shown %+v", is, own.Tube)
	}
	if is := strings.Join(blind.Can, " "); blind.Tube != nil || len(blind.Next) != 0 || is != "delete purge put" {
		t.Errorf("without stats a client can %s, shown %+v", is, blind.Tube)
	}
	if never.Tube != nil || strings.Join(never.Can, " ") != "put" {
		t.Errorf("of a tube that never was it is told %+v", never)
	}
	asked := shown[rightsAnswer](b, "rights?tube=own&tube=hidden&tube=none")
	if len(asked.Can["own"]) != 4 || len(asked.Can["hidden"])+len(asked.Can["none"]) != 0 {
		t.Errorf("it can %v", asked.Can)
	}
	if all := shown[overviewAnswer](b, "overview"); all.May.Whole || all.May.Connections || all.May.Drain ||
		strings.Join(all.May.Can, " ") != "delete kick kick-job peek purge put stats" {
		t.Errorf("it may %+v", all.May)
	}
	if tubes := shown[tubesAnswer](b, "tubes"); len(tubes.Tubes) != 1 || len(tubes.Tubes[0].Can) != 4 ||
		tubes.Sum.Ready != 1 {
		t.Errorf("tubes %+v", tubes)
	}
	b.rights.Act = false
	if all := shown[overviewAnswer](b, "overview"); strings.Join(all.May.Can, " ") != "peek stats" {
		t.Errorf("who may only look may %+v", all.May)
	}
	b.may("")
	b.rights.Act = true
	if tubes := shown[tubesAnswer](b, "tubes"); len(tubes.Tubes) != 4 || tubes.Tubes[0].Can != nil ||
		tubes.Sum.Ready != 3 {
		t.Errorf("without rules: %+v", tubes)
	}
}

// A token that a rule knows is stored neither by a put nor by a move of a job that is older than
// the rule. That job stays where it is.
func TestKnownTokenIsNoJob(t *testing.T) {
	var known atomic.Bool
	b := newBench(t, func(o *Options) {
		o.Exposes = func(body []byte) bool { return known.Load() && strings.HasPrefix(string(body), "oauth one") }
	})
	old := b.post(200, "put", fields{"tube": "a", "data": "oauth one", "delay": 500}).ID
	known.Store(true)
	b.post(400, "put", fields{"tube": "a", "data": "oauth one"})
	b.post(400, "put", fields{"tube": "a", "base64": base64.StdEncoding.EncodeToString([]byte("oauth one\n"))})
	b.post(400, "move-job", fields{"id": old, "to": "b"})
	b.post(400, "move", fields{"tube": "a", "to": "b", "states": []string{"delayed"}})
	b.expect("a", 0, 1, 0)
	b.post(200, "put", fields{"tube": "b", "data": "oauth two"})
	b.expect("b", 1, 0, 0)
}
