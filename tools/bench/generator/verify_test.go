package generator

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"beanfield/tools/bench/load"
)

// awaiting makes a loop and a connection that await n replies to op, and that stop
// there: nothing is sent, so no socket is needed.
func awaiting(op operation, n int, change func(*load.Load)) (*loop, *conn) {
	ld := load.Default()
	ld.Body = load.Sizes(20, 20)
	if change != nil {
		change(&ld)
	}
	r := &run{load: &ld, base: time.Now()}
	q := newRequests(&ld)
	r.payload = q.payload
	l := &loop{run: r, ledger: NewLedger(), stopping: true, measuring: true}
	r.loop = l
	c := &conn{plan: r.plan(0, q), op: op, left: n, random: rand.New(rand.NewPCG(1, 1))}
	return l, c
}

// arrive has parts of a stream arrive one after the other: what is left of one comes again
// with the next.
func arrive(l *loop, c *conn, parts ...string) error {
	var b []byte
	for _, part := range parts {
		b = append(b, part...)
		used, err := l.consume(c, b)
		if err != nil {
			return err
		}
		b = b[used:]
	}
	return nil
}

func body20() string { return "12345678" + "abcdefghijklmnopqrst"[8:] }

func TestConsumeRefusesWrongReplies(t *testing.T) {
	good := fmt.Sprintf("RESERVED 5 20\r\n%s\r\n", body20())
	for _, test := range []struct {
		name    string
		op      operation
		n       int
		input   string
		message string
	}{
		{"word", opPut, 1, "BURIED 1\r\n", "put was answered"},
		{"word of another command", opDelete, 1, "INSERTED 1\r\n", "delete was answered"},
		{"not found", opDelete, 1, "NOT_FOUND\r\n", "delete was answered"},
		{"id not rising", opPut, 2, "INSERTED 7\r\nINSERTED 7\r\n", "id 7 after id 7"},
		{"one reply too many", opPut, 1, "INSERTED 7\r\nINSERTED 8\r\n", "nothing asked for"},
		{"half a reply too many", opPut, 1, "INSERTED 7\r\nINS", "nothing asked for"},
		{"handed out twice", opReserve, 2, good + good, "handed out twice"},
		{"short body", opReserve, 1, "RESERVED 5 3\r\nabc\r\n", "not put"},
		{"altered body", opReserve, 1, strings.Replace(good, "t\r\n", "T\r\n", 1), "not put"},
		{"timed out", opReserve, 1, "TIMED_OUT\r\n", "reserve was answered"},
		{"another tube", opUse, 1, "USING other\r\n", "use was answered"},
		{"no reply at all", opDelete, 1, "DELETED\n", "CRLF"},
	} {
		l, c := awaiting(test.op, test.n, nil)
		c.tube = []byte("bench-0")
		err := arrive(l, c, test.input)
		if err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.message)
		}
	}
}

func TestConsumeWantsTheJobThatWasAskedFor(t *testing.T) {
	l, c := awaiting(opReserveJob, 2, func(ld *load.Load) { ld.Kind = load.KindHop })
	c.ids = []uint64{5, 6}
	input := fmt.Sprintf("RESERVED 5 20\r\n%s\r\nRESERVED 7 20\r\n%s\r\n", body20(), body20())
	err := arrive(l, c, input)
	if err == nil || !strings.Contains(err.Error(), "reserve-job 6 gave job 7") {
		t.Errorf("got %v", err)
	}
}

// The replies to whole cycles: each must answer its own command, wherever reads end.
func TestConsumeCycles(t *testing.T) {
	var b strings.Builder
	for id := 5; id < 7; id++ {
		fmt.Fprintf(&b, "INSERTED %d\r\nRESERVED %d 20\r\n%s\r\nDELETED\r\n", id+100, id, body20())
	}
	stream := b.String()
	for i := range len(stream) + 1 {
		l, c := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Depth = load.KindCycles, 2 })
		c.outstanding(request{op: opPut, n: 6, pattern: cycleCommands}, 0)
		l.stopping = false
		c.paced, l.pacer, c.slot = true, newPacer(1e18, 1, 1, 1), 1 // the next batch is far away
		if err := arrive(l, c, stream[:i], stream[i:]); err != nil {
			t.Fatalf("cut at %d: %v", i, err)
		}
		if c.left != 0 || fmt.Sprint(c.ids) != "[5 6]" {
			t.Fatalf("cut at %d: %d to come, jobs %v", i, c.left, c.ids)
		}
		for _, op := range cycleCommands {
			if l.tally.ops[op] != 2 {
				t.Fatalf("cut at %d: %d of %v", i, l.tally.ops[op], op)
			}
		}
		if l.tally.Inserted != 2 || l.tally.reserved != 2 || l.tally.deleted != 2 {
			t.Fatalf("cut at %d: %+v", i, l.tally)
		}
	}
}

func TestConsumeCyclesInTheWrongOrder(t *testing.T) {
	reserved := fmt.Sprintf("RESERVED 5 20\r\n%s\r\n", body20())
	for input, message := range map[string]string{
		reserved + "INSERTED 5\r\nDELETED\r\n":                               "put was answered",
		"INSERTED 5\r\nDELETED\r\n":                                          "reserve was answered",
		"INSERTED 5\r\n" + reserved + "NOT_FOUND\r\n":                        "delete was answered",
		"INSERTED 5\r\n" + reserved + "DELETED\r\nINSERTED 5\r\n":            "id 5 after id 5",
		"INSERTED 5\r\n" + reserved + "DELETED\r\nINSERTED 6\r\n" + reserved: "handed out twice",
	} {
		l, c := awaiting(opPut, 0, func(ld *load.Load) { ld.Kind, ld.Depth = load.KindCycles, 2 })
		c.outstanding(request{op: opPut, n: 6, pattern: cycleCommands}, 0)
		if err := arrive(l, c, input); err == nil || !strings.Contains(err.Error(), message) {
			t.Errorf("%.60q: got %v, want an error with %q", input, err, message)
		}
	}
}
