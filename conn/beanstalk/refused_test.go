package beanstalk

import (
	"strings"
	"testing"
	"time"

	"beanfield/conn/access"
	"beanfield/conn/slow"
)

// refusedLine is what is sent and how it is answered, and what is told of it; "" for all that was sent.
type refusedLine struct {
	sent, answer string
	why          slow.Reason
	line         string
}

var refusedLines = []refusedLine{
	{"nonsense 1", "UNKNOWN_COMMAND", slow.Unknown, "nonsense ..."},
	{"put 0 0 60 5x", "BAD_FORMAT", slow.Malformed, ""},
	{"put-with 5x", "BAD_FORMAT", slow.Malformed, ""},
	{"delete 1\x00", "BAD_FORMAT", slow.Malformed, ""},
	{"delete " + strings.Repeat("1", 500), "BAD_FORMAT", slow.LongLine, "delete ..."},
	{"put-with 2 kee=1\r\nab", "BAD_FORMAT", slow.Option, "put-with 2 kee=1"},
	{"reserve-with n=1", "BAD_FORMAT", slow.Option, ""},
	{"truncate t state=x", "BAD_FORMAT", slow.Option, ""},
	{"list-jobs cursor=x", "BAD_FORMAT", slow.Option, ""},
	{"change-jobs t", "NOT_FOUND", slow.Right, ""},
	{"move-jobs t u", "NOT_FOUND", slow.Right, ""},
	{"put 0 0 60 101\r\n" + strings.Repeat("x", 101), "JOB_TOO_BIG", slow.TooBig, "put 0 0 60 101"},
	{"put 0 0 60 1\r\nabc", "EXPECTED_CRLF\r\nUNKNOWN_COMMAND", slow.NoCRLF, "put (size 1)"},
	{"put-in-tube u 0 0 60 1\r\nx", "BAD_FORMAT", slow.Right, "put-in-tube u 0 0 60 1"},
	{"delete-batch 1\r\nx", "BAD_FORMAT", slow.Body, "delete-batch (size 1)"},
	{"put-batch 1\r\nx", "BAD_FORMAT", slow.Body, "put-batch (size 1)"},
	{"put-batch 38 all=true\r\n0 0 60 1 key=k\r\nx\r\n0 0 60 1 key=k\r\nx\r\n", "BAD_FORMAT", slow.Together,
		"put-batch"},
	{"put-in-tube t 0 0 60 12\r\noauth admin ", "BAD_FORMAT", slow.Exposed, "put-in-tube t 0 0 60 12"},
	{"AUTH admin", "UNKNOWN_COMMAND", slow.Unknown, "AUTH ..."},
	{"oauth admin x", "UNKNOWN_COMMAND", slow.Unknown, "oauth ..."},
	{" auth admin", "UNKNOWN_COMMAND", slow.Unknown, "auth ..."},
	{"auth\tadmin", "UNKNOWN_COMMAND", slow.Unknown, "auth ..."},
	{"auth:admin", "UNKNOWN_COMMAND", slow.Unknown, "auth ..."},
	{"Authorization: Bearer admin", "UNKNOWN_COMMAND", slow.Unknown, "Authorization ..."},
	{"th admin", "UNKNOWN_COMMAND", slow.Unknown, "th ..."},
	{strings.Repeat("token", 8), "UNKNOWN_COMMAND", slow.Unknown, "..."},
	{"auth wrong", "NOT_FOUND", slow.Token, "auth"},
}

// Each refusal is told once, with its reason, its line and its client, and no token is told.
func TestRefusalsAreTold(t *testing.T) {
	log := slow.New(time.Hour)
	h, book := newBooked(t, func(o *houseOptions) { o.Slow, o.MaxJobSize = log, 100 })
	book.Replace(rules(t, rule("some", access.Put|access.Delete|access.Reserve, "t")))
	c := h.as("some")
	c.do("use t", "USING t")
	id := h.as("admin").put(0, 0, 60, "x") // into default
	number := lineOf(verbOf("peek"), "", id)
	told := uint64(0)
	for _, k := range append(refusedLines, refusedLine{string(number), "NOT_FOUND", slow.Right, ""}) {
		if k.line == "" {
			k.line = k.sent
		}
		c.do(k.sent, k.answer)
		list := log.Refused()
		if strings.Contains(k.answer, "\r\nUNKNOWN") { // what is behind the body
			list, told = list[1:], told+1
		}
		if told++; uint64(len(log.Refused())) != told {
			t.Fatalf("%.60q is told as %d refusals", k.sent, len(log.Refused()))
		}
		if got := list[0]; got.Reason != k.why || got.Line != k.line || got.Client == "" || got.Who != "some" {
			t.Errorf("%.60q is told as %+v", k.sent, got)
		}
	}
	before := len(log.Refused())
	for _, usual := range []string{"reserve-with-timeout 0|TIMED_OUT", "delete 999|NOT_FOUND",
		"ignore default|NOT_IGNORED"} {
		line, answer, _ := strings.Cut(usual, "|")
		if c.do(line, answer); len(log.Refused()) != before {
			t.Errorf("%s is told", line)
		}
	}
	sum := uint64(0)
	for _, n := range log.ByReason() {
		sum += n
	}
	if sum != uint64(len(log.Refused())) {
		t.Errorf("%d are counted, %d remembered", sum, len(log.Refused()))
	}
}
