package console

import (
	"fmt"
	"strings"
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
