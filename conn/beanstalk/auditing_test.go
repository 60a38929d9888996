package beanstalk

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/audit"
)

// The audit log is told of what rules have refused, and of what administrators do; not of
// ordinary commands, nor of tokens.
func TestAuditNotes(t *testing.T) {
	book := new(access.Book)
	book.Replace(rules(t, rule("one", access.Put|access.Reserve, "t")))
	h, _, lines := audited(t, func(o *houseOptions) { o.Access = book })
	ids, holder := h.stocked("t")
	c := h.as("one")
	c.do("use t", "USING t")
	c.do("watch t", "WATCHING 2")
	c.do(fmt.Sprintf("peek %d", ids[0]), "NOT_FOUND")
	c.do("peek-ready", "NOT_FOUND")
	c.do("use secret", "BAD_FORMAT")
	c.do("pause-tube t 1", "NOT_FOUND")
	c.do("delete 999", "NOT_FOUND") // there is none
	c.do("auth wrong", "NOT_FOUND")
	c.do("reserve", fmt.Sprintf("RESERVED %d 5\r\nready", ids[0]))
	c.do(fmt.Sprintf("delete %d", ids[0]), "DELETED") // its own
	holder.do("kick 1", "KICKED 1")
	holder.do(fmt.Sprintf("delete %d", ids[2]), "DELETED")
	holder.do(fmt.Sprintf("kick-job %d", ids[1]), "KICKED")
	holder.do("kick 1", "KICKED 0")
	holder.do("pause-tube t 0", "PAUSED")
	want := []audit.Event{
		{Who: "one", What: "peek", ID: ids[0], Refused: true},
		{Who: "one", What: "peek-ready", Tube: "t", Refused: true},
		{Who: "one", What: "use", Tube: "secret", Refused: true},
		{Who: "one", What: "pause-tube", Tube: "t", Refused: true},
		{Who: "one", What: "auth", Refused: true},
		{Who: "admin", What: "kick", Tube: "t"},
		{Who: "admin", What: "delete", ID: ids[2]},
		{Who: "admin", What: "kick-job", ID: ids[1]},
		{Who: "admin", What: "pause-tube", Tube: "t"},
	}
	got := lines()
	for i := range got {
		e := &got[i]
		if e.FrontEnd != "beanstalk" || !strings.HasPrefix(e.From, "unix") || e.Time.IsZero() {
			t.Errorf("line %d is without a front end, a place or a time: %+v", i, e)
		}
		e.FrontEnd, e.From, e.Time = "", "", want[0].Time
	}
	if !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
}
