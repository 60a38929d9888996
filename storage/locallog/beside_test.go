package locallog

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"beanfield/storage"
	"beanfield/storage/turns"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"
)

// beside is a log that several goroutines use at once.
type beside struct {
	*testing.T
	l        *Log
	appended chan said
	trimmed  chan struct{}
}

// said are turns and where they are.
type said struct {
	i  int
	at turns.At
}

const besideTurns = 3000

// turnsOf are the turns that are appended as those with a number.
func turnsOf(i int) string { return strings.Repeat(fmt.Sprintf("%04d,", i), 1+i%37*(1+i%3*40)) }

// own appends and syncs.
func (w beside) own() {
	defer close(w.appended)
	for i := range besideTurns {
		for {
			_, at, err := w.l.Append([]byte(turnsOf(i)))
			if err == nil {
				w.appended <- said{i, at}
				break
			}
			if !errors.Is(err, storage.ErrNoSpace) || w.l.Sync() != nil {
				w.Errorf("append: %v", err)
				return
			}
			<-w.trimmed
		}
		if i%5 == 0 || i == besideTurns-1 {
			if err := w.l.Sync(); err != nil {
				w.Error(err)
			}
		}
	}
}

// readBack reads from turns that may go away meanwhile.
func (w beside) readBack() {
	var gone, there int
	for s := range w.appended {
		want := turnsOf(s.i)
		b := make([]byte, len(want)/2)
		switch err := w.l.ReadAt(s.at+turns.At(len(want)/4), b); {
		case errors.Is(err, ErrGone):
			gone++
		case err != nil || string(b) != want[len(want)/4:][:len(b)]:
			w.Errorf("%q is read back, of turns of %d bytes %d: %v", b, len(want), s.i, err)
		default:
			there++
		}
	}
	w.Logf("%d turns were there, %d gone", there, gone)
}

// fold reads all turns, in order, and trims and prepares.
func (w beside) fold() {
	r := w.l.Reader()
	for i := 0; i < besideTurns; {
		b, at, behind, ok, err := r.Next()
		if err != nil || ok && string(b) != turnsOf(i) {
			w.Errorf("%q is read at %x as turns %d: %v", b, at, i, err)
			return
		}
		if ok {
			i++
			continue
		}
		w.l.Trim(behind.Number)
		if err := w.l.Prepare(); err != nil {
			w.Error(err)
		}
		select {
		case w.trimmed <- struct{}{}:
		default:
		}
	}
}

// Each goroutine does what it may beside Append and Sync.
func TestBesideAppend(t *testing.T) {
	o := onPebbles(t, vfs.NewMem())
	o.Slots = 8
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	w := beside{t, l, make(chan said, besideTurns), make(chan struct{}, 1)}
	var work sync.WaitGroup
	work.Go(w.own)
	work.Go(w.readBack)
	work.Go(w.fold)
	work.Wait()
}

// A slot may be freed and used again while it is read: ReadAt and a Reader say that the
// turns are gone.
func TestGoneWhileRead(t *testing.T) {
	fs, amid := interrupted(errorfs.OpFileReadAt)
	o := onPebbles(t, fs)
	o.Slots = 1
	l, _ := reopened(t, o, turns.Place{Origin: origin})
	_, at, err := l.Append([]byte("one"))
	if err != nil || l.Sync() != nil {
		t.Fatal(err)
	}
	reuse := func() {
		l.Trim(l.Place().Number)
		mustAppend(t, l, strings.Repeat("two", 500))
	}
	*amid = reuse
	if err := l.ReadAt(at, make([]byte, 3)); !errors.Is(err, ErrGone) {
		t.Errorf("a read: %v", err)
	}
	r := l.Reader()
	r.SkipTo(turns.Place{Origin: origin, Number: 1, Hash: r.Place().Hash})
	*amid = reuse
	if _, _, _, _, err := r.Next(); !errors.Is(err, ErrGone) {
		t.Errorf("a reader: %v", err)
	}
	if _, _, _, _, err := l.Reader().Next(); !errors.Is(err, ErrGone) {
		t.Errorf("a reader that comes late: %v", err)
	}
	last := l.Segments()[0].Behind
	r.SkipTo(last)
	mustAppend(t, l, "three")
	if b, _, behind, ok, err := r.Next(); string(b) != "three" || behind != l.Place() || !ok || err != nil {
		t.Errorf("%q behind %v: %v", b, last, err)
	}
}
