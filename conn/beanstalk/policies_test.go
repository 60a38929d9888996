package beanstalk

import (
	"errors"
	"strings"
	"testing"

	"beanfield/conn"
)

// lawgiver plays who keeps the policies.
type lawgiver struct {
	conn.Policies
	asked chan string   // what Set is given
	go_   chan struct{} // lets it return
}

func newLawgiver() *lawgiver {
	l := &lawgiver{Policies: *conn.NoPolicies(), asked: make(chan string, 1), go_: make(chan struct{}, 1)}
	list := &conn.PolicyList{Version: "v1", Kept: true, Text: "a\"\n\u00e9", Policies: []conn.Policy{
		{Match: "m*", From: conn.PolicyFromRunTime, Line: 2,
			Settings: []conn.Setting{{Key: "expire", Value: []byte(`"24h"`)}}},
		{Match: "mail", From: conn.PolicyFromFile, Line: 9, HiddenBy: "m*"},
	}}
	l.Show = func() *conn.PolicyList { return list }
	l.For = func(tube string) (conn.Policy, bool) { return list.Policies[0], strings.HasPrefix(tube, "m") }
	l.Set = func(text, version string) (conn.PolicyChange, error) {
		l.asked <- text + "|" + version
		if <-l.go_; text == "bad" {
			return conn.PolicyChange{}, errors.New("line 1: bad\nline 2: worse")
		}
		return conn.PolicyChange{List: list, Changes: "set x"}, nil
	}
	return l
}

const shownPolicies = "OK 190\r\n---\nversion: \"v1\"\nkept: true\ntext: \"a\\\"\\n\\u00e9\"\nproblems: []\npolicies:\n" +
	"- match: \"m*\"\n  from: \"run time\"\n  line: 2\n  expire: \"24h\"\n- match: \"mail\"\n  from: \"file\"\n  line: 9\n  hidden-by: \"m*\"\n"

// The answers; a change is answered when it is kept, in its turn, and told to the audit log, whether
// its client waits for it or not.
func TestPolicies(t *testing.T) {
	l := newLawgiver()
	h, _, lines := audited(t, func(o *houseOptions) { o.Policies = &l.Policies })
	c, other := h.two()
	c.do("policies", shownPolicies)
	c.do("policy mail", "OK 66\r\n---\ntube: mail\nmatch: \"m*\"\nfrom: \"run time\"\nline: 2\nexpire: \"24h\"\n")
	c.do("policy x", "OK 23\r\n---\ntube: x\nfrom: none\n")
	c.send("set-policies 2 version=v1\r\nab\r\nlist-tube-used\r\n")
	if got := <-l.asked; got != "ab|v1" {
		t.Errorf("asked %q", got)
	}
	other.do("list-tube-used", "USING default") // meanwhile
	l.go_ <- struct{}{}
	c.expect("OK 46\r\n---\nversion: \"v1\"\nkept: true\nchanges: \"set x\"\n")
	c.expect("USING default")
	l.go_ <- struct{}{}
	c.do("set-policies 3\r\nbad", "REFUSED 25\r\nline 1: bad\nline 2: worse")
	<-l.asked
	c.send("set-policies 4\r\ngone\r\n")
	<-l.asked
	c.close()
	l.go_ <- struct{}{}
	h.close()
	if got := lines(); len(got) != 2 || got[0].What != "set-policies" || got[1].Detail != "set x" || got[1].From == "" {
		t.Errorf("the audit log has %+v", got)
	}
}
