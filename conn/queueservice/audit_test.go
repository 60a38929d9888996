package queueservice

import (
	"log/slog"
	"regexp"
	"strings"
	"testing"

	"beanfield/conn/audit"
	"beanfield/storage/must"
)

// The audit log is told of what was refused, of what ends items or groups, and of nothing else.
func TestAudit(t *testing.T) {
	var file must.Text
	log := audit.New(&file, slog.New(slog.DiscardHandler))
	h, _ := newGuarded(t, func(o *Options) { o.Audit = log })
	for _, c := range []struct{ method, query, token string }{
		{"POST", "", "put"}, {"POST", "", "reserve"}, {"GET", "?_attrs_=true", ""}, {"GET", "", "guess"},
		{"DELETE", "?_indexes_=1,2", "delete"}, {"DELETE", "?_trunc_=true&_index_=9", "delete"},
		{"DELETE", "?_group_=g", "delete"}, {"DELETE", "?_group_=g", "all"}, {"DELETE", "", "all"},
		{"POST", "?_eos_=true", "put"},
	} {
		h.Say(c.method, base+c.query, auth(c.token), "")
	}
	h.Close()
	must.Do(t, log.Close(t.Context()))
	got := regexp.MustCompile(`"time":"[^"]*",|"from":"127[^"]*",|"face":"queue service",`).ReplaceAllString(
		file.String(), "")
	want := `{"who":"reserve","what":"put","tube":"s","refused":true}
{"what":"request","refused":true}
{"what":"request","refused":true}
{"who":"delete","what":"delete","tube":"s","detail":"1,2"}
{"who":"delete","what":"truncate","tube":"s","detail":"before 9"}
{"who":"delete","what":"remove group","tube":"s","detail":"g","refused":true}
{"who":"all","what":"remove group","tube":"s","detail":"g"}
{"who":"put","what":"end","tube":"s"}
`
	if got != want {
		t.Errorf("the log has\n%s\nwant\n%s", got, want)
	}
	if strings.Contains(got, "guess") {
		t.Error("a token is in the log")
	}
}
