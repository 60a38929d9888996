//go:build linux

package load

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"

	"beanfield/storage/must"
	"beanfield/tools/bench/socket"
)

// awaiting makes a loop with a connection that awaits n replies to op, and that stops there: nothing is sent, so no
// socket is needed.
func awaiting(ld Load, op operation, n int) (*loop, *conn) {
	ld.Body = Sizes{20, 20}
	ld = Of(ld)
	r := newRun(Target{}, &ld, Spin)
	r.loop.stopping, r.loop.measuring = true, true
	c := &conn{loop: r.loop, pattern: []operation{op}, left: n, random: rand.New(rand.NewPCG(1, 1))}
	c.plan, c.role = r.plan(0)
	return r.loop, c
}

// arrive has parts of a stream arrive one after the other: what is left of one comes again with the next.
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

// job is the reply that brings one.
func job(id int) string { return fmt.Sprintf("RESERVED %d 20\r\n12345678ijklmnopqrst\r\n", id) }

func TestWrongReplies(t *testing.T) {
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
		{"handed out twice", opReserve, 2, job(5) + job(5), "handed out twice"},
		{"short body", opReserve, 1, "RESERVED 5 3\r\nabc\r\n", "not put"},
		{"altered body", opReserve, 1, strings.Replace(job(5), "t\r\n", "T\r\n", 1), "not put"},
		{"timed out", opReserve, 1, "TIMED_OUT\r\n", "reserve was answered"},
		{"another tube", opUse, 1, "USING other\r\n", "use was answered"},
		{"no reply at all", opDelete, 1, "DELETED\n", "CRLF"},
		{"another job than was asked for", opReserveJob, 2, job(5) + job(7), "reserve-job 6 gave job 7"},
	} {
		l, c := awaiting(Load{}, test.op, test.n)
		c.tube, c.ids = []byte("bench-0"), []uint64{5, 6}
		if err := arrive(l, c, test.input); err == nil || !strings.Contains(err.Error(), test.message) {
			t.Errorf("%s: got %v, want an error with %q", test.name, err, test.message)
		}
	}
}

// What whole cycles look like on the wire: the first write cannot delete yet, each further one deletes what the one
// before reserved, the last does nothing else. Each reply must answer its own command, wherever reads end.
func TestWholeCycles(t *testing.T) {
	const put = "put 1024 0 60 20\r\nabcdefghijklmnopqrst\r\n"
	stream := "INSERTED 105\r\n" + job(5) + "INSERTED 106\r\n" + job(6)
	for cut := range len(stream) + 1 {
		l, c := awaiting(Load{Kind: Cycles, Depth: 2}, opPut, 0)
		for i, step := range []struct{ want, answer string }{
			{put + "reserve\r\n" + put + "reserve\r\n", stream},
			{put + "reserve\r\ndelete 5\r\n" + put + "reserve\r\ndelete 6\r\n",
				"INSERTED 107\r\n" + job(7) + "DELETED\r\nINSERTED 108\r\n" + job(8) + "DELETED\r\n"},
			{"delete 7\r\ndelete 8\r\n", "DELETED\r\nDELETED\r\n"},
		} {
			if c.ending = i == 2; !c.next(1) || string(c.build) != step.want {
				t.Fatalf("batch %d: %q", i, c.build)
			}
			l.run.step, l.run.begin = 1, 1e18 // the next batch is far away
			if err := arrive(l, c, step.answer[:min(cut, len(step.answer))], step.answer[min(cut,
				len(step.answer)):]); err != nil {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			if c.left != 0 || len(c.ids) != 2*(1-i/2) || c.rests() != (i == 2) {
				t.Fatalf("cut at %d, batch %d: %d to come, holds %v", cut, i, c.left, c.ids)
			}
		}
		if l.tally.inserted != 4 || l.tally.deleted != 4 || l.tally.ops != 12 {
			t.Fatalf("cut at %d: %+v", cut, l.tally.ops)
		}
	}
	for _, test := range [][2]string{
		{job(5) + "INSERTED 5\r\n", "put was answered"},
		{"INSERTED 5\r\nDELETED\r\n", "reserve was answered"},
	} {
		l, c := awaiting(Load{Kind: Cycles, Depth: 2}, opPut, 0)
		c.next(1)
		if err := arrive(l, c, test[0]); err == nil || !strings.Contains(err.Error(), test[1]) {
			t.Errorf("%.60q: got %v, want an error with %q", test[0], err, test[1])
		}
	}
}

// Puts with keys are told apart, those that are stamped carry their time, and sizes spread over doublings.
func TestPayload(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	p := NewPayload(&Load{Body: Sizes{12, 12}, Keyed: true, Kind: Put})
	first, second := string(p.append(nil, r, 77)), string(p.append(nil, r, 77))
	const form = "put-with 12 pri=1024 ttr=60 key=k%d\r\nabcdefghijkl\r\n"
	if first != fmt.Sprintf(form, p.key-1) || second != fmt.Sprintf(form, p.key) {
		t.Errorf("%q, %q", first, second)
	}
	p = NewPayload(&Load{Body: Sizes{12, 12}, Kind: Apart})
	const stamped = "put 1024 0 60 12\r\n\x4d\x00\x00\x00\x00\x00\x00\x00ijkl\r\n"
	if got := string(p.append(nil, r, 77)); got != stamped || !p.Intact([]byte(got[18:30])) {
		t.Errorf("%q", got)
	}
	if p.Intact([]byte("abcdefghijk")) || p.Intact([]byte("abcdefghijkX")) {
		t.Error("a body that was not put passed")
	}
	octaves := map[int]int{}
	for range 10_000 {
		n := Sizes{10, 65535}.draw(r)
		if n < 10 || n > 65535 {
			t.Fatalf("%d bytes", n)
		}
		k := 0
		for n >= 20<<k {
			k++
		}
		octaves[k]++
	}
	for k := range 12 { // 12.7 doublings: about 790 of 10,000 in each whole one
		if octaves[k] < 650 || octaves[k] > 930 {
			t.Errorf("%d of 10000 sizes in doubling %d", octaves[k], k)
		}
	}
}

// When a connection's next request goes out: at once, where the loop spins, and where it sleeps, only after all
// answers have been read that it woke up for.
func TestWhenTheNextRequestGoesOut(t *testing.T) {
	wires := must.Get(socket.NewLoop(1))
	defer wires.Close()
	for wait, early := range map[Wait]bool{Spin: true, Epoll: false} {
		l, c := awaiting(Load{Kind: Put}, opPut, 1)
		l.run.wait, l.stopping = wait, false
		own, other := socketPair(t)
		c.wire = must.Get(wires.Add(own, nil, c))
		must.Do(t, arrive(l, c, "INSERTED 5\r\n"))
		for _, sent := range []bool{early, !early} {
			if _, e := socket.Read(other, make([]byte, 100)); (e == 0) != sent {
				t.Errorf("%s: reading the next request gives %v", wait, e)
			}
			must.Do(t, l.resume())
		}
	}
}

// socketPair is a connection whose other end the test holds.
func socketPair(t *testing.T) (own, other int) {
	t.Helper()
	fds := must.Get(syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0))
	t.Cleanup(func() { syscall.Close(fds[1]) }) // the loop closes the other
	return fds[0], fds[1]
}

// Jobs that come one at a time each find somebody who has waited for a while.
func TestOneAtATime(t *testing.T) {
	l, c := awaiting(Load{Kind: WakeOne, Producers: 1}, opPut, 0)
	l.run.came = 1000
	for i, want := range []bool{false, true, false} { // then one is in flight
		if c.next(999+onePause+int64(i)) != want {
			t.Errorf("step %d: it puts: %v", i, !want)
		}
	}
}

// At the end, a consumer commits what would wait for more.
func TestTheRestIsCommitted(t *testing.T) {
	l, _ := awaiting(Load{Kind: Push, Window: 10, Commit: 7}, opPut, 0)
	wires := must.Get(socket.NewLoop(1))
	defer wires.Close()
	own, other := socketPair(t)
	m := newCommitter(l, 0)
	m.wire = must.Get(wires.Add(own, nil, m))
	l.committers, m.ids, l.run.inFlight, l.run.end = []*committer{m}, []uint64{4, 5}, 2, l.run.now()
	if over, err := l.finished(); over || err != nil {
		t.Errorf("over: %v, %v", over, err)
	}
	b := make([]byte, 1000)
	if n, _ := socket.Read(other, b); n < 1 || !bytes.Contains(b[:n], []byte("_indexes_=4%2C5 ")) {
		t.Errorf("it sent %q", b[:max(0, n)])
	}
	for _, text := range []string{"HTTP/1.1 400 Bad\r\nContent-Length: 2\r\n\r\nno",
		"HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nOK!"} {
		if _, err := m.Take([]byte(text)); err == nil {
			t.Errorf("%q passes", text)
		}
	}
}

// Frames are cut off only when they are whole, and what a server must not send ends the run.
func TestItems(t *testing.T) {
	l, _ := awaiting(Load{Kind: Push}, opPut, 0)
	c := &consumer{loop: l}
	const body = "abcdefghijklmnopqrst"
	whole := string([]byte{FrameBinary, 24}) + "\x08\x05\x1a\x14" + body
	l.run.inFlight = 1
	for n := range len(whole) {
		if used, err := c.Take([]byte(whole[:n])); used != 0 || err != nil {
			t.Fatal(n, used, err)
		}
	}
	if used, err := c.Take([]byte(whole + "\x82")); err != nil || used != len(whole) || l.run.inFlight != 0 ||
		l.tally.ops != 1 {
		t.Fatal(used, err)
	}
	for text, want := range map[string]string{
		"\x08\x05\x1a\x14" + body: "handed out twice", "\x08\x06\x1a\x14X" + body[1:19] + "X": "was not put",
		"\x1a\x14" + body: "without an index", "": "without an index",
	} {
		frame := append([]byte{FrameBinary, byte(len(text))}, text...)
		if _, err := c.Take(frame); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
	for size, head := range map[int]string{200: "\x82\x7e\x00\xc8", 70_000: "\x82\x7f\x00\x00\x00\x00\x00\x01\x11\x70"} {
		text := head + strings.Repeat("x", size)
		if _, payload, n := Frame([]byte(text + "yz")); len(payload) != size || n != len(text) {
			t.Errorf("a frame of %d bytes is read as %d with a payload of %d", len(text), n, len(payload))
		}
		if _, _, n := Frame([]byte(text[:len(text)-1])); n != 0 {
			t.Errorf("a part passes for %d bytes", n)
		}
	}
}
