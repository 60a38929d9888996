package audit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"beanfield/storage/must"
)

// paper is a file. It can be slow, full or torn.
type paper struct {
	mu     sync.Mutex
	text   bytes.Buffer
	room   int // bytes; negative for any
	closed bool
	gate   chan struct{} // each write takes one, if there is a gate
}

func (p *paper) Write(b []byte) (int, error) {
	if p.gate != nil {
		<-p.gate
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return 0, errors.New("closed")
	}
	if p.room >= 0 && len(b) > p.room {
		n := p.room
		p.room = 0
		p.text.Write(b[:n])
		return n, errors.New("full")
	}
	if p.room >= 0 {
		p.room -= len(b)
	}
	return p.text.Write(b)
}

func (p *paper) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	return nil
}

// makeRoom makes room for any number of bytes.
func (p *paper) makeRoom() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.room = -1
}

// lines reads what has been written, and what that says of lost events.
func (p *paper) lines(t *testing.T) (whats []string, lost int) {
	t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	for line := range strings.Lines(p.text.String()) {
		var both struct {
			Event
			Lost int
		}
		if err := json.Unmarshal([]byte(line), &both); err != nil {
			whats = append(whats, "?")
			continue
		}
		if lost += both.Lost; both.Lost == 0 {
			whats = append(whats, both.What)
		}
	}
	return whats, lost
}

func start(t *testing.T, p *paper) (l *Log, warnings *must.Text) {
	t.Helper()
	warnings = new(must.Text)
	return New(p, slog.New(slog.NewTextHandler(warnings, nil))), warnings
}

func end(t *testing.T, l *Log) {
	t.Helper()
	must.Do(t, l.Close(context.Background()))
}

// A line has all that an event has, and nothing that is empty; no text can make two lines.
func TestLines(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{room: -1}
		l, warnings := start(t, p)
		l.Tell(Event{What: "reload"})
		l.Tell(Event{Who: "a\n\"b\"", From: "10.0.0.1:5", FrontEnd: "beanstalk", What: "put", Tube: "t", ID: 7,
			Detail: "x", Refused: true})
		end(t, l)
		const at = `{"time":"2000-01-01T00:00:00Z",`
		want := at + `"what":"reload"}` + "\n" +
			at + `"who":"a\n\"b\"","from":"10.0.0.1:5","face":"beanstalk","what":"put","tube":"t","id":7,"detail":"x","refused":true}` + "\n"
		if got := p.text.String(); got != want || !p.closed || len(warnings.String()) > 0 {
			t.Errorf("written %s, want %s; closed %v, warnings %s", got, want, p.closed, warnings)
		}
	})
}

// J1 and J2: while nothing can be written Tell does not wait, and what has no room in the
// queue is counted; the file says how many where they are missing, and so does the server's log.
func TestMoreThanCanBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{room: -1, gate: make(chan struct{})}
		l, warnings := start(t, p)
		l.Tell(Event{What: "first"})
		synctest.Wait() // the writer waits for the disk
		for i := range queued + 10 {
			l.Tell(Event{What: fmt.Sprint(i)})
		}
		if l.Lost() != 10 {
			t.Errorf("%d are lost, want 10", l.Lost())
		}
		close(p.gate)
		end(t, l)
		whats, lost := p.lines(t)
		if len(whats) != queued+1 || lost != 10 || whats[0] != "first" || whats[queued] != fmt.Sprint(queued-1) {
			t.Errorf("%d lines, from %s to %s, and %d lost", len(whats), whats[0], whats[len(whats)-1], lost)
		}
		if strings.Count(warnings.String(), "lost=10") != 1 {
			t.Errorf("the server's log says %s", warnings)
		}
	})
}

// J2: a disk that is full, even in the middle of a line, loses only what it has no room for,
// and the log goes on when there is room again.
func TestFullDisk(t *testing.T) {
	for room := range 120 {
		synctest.Test(t, func(t *testing.T) {
			p := &paper{room: room}
			l, warnings := start(t, p)
			for i := range 3 {
				l.Tell(Event{What: fmt.Sprint("early", i)})
				synctest.Wait()
			}
			p.makeRoom()
			l.Tell(Event{What: "late"})
			end(t, l)
			whats, lost := p.lines(t)
			whole, broken := 0, 0
			for _, w := range whats {
				if w == "?" {
					broken++
				} else {
					whole++
				}
			}
			if whole+lost != 4 || broken > 1 || whats[len(whats)-1] != "late" || lost != int(l.Lost()) {
				t.Errorf("room for %d: %v and %d lost", room, whats, lost)
			}
			if (lost > 0) != strings.Contains(warnings.String(), "full") {
				t.Errorf("room for %d: the server's log says %q", room, warnings)
			}
		})
	}
}

// What was lost is written down in the end, too, if nothing follows it.
func TestLossAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{room: 0}
		l, _ := start(t, p)
		l.Tell(Event{What: "a"})
		synctest.Wait()
		p.makeRoom()
		end(t, l)
		if whats, lost := p.lines(t); len(whats) != 0 || lost != 1 {
			t.Errorf("%v and %d lost", whats, lost)
		}
	})
}

// J3: after Reopen events are in the new file, and the old one is closed.
func TestReopen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		first, unused, second := &paper{room: -1, gate: gate}, &paper{room: -1}, &paper{room: -1}
		l, _ := start(t, first)
		l.Tell(Event{What: "a"})
		synctest.Wait()
		l.Reopen(unused)
		l.Reopen(second)
		l.Tell(Event{What: "b"})
		close(gate)
		end(t, l)
		old, _ := first.lines(t)
		fresh, _ := second.lines(t)
		if fmt.Sprint(old, fresh) != "[a] [b]" || !first.closed || !unused.closed || !second.closed ||
			unused.text.Len() > 0 {
			t.Errorf("%v and %v; closed %v %v %v", old, fresh, first.closed, unused.closed, second.closed)
		}
	})
}

// Reopen has its effect while nothing is told, too.
func TestReopenWhenIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		first, second := &paper{room: -1}, &paper{room: -1}
		l, _ := start(t, first)
		l.Reopen(second)
		synctest.Wait()
		if !first.closed {
			t.Error("the old file stays open")
		}
		end(t, l)
	})
}

// Close does not wait longer than it may.
func TestCloseOfAStuckDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &paper{room: -1, gate: make(chan struct{})}
		l, _ := start(t, p)
		l.Tell(Event{What: "a"})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := l.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("Close answers %v", err)
		}
		close(p.gate)
	})
}

// Many may tell at once; every event is written or counted.
func TestManyTell(t *testing.T) {
	p := &paper{room: -1}
	l, _ := start(t, p)
	var telling sync.WaitGroup
	for range 8 {
		telling.Go(func() {
			for range 3000 {
				l.Tell(Event{What: "x"})
			}
		})
	}
	telling.Wait()
	end(t, l)
	if whats, lost := p.lines(t); len(whats)+lost != 8*3000 || lost != int(l.Lost()) {
		t.Errorf("%d lines and %d lost", len(whats), lost)
	}
}

// No log takes everything and does nothing.
func TestNoLog(t *testing.T) {
	var l *Log
	l.Tell(Event{What: "x"})
	if l.Lost() != 0 || l.Close(t.Context()) != nil {
		t.Error("it does something")
	}
}
