package beanstalk

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"beanfield/conn/access"
	"beanfield/conn/audit"
	"beanfield/storage/must"
)

// The audit log is told of what rules have refused, and of what administrators do; not of
// ordinary commands, nor of tokens.
func TestAuditNotes(t *testing.T) {
	file, book := new(must.Text), new(access.Book)
	log := audit.New(file, slog.New(slog.DiscardHandler))
	book.Replace(rules(t, rule("one", access.Put|access.Reserve, "t")))
	h := newHouse(t, func(o *houseOptions) { o.Access, o.Audit = book, log })
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
	h.close()
	must.Do(t, log.Close(context.Background()))
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
	lines := strings.Split(strings.TrimSpace(file.String()), "\n")
	for i, line := range lines {
		var e audit.Event
		must.Do(t, json.Unmarshal([]byte(line), &e))
		if e.FrontEnd != "beanstalk" || !strings.HasPrefix(e.From, "unix") || e.Time.IsZero() {
			t.Errorf("%s: without a front end, a place or a time", line)
		}
		e.FrontEnd, e.From, e.Time = "", "", want[0].Time
		if i >= len(want) || e != want[i] {
			t.Errorf("line %d is %s", i, line)
		}
	}
	if len(lines) != len(want) {
		t.Errorf("%d lines, want %d", len(lines), len(want))
	}
}
