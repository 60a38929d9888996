package console

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/storage/must"
)

// subject is somebody with rights on the tubes that fit a pattern.
func subject(t *testing.T, grants map[string]access.Rights) *access.Subject {
	t.Helper()
	var rules []access.Rule
	for pattern, may := range grants {
		rules = append(rules, access.Rule{Tokens: []string{access.HashOf("x").String()}, May: may, Tubes: []string{pattern}})
	}
	p := must.Get(access.New(rules))
	return p.Subject(access.Identity{}.WithToken("x"))
}

// restricted is a bench whose rights a test can change, with what it tells.
func restricted(t *testing.T) (b *bench, rights *Rights, told *[]Deed) {
	t.Helper()
	rights, told = &Rights{Act: true}, new([]Deed)
	b = newBench(t, Rights{}, func(o *Options) {
		o.May = func(*http.Request) Rights { return *rights }
		o.Tell = func(_ *http.Request, d Deed) { *told = append(*told, d) }
	})
	return b, rights, told
}

// status sends an action and returns how it is answered.
func (b *bench) status(name, ask string) int {
	b.t.Helper()
	status, _, _ := b.ask("POST", apiPath+name, ask, "Content-Type", "application/json")
	return status
}

// Tubes that somebody may not see are not listed, counted, searched or fetched.
func TestHiddenTubes(t *testing.T) {
	b, rights, _ := restricted(t)
	for _, tube := range []string{"own-a", "own-b", "figures", "hidden"} {
		if s := b.status("put", `{"tube":"`+tube+`","data":"needle in `+tube+`"}`); s != 200 {
			t.Fatal(s)
		}
	}
	rights.Subject = subject(t, map[string]access.Rights{"own-*": access.Stats | access.Peek, "figures": access.Stats})
	var tubes tubesAnswer
	b.get("tubes", nil, &tubes)
	var names []string
	for _, f := range tubes.Tubes {
		names = append(names, f.Name)
	}
	if want := []string{"figures", "own-a", "own-b"}; !slices.Equal(names, want) || tubes.All != 3 || tubes.Found != 3 {
		t.Errorf("tubes %v, %d of %d; want %v", names, tubes.Found, tubes.All, want)
	}
	var all overviewAnswer
	b.get("overview", nil, &all)
	if all.Tubes != 3 || all.Total.Ready != 3 || all.Total.Total != 3 || len(all.Busiest) != 3 || len(all.Shards) != 0 || all.Act {
		t.Errorf("overview %+v", all)
	}
	var found jobsAnswer
	b.get("jobs", url.Values{"state": {"all"}, "find": {"needle"}}, &found)
	for _, j := range found.Jobs {
		if !strings.HasPrefix(j.Tube, "own-") {
			t.Errorf("a search finds a job of %s", j.Tube)
		}
	}
	if len(found.Jobs) != 2 {
		t.Errorf("a search finds %d jobs", len(found.Jobs))
	}
	var one tubeAnswer
	if b.get("tube", url.Values{"name": {"own-a"}}, &one); one.Next["ready"] == nil {
		t.Error("no next job in a tube whose jobs may be seen")
	}
	one = tubeAnswer{}
	if b.get("tube", url.Values{"name": {"figures"}}, &one); one.Tube.Ready != 1 || len(one.Next) != 0 {
		t.Errorf("a tube whose jobs may not be seen shows %+v", one)
	}
	for path, want := range map[string]int{
		"tube?name=hidden": 404, "tube?name=none": 404, "job?id=1": 200, "job?id=3": 404, "job?id=4": 404, "job?id=99": 404,
		"jobs?tube=hidden&state=ready": 403, "jobs?tube=none&state=ready": 403, "jobs?tube=figures&state=all": 403,
		"jobs?tube=own-a&state=ready": 200, "connections": 403, "latency": 403,
	} {
		if status, text, _ := b.ask("GET", apiPath+path, ""); status != want {
			t.Errorf("%s: %d %s, want %d", path, status, text, want)
		}
	}
	_, hidden, _ := b.ask("GET", apiPath+"job?id=4", "")
	if _, missing, _ := b.ask("GET", apiPath+"job?id=99", ""); string(hidden) != string(missing) {
		t.Errorf("a hidden job is answered %s, a missing one %s", hidden, missing)
	}
}

// Each action needs its right on the tube, of a job too, and is told of, done or refused.
func TestNeeds(t *testing.T) {
	b, rights, told := restricted(t)
	for name, right := range needs {
		ask := map[string]string{
			"put": `{"tube":"t","data":"x"}`, "kick": `{"tube":"t","count":1}`, "pause": `{"tube":"t","seconds":1}`,
			"purge": `{"tube":"t","states":["ready"]}`, "move": `{"tube":"t","to":"u","states":["ready"]}`, "drain": `{}`, "move-job": `{"id":ID,"to":"u"}`,
		}[name]
		if ask == "" {
			ask = `{"id":ID}`
		}
		rights.Subject = nil
		b.status("put", `{"tube":"t","data":"y"}`)
		var list jobsAnswer
		b.get("jobs", url.Values{"tube": {"t"}, "state": {"ready"}}, &list)
		ask = strings.ReplaceAll(ask, "ID", strconv.FormatUint(list.Jobs[0].ID, 10))
		for i, c := range []struct {
			grants map[string]access.Rights
			want   int
		}{
			{map[string]access.Rights{"*": access.All &^ access.Admin &^ right}, 403},
			{map[string]access.Rights{"t": access.Stats, "u": access.All}, 403},
			{map[string]access.Rights{"other": access.All}, map[bool]int{true: 404, false: 403}[strings.Contains(ask, `"id"`)]},
		} {
			rights.Subject, *told = subject(t, c.grants), nil
			if got := b.status(name, ask); got != c.want {
				t.Errorf("%s without the right (%d): %d, want %d", name, i, got, c.want)
			}
			if len(*told) != 1 || (*told)[0].What != name || (*told)[0].Refused != (c.want == 403) {
				t.Errorf("%s: told %+v", name, *told)
			}
		}
		if name == "drain" {
			continue // at last
		}
		if name == "kick-job" {
			rights.Subject = nil
			b.status("bury", ask)
		}
		grants := map[string]access.Rights{"t": right, "u": access.Put}
		rights.Subject, *told = subject(t, grants), nil
		if got := b.status(name, ask); got != 200 {
			t.Errorf("%s with the right: %d", name, got)
		}
		if d := (*told)[0]; len(*told) != 1 || d.What != name || d.Refused || d.Tube == "" && d.ID == 0 {
			t.Errorf("%s: told %+v", name, *told)
		}
	}
	rights.Subject = subject(t, map[string]access.Rights{"t": access.All, "u": access.All &^ access.Put &^ access.Admin})
	if got := b.status("move", `{"tube":"t","to":"u","states":["ready"]}`); got != 403 {
		t.Errorf("move without put on the other tube: %d", got)
	}
	rights.Subject = subject(t, map[string]access.Rights{"*": access.Admin})
	if got := b.status("drain", "{}"); got != 200 {
		t.Errorf("drain: %d", got)
	}
}

// A job that moves alone needs put on the other tube too.
func TestMoveJobNeedsPut(t *testing.T) {
	b, rights, _ := restricted(t)
	id := b.post(200, "put", fields{"tube": "t", "data": "x"}).ID
	for _, e := range []struct {
		grants map[string]access.Rights
		want   int
	}{
		{map[string]access.Rights{"t": access.All, "u": access.All &^ access.Put &^ access.Admin}, 403},
		{map[string]access.Rights{"t": access.Reserve | access.Delete, "u": access.Put}, 200},
	} {
		rights.Subject = subject(t, e.grants)
		b.post(e.want, "move-job", fields{"id": id, "to": "u"})
	}
}

// Answers say what a client may do, and nothing about tubes of which it may see nothing.
func TestWhatCanBeDone(t *testing.T) {
	b, rights, _ := restricted(t)
	for _, tube := range []string{"own", "blind", "hidden"} {
		b.post(200, "put", fields{"tube": tube, "data": "x"})
	}
	rights.Subject = subject(t, map[string]access.Rights{"own": access.Stats | access.Peek | access.Kick, "blind": access.Put | access.Delete, "never": access.Put})
	var own, blind, never tubeAnswer
	b.get("tube", url.Values{"name": {"own"}}, &own)
	b.get("tube", url.Values{"name": {"blind"}}, &blind)
	b.get("tube", url.Values{"name": {"never"}}, &never)
	if is := strings.Join(own.Can, " "); own.Tube == nil || is != "kick kick-job peek stats" || strings.Join(own.Next["ready"].Can, " ") != is {
		t.Errorf("on its own tube a client can %s, shown %+v", is, own.Tube)
	}
	if is := strings.Join(blind.Can, " "); blind.Tube != nil || len(blind.Next) != 0 || is != "delete purge put" {
		t.Errorf("without stats a client can %s, shown %+v", is, blind.Tube)
	}
	if never.Tube != nil || strings.Join(never.Can, " ") != "put" {
		t.Errorf("of a tube that never was it is told %+v", never)
	}
	var asked rightsAnswer
	b.get("rights", url.Values{"tube": {"own", "hidden", "none"}}, &asked)
	if len(asked.Can["own"]) != 4 || len(asked.Can["hidden"])+len(asked.Can["none"]) != 0 {
		t.Errorf("it can %v", asked.Can)
	}
	var all overviewAnswer
	if b.get("overview", nil, &all); all.May.Whole || all.May.Connections || all.May.Drain || strings.Join(all.May.Can, " ") != "delete kick kick-job peek purge put stats" {
		t.Errorf("it may %+v", all.May)
	}
	var tubes tubesAnswer
	if b.get("tubes", nil, &tubes); len(tubes.Tubes) != 1 || len(tubes.Tubes[0].Can) != 4 || tubes.Sum.Ready != 1 {
		t.Errorf("tubes %+v", tubes)
	}
	rights.Act = false
	if b.get("overview", nil, &all); strings.Join(all.May.Can, " ") != "peek stats" {
		t.Errorf("who may only look may %+v", all.May)
	}
	rights.Subject, rights.Act, tubes = nil, true, tubesAnswer{}
	if b.get("tubes", nil, &tubes); len(tubes.Tubes) != 4 || tubes.Tubes[0].Can != nil || tubes.Sum.Ready != 3 {
		t.Errorf("without rules: %+v", tubes)
	}
}
