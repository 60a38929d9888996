package shipment

import (
	"crypto/rand"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
)

// Shipment is a directory that another node can fetch.
type Shipment struct {
	Name string // what the other node must know, besides the prefix

	link    link
	o       Options
	source  *source
	asks    chan ask
	stop    chan struct{}
	closing sync.Once
	ended   chan struct{}
	sent    atomic.Int64

	// Those of the goroutine.
	reply  string // who has asked last
	from   uint64 // that one has all chunks before
	mask   uint64 // bit i: chunk from+i is wanted
	due    time.Time
	buffer []byte
	over   bool
	why    error
}

// Offer lets another node fetch a directory. Nobody may change it until the offer has ended; then
// Release is called, but not if Offer itself fails.
func Offer(nc *nats.Conn, prefix, dir string, o Options) (*Shipment, error) {
	return offer(wire{nc}, prefix, dir, o)
}

func offer(l link, prefix, dir string, o Options) (*Shipment, error) {
	s := &Shipment{Name: rand.Text(), link: l, o: o.filled(), asks: make(chan ask, 4*window), stop: make(chan struct{}), ended: make(chan struct{})}
	var err error
	if s.source, err = newSource(dir, s.o.chunk); err != nil {
		return nil, err
	}
	subject, _ := subjectOf(prefix, s.Name)
	unlisten, err := l.Listen(subject, s.asked)
	if err != nil {
		return nil, err
	}
	go s.serve(unlisten)
	return s, nil
}

// Bytes is how much there is to send, and how much was sent, repetitions included.
func (s *Shipment) Bytes() (sent, total int64) {
	return s.sent.Load(), s.source.total - s.source.list
}

// Ended is closed when the offer has ended, and Release has returned.
func (s *Shipment) Ended() <-chan struct{} { return s.ended }

// Why says why the offer has ended: nil if somebody has everything.
func (s *Shipment) Why() error {
	<-s.ended
	return s.why
}

// Close ends the offer, and waits until it has. Release may not call it.
func (s *Shipment) Close() {
	s.closing.Do(func() { close(s.stop) })
	<-s.ended
}

// asked takes a message. What there is no room for is asked for again.
func (s *Shipment) asked(reply string, data []byte) {
	if a, ok := decodeAsk(reply, data); ok {
		select {
		case s.asks <- a:
		default:
		}
	}
}

// serve sends what is wanted, when its time has come.
func (s *Shipment) serve(unlisten func()) {
	idle, turn := time.NewTimer(s.o.Idle), time.NewTimer(0)
	defer idle.Stop()
	defer turn.Stop()
	for !s.over {
		var ready <-chan time.Time
		if s.mask != 0 {
			turn.Reset(time.Until(s.due))
			ready = turn.C
		}
		select {
		case <-s.stop:
			s.fail(ErrClosed)
		case a := <-s.asks:
			idle.Reset(s.o.Idle)
			s.take(a)
		case <-ready:
			s.send()
		case <-idle.C:
			if len(s.asks) == 0 {
				s.fail(ErrIdle)
			}
		}
	}
	unlisten()
	s.source.close()
	s.o.Release()
	close(s.ended)
}

// take makes a set of what is wanted. Bits of an older ask that the receiver has by now fall out.
func (s *Shipment) take(a ask) {
	if a.kind == kindDone {
		s.over = true
		return
	}
	if a.from >= s.source.chunks() || a.from > s.source.reach() {
		return
	}
	if a.reply != s.reply {
		s.reply, s.from, s.mask = a.reply, a.from, 0
	}
	if a.from >= s.from {
		s.mask >>= a.from - s.from
		s.from = a.from
	} else {
		a.mask >>= s.from - a.from
	}
	if left := s.source.chunks() - s.from; left < 64 {
		a.mask &= 1<<left - 1
	}
	if a.mask&^s.mask == 0 {
		s.tell(seal(begin(nil, kindStill)))
	}
	s.mask |= a.mask
}

// send sends the first chunk that is wanted.
func (s *Shipment) send() {
	i := bits.TrailingZeros64(s.mask)
	s.mask &^= 1 << i
	var err error
	if s.buffer, err = s.source.message(s.buffer[:0], s.from+uint64(i)); err != nil {
		s.fail(err)
		return
	}
	if s.o.Rate > 0 {
		// What a late timer has left out is made up for, but not more.
		s.due = later(s.due, time.Now().Add(-credit)).Add(time.Duration(float64(len(s.buffer)) / float64(s.o.Rate) * float64(time.Second)))
	}
	s.sent.Add(int64(s.source.length(s.from + uint64(i))))
	s.tell(s.buffer)
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// fail ends the offer, and says so to the receiver.
func (s *Shipment) fail(why error) {
	s.over, s.why = true, why
	if s.reply != "" {
		s.tell(failed(why))
	}
}

func (s *Shipment) tell(message []byte) {
	if err := s.link.Send(s.reply, "", message); err != nil && lasting(err) && !s.over {
		s.over, s.why = true, fmt.Errorf("shipment: %w", err)
	}
}
