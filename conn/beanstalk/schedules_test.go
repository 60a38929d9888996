package beanstalk

import (
	"net/netip"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/router/schedule"
	"beanfield/storage/must"
)

// schedules shows how schedules are getting on, as YAML, of tubes that the client may look at.
func TestSchedules(t *testing.T) {
	list := []schedule.Info{
		{Schedule: schedule.Schedule{Name: "a", Tube: "mail", Rule: schedule.Rule{Cron: "*/5 * * * *", Zone: "UTC"}},
			Last: time.Unix(1_800_000_000, 0),
			Next: time.Unix(1_800_000_300, 0), Puts: 3, Lost: 2, Refused: 1, Refusal: "no room"},
		{Schedule: schedule.Schedule{Name: "7", Tube: "video", Rule: schedule.Rule{Cron: "@daily",
			Zone: "Asia/Tokyo"}}},
	}
	h, book := newBooked(t, func(o *houseOptions) { o.Schedules = func() []schedule.Info { return list } })
	c := h.dialled()
	got := must.Get(c.Schedules())
	if len(got) != 2 || got[0].Get("name") != "a" || got[0].Get("cron") != "*/5 * * * *" ||
		got[0].Get("last-tick") != "2027-01-15T08:00:00Z" ||
		got[0].Get("next-tick") != "2027-01-15T08:05:00Z" || got[0].Number("jobs") != 3 ||
		got[0].Number("missed") != 2 || got[0].Number("refused") != 1 ||
		got[0].Get("refusal") != "no room" || got[1].Get("tube") != "video" || got[1].Get("next-tick") != "" ||
		got[1].Get("zone") != "Asia/Tokyo" {
		t.Errorf("listed are %v", got)
	}
	book.Replace(rules(t, access.Rule{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Tubes: []string{"v*"}, May: access.Stats}))
	if got := must.Get(c.Schedules()); len(got) != 1 || got[0].Get("name") != "7" {
		t.Errorf("with stats on v* are listed %v", got)
	}
	book.Replace(rules(t, access.Rule{Networks: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")},
		Tubes: []string{"v*"}, May: access.Put}))
	if got, err := c.Schedules(); err == nil {
		t.Errorf("without stats are listed %v", got)
	}
}
